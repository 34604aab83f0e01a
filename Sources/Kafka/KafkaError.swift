/// Whatever went wrong with Kafka: what it is, what may be done about it by the program, and what by people.
///
/// One type for client, broker and configuration errors. ``domain``, ``retry`` and ``remedy`` come from one table
/// (``known``); a code that is not in it keeps the library's text and counts as ``RetryClass/permanent``.
package struct KafkaError: Error, Sendable, Hashable {
    /// librdkafka's number; negative ones come from the client, positive ones from the broker.
    package var code: Int32
    /// The code's name, e.g. `_TRANSPORT` or `TOPIC_AUTHORIZATION_FAILED`.
    package var name: String
    package var domain: Domain
    package var retry: RetryClass
    /// What was tried, with its object: `commit offsets`, `create topic app-partials`.
    package var operation: String
    /// What the library or the broker says.
    package var text: String
    /// What a person can do about it: one sentence in the imperative.
    package var remedy: String

    /// The part of the system that an error belongs to.
    package enum Domain: String, Sendable, Hashable {
        case configuration
        case transport
        case authentication
        case authorization
        case topic
        case message
        case group
        case transaction
        case queue
        case broker
        case client
    }

    /// What the program may do about an error.
    package enum RetryClass: String, Sendable, Hashable {
        /// The same call again, after a pause.
        case retriable
        /// Abort the transaction and send the same work again in a new one.
        case abortable
        /// The client object is spent: destroy it and make a new one.
        case fatal
        /// No repetition helps; people must act.
        case permanent
    }
}

extension KafkaError: CustomStringConvertible {
    package var description: String {
        "\(operation): \(text) (\(name), \(domain.rawValue), \(retry.rawValue)); \(remedy)"
    }
}
