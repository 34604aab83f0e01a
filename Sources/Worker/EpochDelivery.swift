internal import Aggregating
internal import Kafka

/// Makes closed epochs durable, and then their offsets: the one place that knows the delivery guarantee.
///
/// Called on one queue, one call at a time; blocks.
protocol EpochDelivery: AnyObject, Sendable {
    /// Returns when every epoch whose lease is still held is durable and its offset committed, however long the
    /// cluster is away; epochs whose lease has been released meanwhile are dropped.
    /// - Parameter epochs: those of one partition in their order.
    func deliver(_ epochs: [ClosedEpoch])

    /// Age of the open transaction, ms; 0 where none is. From any thread.
    var openTransactionAge: Int { get }

    /// Makes ready before the worker joins its group.
    /// - Parameter goesOn: asked between attempts while the cluster does not answer.
    /// - Throws: what people must see to.
    func prepare(while goesOn: () -> Bool) throws(KafkaError)
}

/// Gives access to the worker's group membership without owning it.
protocol GroupOffsets: AnyObject, Sendable {
    func commit(_ offsets: [PartitionOffset]) throws(KafkaError)

    /// What is committed for good: with transactions that are not over yet it waits or fails.
    /// - Parameter limit: ms.
    func committed(_ partitions: [TopicPartition], limit: Int32) throws(KafkaError) -> [PartitionOffset]

    /// The member's place in the group now.
    func place() throws(KafkaError) -> any GroupPlace

    /// The member's name in the group now.
    /// - Throws: where it has none.
    func memberID() throws(KafkaError) -> String
}

/// Where deliveries go, as far as configuration does not say it.
struct DeliveryTargets: Sendable {
    /// Partitions of `<app>-partials`.
    var partialsPartitions: Int
    /// Called with rows after they are durable.
    var published: @Sendable (RecordBatch) -> Void
}

extension Scheduler {
    /// Waits as long as a delivery does before it tries again.
    func pauseBefore(attempt: Int) {
        let pauses = [50, 100, 200, 500, 1000, 2000]
        sleep(milliseconds: pauses[min(attempt, pauses.count - 1)])
    }
}
