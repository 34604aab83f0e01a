package import Kafka
internal import Synchronization

/// A cluster that the library's clients reach; which one is in their properties.
///
/// A client of a worker owns the one of ``Kafka`` that does the work, and nothing else.
package struct KafkaCluster: Cluster {
    package init() {}

    package func member(
        of group: String, _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any GroupMember {
        KafkaMember(try Consumer(group: group, properties, observer: observer))
    }

    package func producer(
        _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any RecordProducer {
        KafkaProducer(try Producer(properties, observer: observer))
    }

    package func transactionProducer(
        _ properties: [String: String], identity: String, timeout: Int, observer: (any ClientObserver)?
    ) throws(KafkaError) -> any TransactionProducer {
        KafkaTransactionProducer(
            try TransactionalProducer(properties, identity: identity, timeout: timeout, observer: observer))
    }

    package func reader(
        of partition: TopicPartition, _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any PartitionReader {
        try reader(of: partition, from: .beginning, properties, observer: observer)
    }

    package func reader(
        of partition: TopicPartition, from start: StartOffset, _ properties: [String: String],
        observer: (any ClientObserver)?
    ) throws(KafkaError) -> any PartitionReader {
        KafkaReader(try LogReader(partition, from: start, properties, observer: observer))
    }

    package func administrator(
        _ properties: [String: String], observer: (any ClientObserver)?
    ) throws(KafkaError) -> any Administrator {
        KafkaAdministrator(try Admin(properties, observer: observer))
    }
}

// MARK: The group

private final class KafkaMember: GroupMember, RebalanceHandler {
    private let consumer: Consumer
    private let handler = Mutex(WeakHandler())

    private struct WeakHandler {
        weak var value: (any AssignmentHandler)?
    }

    init(_ consumer: consuming Consumer) {
        self.consumer = consumer
    }

    func subscribe(_ topics: [String], handler: any AssignmentHandler) throws(KafkaError) {
        self.handler.withLock { $0.value = handler }
        try consumer.subscribe(topics, handler: self)
    }

    func poll(timeout: Int32) -> KafkaError? { consumer.poll(timeout: timeout) }

    func commit(_ offsets: [PartitionOffset]) throws(KafkaError) { try consumer.commit(offsets) }

    func committed(_ partitions: [TopicPartition], limit: Int32) throws(KafkaError) -> [PartitionOffset] {
        try consumer.committed(partitions, limit: limit)
    }

    func seek(_ partition: TopicPartition, to start: StartOffset, limit: Int32) throws(KafkaError) {
        try consumer.seek(partition, to: start, limit: limit)
    }

    func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks {
        try consumer.watermarks(of: partition, limit: limit)
    }

    func cachedWatermarks(of partition: TopicPartition) -> Watermarks? { consumer.cachedWatermarks(of: partition) }

    var memberID: String { consumer.memberID }

    func place() throws(KafkaError) -> any GroupPlace { KafkaPlace(try consumer.groupMetadata()) }

    func members(limit: Int32) throws(KafkaError) -> GroupMembers { try consumer.members(limit: limit) }

    func close() throws(KafkaError) { try consumer.close() }

    // MARK: RebalanceHandler

    private var asked: (any AssignmentHandler)? { handler.withLock { $0.value } }

    func start(_ partitions: [TopicPartition]) -> [StartOffset] {
        asked?.start(partitions) ?? partitions.map { _ in .committed }
    }

    func begin(_ partition: TopicPartition, queue: consuming PartitionQueue) {
        asked?.begin(partition, feed: KafkaFeed(queue))
    }

    func assigned(_ partitions: [TopicPartition]) { asked?.assigned(partitions) }

    func end(_ partitions: [TopicPartition], lost: Bool) { asked?.end(partitions, lost: lost) }

    func failed(_ error: KafkaError) { asked?.failed(error) }
}

private final class KafkaPlace: GroupPlace {
    let metadata: GroupMetadata

    init(_ metadata: consuming GroupMetadata) {
        self.metadata = metadata
    }
}

/// Used as ``PartitionQueue`` may be: by one thread at a time.
private final class KafkaFeed: PartitionFeed, @unchecked Sendable {
    private var queue: PartitionQueue

    init(_ queue: consuming PartitionQueue) {
        self.queue = queue
    }

    func wake(on serial: any SerialQueue, _ handler: @escaping @Sendable () -> Void) throws(KafkaError) {
        guard let serial = serial as? SystemQueue else {
            preconditionFailure("the library wakes queues of the system alone")
        }
        try queue.wake(on: serial.queue, handler)
    }

    var isEmpty: Bool { queue.isEmpty }

    func drain(limit: Int, into sink: any PartitionSink) { queue.drain(limit: limit, into: sink) }
}

// MARK: Producers

private final class KafkaProducer: RecordProducer {
    private let producer: Producer

    init(_ producer: consuming Producer) {
        self.producer = producer
    }

    func expect(_ topics: [String]) { producer.expect(topics) }

    func produce(
        topic: String, partition: Int32?, key: RawSpan?, value: RawSpan?, headers: [RecordHeader]
    ) throws(KafkaError) -> ProduceResult {
        try producer.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
    }

    func poll(timeout: Int32) { producer.poll(timeout: timeout) }

    func flush(limit: Int32) -> Bool { producer.flush(limit: limit) }

    func takeDeliveries() -> DeliveryCount { producer.takeDeliveries() }

    var fatalError: KafkaError? { producer.fatalError }
}

private final class KafkaTransactionProducer: TransactionProducer {
    private let producer: TransactionalProducer

    init(_ producer: consuming TransactionalProducer) {
        self.producer = producer
    }

    func expect(_ topics: [String]) { producer.producer.expect(topics) }

    func produce(
        topic: String, partition: Int32?, key: RawSpan?, value: RawSpan?, headers: [RecordHeader]
    ) throws(KafkaError) -> ProduceResult {
        try producer.producer.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
    }

    func poll(timeout: Int32) { producer.producer.poll(timeout: timeout) }

    func flush(limit: Int32) -> Bool { producer.producer.flush(limit: limit) }

    func takeDeliveries() -> DeliveryCount { producer.producer.takeDeliveries() }

    var fatalError: KafkaError? { producer.producer.fatalError }

    func initialize(limit: Int32) throws(KafkaError) { try producer.initialize(limit: limit) }

    func begin() throws(KafkaError) { try producer.begin() }

    func send(_ offsets: [PartitionOffset], of place: any GroupPlace, limit: Int32) throws(KafkaError) {
        guard let place = place as? KafkaPlace else {
            preconditionFailure("a place in a group of another cluster")
        }
        try producer.send(offsets, of: place.metadata, limit: limit)
    }

    func commit(limit: Int32) throws(KafkaError) { try producer.commit(limit: limit) }

    func abort(limit: Int32) throws(KafkaError) { try producer.abort(limit: limit) }
}

// MARK: Reading, and administration

private final class KafkaReader: PartitionReader {
    private let reader: LogReader

    init(_ reader: consuming LogReader) {
        self.reader = reader
    }

    func read(
        timeout: Int32, _ body: (_ key: RawSpan?, _ value: RawSpan?, _ offset: Int64) -> Void
    ) throws(KafkaError) -> LogReader.Outcome {
        try reader.read(timeout: timeout, body)
    }

    func watermarks(limit: Int32) throws(KafkaError) -> Watermarks { try reader.watermarks(limit: limit) }
}

private final class KafkaAdministrator: Administrator {
    private let admin: Admin

    init(_ admin: consuming Admin) {
        self.admin = admin
    }

    func topics(limit: Int32) throws(KafkaError) -> [TopicDescription] { try admin.topics(limit: limit) }

    func create(_ topics: [NewTopic], limit: Int32) throws(KafkaError) { try admin.create(topics, limit: limit) }

    func addPartitions(to name: String, total: Int, limit: Int32) throws(KafkaError) {
        try admin.addPartitions(to: name, total: total, limit: limit)
    }

    func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks {
        try admin.watermarks(of: partition, limit: limit)
    }

    func deleteRecords(before offsets: [PartitionOffset], limit: Int32) throws(KafkaError) {
        try admin.deleteRecords(before: offsets, limit: limit)
    }

    func brokers(limit: Int32) throws(KafkaError) -> [Int32] { try admin.brokers(limit: limit) }

    func configuration(ofBroker number: Int32, limit: Int32) throws(KafkaError) -> [String: String] {
        try admin.configuration(ofBroker: number, limit: limit)
    }

    func configuration(ofTopic name: String, limit: Int32) throws(KafkaError) -> [String: String] {
        try admin.configuration(ofTopic: name, limit: limit)
    }
}
