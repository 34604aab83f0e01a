package import Kafka

/// A cluster as a worker has it: makes the clients through which the worker does all that it does with Kafka.
///
/// ``KafkaCluster`` is the real one, by the clients of ``Kafka``. What their documentation says of blocking, of errors
/// and of their classes holds for any other.
package protocol Cluster: Sendable {
    func member(
        of group: String, _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any GroupMember

    func producer(
        _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any RecordProducer

    /// - Parameters:
    ///   - identity: the `transactional.id`.
    ///   - timeout: of a transaction, ms.
    func transactionProducer(
        _ properties: [String: String], identity: String, timeout: Int, observer: (any ClientObserver)?
    ) throws(KafkaError) -> any TransactionProducer

    /// Reads what is committed, from the beginning of what is there.
    func reader(
        of partition: TopicPartition, _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any PartitionReader

    /// As ``reader(of:_:observer:)``, from a place on that was reached before.
    func reader(
        of partition: TopicPartition, from start: StartOffset, _ properties: [String: String],
        observer: (any ClientObserver)?
    ) throws(KafkaError) -> any PartitionReader

    func administrator(
        _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any Administrator
}

/// A cluster that gives nothing but all: who reads a checkpoint passes over what was taken before.
extension Cluster {
    package func reader(
        of partition: TopicPartition, from start: StartOffset, _ properties: [String: String],
        observer: (any ClientObserver)?
    ) throws(KafkaError) -> any PartitionReader {
        try reader(of: partition, properties, observer: observer)
    }
}

/// A member of a consumer group: ``Consumer``.
package protocol GroupMember: AnyObject, Sendable {
    /// - Parameter handler: not kept alive.
    func subscribe(_ topics: [String], handler: any AssignmentHandler) throws(KafkaError)
    func poll(timeout: Int32) -> KafkaError?
    func commit(_ offsets: [PartitionOffset]) throws(KafkaError)
    func committed(_ partitions: [TopicPartition], limit: Int32) throws(KafkaError) -> [PartitionOffset]
    func seek(_ partition: TopicPartition, to start: StartOffset, limit: Int32) throws(KafkaError)
    func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks
    func cachedWatermarks(of partition: TopicPartition) -> Watermarks?
    /// The name that the group knows the member by; empty where it knows it no longer.
    var memberID: String { get }
    /// The member's place in the group now.
    func place() throws(KafkaError) -> any GroupPlace
    /// All members of the group, as its coordinator knows them.
    func members(limit: Int32) throws(KafkaError) -> GroupMembers
    func close() throws(KafkaError)
}

/// Of a group that does not tell its members nobody is known: standby replicas keep nothing there.
extension GroupMember {
    package func members(limit: Int32) throws(KafkaError) -> GroupMembers {
        GroupMembers(isStable: false, members: [])
    }
}

/// A member's place in its group, for a producer of the same cluster: ``GroupMetadata``.
package protocol GroupPlace: AnyObject, Sendable {}

/// Decides at a rebalance, as ``RebalanceHandler`` does.
package protocol AssignmentHandler: AnyObject, Sendable {
    func start(_ partitions: [TopicPartition]) -> [StartOffset]
    func begin(_ partition: TopicPartition, feed: any PartitionFeed)
    func assigned(_ partitions: [TopicPartition])
    func end(_ partitions: [TopicPartition], lost: Bool)
    func failed(_ error: KafkaError)
}

/// What is prefetched of one assigned partition: ``PartitionQueue``. It ends with its last reference.
package protocol PartitionFeed: AnyObject, Sendable {
    /// - Parameter queue: of the scheduler that goes with the cluster.
    func wake(on queue: any SerialQueue, _ handler: @escaping @Sendable () -> Void) throws(KafkaError)
    var isEmpty: Bool { get }
    /// One call a drain: the records go to the sink without passing here.
    func drain(limit: Int, into sink: any PartitionSink)
}

/// ``Producer``.
package protocol RecordProducer: AnyObject, Sendable {
    func expect(_ topics: [String])
    func produce(
        topic: String, partition: Int32?, key: RawSpan?, value: RawSpan?, headers: [RecordHeader]
    ) throws(KafkaError) -> ProduceResult
    func poll(timeout: Int32)
    func flush(limit: Int32) -> Bool
    func takeDeliveries() -> DeliveryCount
    var fatalError: KafkaError? { get }
}

/// ``TransactionalProducer``.
package protocol TransactionProducer: RecordProducer {
    func initialize(limit: Int32) throws(KafkaError)
    func begin() throws(KafkaError)
    func send(_ offsets: [PartitionOffset], of place: any GroupPlace, limit: Int32) throws(KafkaError)
    func commit(limit: Int32) throws(KafkaError)
    func abort(limit: Int32) throws(KafkaError)
}

/// ``LogReader``.
package protocol PartitionReader: AnyObject {
    func read(
        timeout: Int32, _ body: (_ key: RawSpan?, _ value: RawSpan?, _ offset: Int64) -> Void
    ) throws(KafkaError) -> LogReader.Outcome
    func watermarks(limit: Int32) throws(KafkaError) -> Watermarks
}

/// ``Admin``, as far as a worker and the check of its topics need it.
package protocol Administrator: AnyObject, Sendable {
    func topics(limit: Int32) throws(KafkaError) -> [TopicDescription]
    func create(_ topics: [NewTopic], limit: Int32) throws(KafkaError)
    func addPartitions(to name: String, total: Int, limit: Int32) throws(KafkaError)
    func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks
    func deleteRecords(before offsets: [PartitionOffset], limit: Int32) throws(KafkaError)
    func brokers(limit: Int32) throws(KafkaError) -> [Int32]
    func configuration(ofBroker number: Int32, limit: Int32) throws(KafkaError) -> [String: String]
    func configuration(ofTopic name: String, limit: Int32) throws(KafkaError) -> [String: String]
}
