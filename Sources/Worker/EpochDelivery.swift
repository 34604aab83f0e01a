internal import Kafka

/// Makes closed epochs durable, and then their offsets: the one place that knows the delivery guarantee.
///
/// Called on one queue, one call at a time; blocks.
protocol EpochDelivery: AnyObject, Sendable {
    /// Returns when every epoch whose lease is still held is durable and its offset committed, however long the
    /// cluster is away; epochs whose lease has been released meanwhile are dropped.
    /// - Parameter epochs: those of one partition in their order.
    func deliver(_ epochs: [ClosedEpoch])
}

/// Gives access to the worker's group membership without owning it.
protocol OffsetCommitter: AnyObject, Sendable {
    func commit(_ offsets: [PartitionOffset]) throws(KafkaError)
}
