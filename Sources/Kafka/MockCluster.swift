internal import CRDKafka

/// A Kafka cluster within the process: for the demo and for tests of error paths.
///
/// Limits of the library's 2.0.2: it keeps at most 5 MiB or 100 000 batches of a partition and drops the oldest,
/// answers transaction calls without implementing them, and knows no administration requests.
@safe package struct MockCluster: ~Copyable, @unchecked Sendable {
    private let client: Client
    private let pointer: OpaquePointer
    private let brokers: Int

    /// What one partition keeps before it drops the oldest batches, in bytes.
    package static let partitionLimit = 5 << 20

    /// Kinds of request whose answers can be made to fail.
    package enum Request: Int16, Sendable {
        case produce = 0
        case fetch = 1
        case listOffsets = 2
        case metadata = 3
        case offsetCommit = 8
        case offsetFetch = 9
        case findCoordinator = 10
        case joinGroup = 11
        case heartbeat = 12
        case syncGroup = 14
        case initProducerID = 22
        case addPartitionsToTransaction = 24
        case addOffsetsToTransaction = 25
        case endTransaction = 26
        case transactionalOffsetCommit = 28
    }

    /// Failures of a broker that tests ask for.
    package enum Fault: Sendable {
        /// The connection breaks.
        case disconnect
        case coordinatorNotAvailable
        case notLeader
        case requestTimedOut
        case notEnoughReplicas
        case topicAuthorizationFailed
        case messageTooLarge
        case producerFenced
        case invalidProducerEpoch
        case concurrentTransactions
        case illegalGeneration
        case coordinatorLoadInProgress
        case throttled

        var code: rd_kafka_resp_err_t {
            switch self {
            case .disconnect: RD_KAFKA_RESP_ERR__TRANSPORT
            case .coordinatorNotAvailable: RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE
            case .notLeader: RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION
            case .requestTimedOut: RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT
            case .notEnoughReplicas: RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS
            case .topicAuthorizationFailed: RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
            case .messageTooLarge: RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
            case .producerFenced: RD_KAFKA_RESP_ERR_PRODUCER_FENCED
            case .invalidProducerEpoch: RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH
            case .concurrentTransactions: RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS
            case .illegalGeneration: RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION
            case .coordinatorLoadInProgress: RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS
            case .throttled: RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED
            }
        }
    }

    /// - Parameter brokers: 1 to 9.
    package init(brokers: Int = 1, observer: (any ClientObserver)? = nil) throws(KafkaError) {
        precondition((1...9).contains(brokers), "a mock cluster has 1 to 9 brokers")
        let client = try Client(.admin, [:], observer: observer)
        guard let made = unsafe rd_kafka_mock_cluster_new(client.pointer, Int32(brokers)) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, "start the embedded cluster")
        }
        unsafe pointer = unsafe made
        self.client = client
        self.brokers = brokers
    }

    deinit {
        unsafe rd_kafka_mock_cluster_destroy(pointer)
    }

    /// Addresses for `bootstrap.servers`.
    package var bootstrapServers: String { unsafe String(cString: rd_kafka_mock_cluster_bootstraps(pointer)) }

    package func createTopic(_ name: String, partitions: Int) throws(KafkaError) {
        let code = unsafe rd_kafka_mock_topic_create(pointer, name, Int32(partitions), Int32(min(brokers, 3)))
        try KafkaError.check(code, "create topic \(name)")
    }

    /// The next requests of one kind fail, in this order, each once.
    package func fail(_ request: Request, with faults: [Fault]) {
        let codes = faults.map(\.code)
        unsafe codes.withUnsafeBufferPointer { buffer in
            unsafe rd_kafka_mock_push_request_errors_array(
                pointer, request.rawValue, buffer.count, buffer.baseAddress)
        }
    }

    package func clearFaults(of request: Request) {
        unsafe rd_kafka_mock_clear_request_errors(pointer, request.rawValue)
    }

    /// Delays every answer by `milliseconds`.
    package func setRoundTrip(milliseconds: Int) throws(KafkaError) {
        try KafkaError.check(
            unsafe rd_kafka_mock_broker_set_rtt(pointer, -1, Int32(milliseconds)), "delay the embedded cluster")
    }

    /// Breaks all connections and takes no new ones until it is up again.
    package func setDown(_ down: Bool) throws(KafkaError) {
        let code =
            unsafe down ? rd_kafka_mock_broker_set_down(pointer, -1) : rd_kafka_mock_broker_set_up(pointer, -1)
        try KafkaError.check(code, down ? "stop the embedded cluster" : "start the embedded cluster")
    }

    /// Moves a partition to another broker (1 to the number of brokers).
    package func setLeader(_ partition: TopicPartition, broker: Int32) throws(KafkaError) {
        try KafkaError.check(
            unsafe rd_kafka_mock_partition_set_leader(pointer, partition.topic, partition.partition, broker),
            "move \(partition)")
    }
}
