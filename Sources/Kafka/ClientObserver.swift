/// Takes what clients have to tell. Called from the library's threads and from whoever polls: be quick, do not call
/// back into a client.
package protocol ClientObserver: AnyObject, Sendable {
    func log(_ line: ClientLogLine)
    func statistics(_ statistics: ClientStatistics)
    /// Something that no call returned: brokers gone, authentication refused, a client become unusable.
    func failure(_ error: KafkaError)
}

/// A line of the library's log.
package struct ClientLogLine: Sendable, Hashable {
    /// As syslog has it: 0 (emergency) to 7 (debug).
    package var level: Int
    /// Short name of the place in the library, e.g. `FAIL`, `CONFWARN`.
    package var facility: String
    package var text: String
}

/// What a client counts of itself, every `statistics.interval.ms`.
package struct ClientStatistics: Sendable, Hashable {
    /// `consumer` or `producer`.
    package var kind = ""
    /// Records waiting in the producer to be sent or acknowledged, and their bytes.
    package var queuedRecords = 0
    package var queuedBytes = 0
    /// Records and bytes since the start.
    package var sentRecords = 0
    package var sentBytes = 0
    package var receivedRecords = 0
    package var receivedBytes = 0
    /// Records waiting in the consumer to be taken, over all partitions, and their bytes.
    package var prefetchedRecords = 0
    package var prefetchedBytes = 0
    /// Brokers with a connection that is up.
    package var brokersUp = 0
    /// The largest 99th percentile of a broker's round trip, µs.
    package var roundTrip = 0
    /// Group rebalances since the start.
    package var rebalances = 0
}
