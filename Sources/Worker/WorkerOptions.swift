internal import Aggregating
internal import Engine
internal import Glibc
internal import Settings

/// What a worker needs of the configuration.
struct WorkerOptions: Sendable {
    var applicationID: String
    var inputTopics: [String]
    /// Whether the records of one device are in one partition of the input; else stage 0 sees to that.
    var isKeyed: Bool
    var eventsTopic: String
    /// Bytes of packed events that all input partitions together may be ahead of the slowest.
    var mergeMemory: Int
    var partialsTopic: String
    var devicesTopic: String
    var totalsTopic: String
    var outputTopic: String
    var deadLetterTopic: String
    var createsTopics: Bool
    /// ms, as all spans below.
    var commitInterval: Int
    var revokeBudget: Int
    var shutdownTimeout: Int
    var idleTimeout: Int64
    /// Commits in which every device's state is written once to the checkpoint.
    var checkpointPass: Int
    /// Workers that keep the states of a partition beside the one that folds it.
    var standbyReplicas: Int
    /// Bytes of the states that are kept so.
    var standbyMemory: Int
    /// More than this part unreadable over a minute: not ready.
    var deadLetterRatio: Double
    var guarantee: DeliveryGuarantee
    var transactionTimeout: Int
    /// Under which it is tried at start whether transactions can be had.
    var transactionalID: String
    /// Bytes of the largest record that is written.
    var largestRecord: Int
    var engine: EngineSettings
    var totals: AggregateSettings
    var consumer: [String: String]
    /// A partition of which the group has committed nothing begins with the next record to come: what
    /// `kafka.auto.offset.reset` says. Records that are gone are another matter: see ``ReadPosition``.
    var beginsAtEnd: Bool
    var producer: [String: String]
    /// Those of the producer of transactions.
    var transactional: [String: String]
    /// The client of transactions sends no request a second time before so many ms are over.
    var retryBackoff: Int
    var admin: [String: String]
    /// Stands in dead letters: `worker.name`, else `host:pid`.
    var name: String

    /// - Parameter incarnation: tells one run of a nameless worker from another: containers may share host name and
    ///   process number.
    init(_ settings: Settings, incarnation: UInt64 = 0) {
        applicationID = settings.applicationID
        inputTopics = Array(Set(settings.inputTopics)).sorted()
        isKeyed = settings.inputKeyed
        eventsTopic = settings.eventsTopic
        mergeMemory = settings.mergeMemory
        partialsTopic = settings.partialsTopic
        devicesTopic = settings.devicesTopic
        totalsTopic = settings.totalsTopic
        outputTopic = settings.outputTopic
        deadLetterTopic = settings.deadLetterTopic
        createsTopics = settings.topicsCreate
        commitInterval = Int(settings.commitInterval)
        revokeBudget = Int(settings.revokeBudget)
        shutdownTimeout = Int(settings.shutdownTimeout)
        idleTimeout = settings.idleTimeout
        checkpointPass = settings.checkpointPass
        standbyReplicas = settings.standbyReplicas
        standbyMemory = settings.standbyMemory
        deadLetterRatio = settings.dlqMaxRatio
        engine = EngineSettings(settings)
        totals = AggregateSettings(settings)
        consumer = Self.properties(settings, .consumer)
        beginsAtEnd = Self.ends.contains(consumer[Self.reset] ?? "")
        // Where records are gone the library goes on at the first that is left, and the tasks notice.
        consumer[Self.reset] = "earliest"
        producer = Self.properties(settings, .producer)
        admin = Self.properties(settings, .admin)
        // Whatever could be read can be written as a dead letter, with its headers.
        largestRecord = min(settings.inputMaxRecordBytes + (1 << 20), 1_000_000_000)
        producer.merge(["message.max.bytes": String(largestRecord)]) { given, _ in given }
        name = settings.workerName ?? Self.place
        guarantee = settings.deliveryGuarantee
        if guarantee == .exactlyOnce { consumer["isolation.level"] = "read_committed" }
        transactionTimeout = Int(settings.transactionTimeout)
        transactionalID = "\(applicationID)-\(settings.workerName ?? "\(Self.place)-\(String(incarnation, radix: 36))")"
        // A transaction's time holds its requests, too.
        let requestLimit = min(max(transactionTimeout - 500, 500), 60_000)
        transactional = producer.merging(
            ["socket.timeout.ms": String(requestLimit), "retry.backoff.ms": String(Self.retryBackoff)]
        ) { given, _ in given }
        retryBackoff = transactional["retry.backoff.ms"].flatMap(Int.init) ?? Self.retryBackoff
    }

    /// The name of the transactions of one member of the group.
    func transactionalID(of member: String) -> String { "\(applicationID)-\(member)" }

    /// Properties of a reader that is told of the end of what there is after so many ms.
    func reader(endsWithin wait: Int) -> [String: String] {
        consumer.merging(["fetch.wait.max.ms": String(wait)]) { _, ours in ours }
    }

    private static let reset = "auto.offset.reset"
    /// The library's names of one thing.
    private static let ends: Set = ["latest", "largest", "end"]

    /// Longer than a transaction's calls take where nothing is amiss.
    private static let retryBackoff = 500

    /// What stage 1 reads: the source partitions that windows wait for.
    var foldTopics: [String] { isKeyed ? inputTopics : [eventsTopic] }
    /// All that a worker reads.
    var readTopics: [String] { inputTopics + (isKeyed ? [] : [eventsTopic]) + [partialsTopic] }

    /// All that a worker writes.
    var writtenTopics: [String] {
        [partialsTopic, devicesTopic, totalsTopic, outputTopic, deadLetterTopic] + (isKeyed ? [] : [eventsTopic])
    }

    func stage(of topic: String) -> Stage {
        if topic == partialsTopic { return .total }
        return foldTopics.contains(topic) ? .fold : .rekey
    }

    private static func properties(_ settings: Settings, _ side: KafkaSide) -> [String: String] {
        Dictionary(uniqueKeysWithValues: settings.kafkaProperties(of: side).map { ($0.name, $0.value) })
    }

    private static let place: String = {
        var host = [CChar](repeating: 0, count: 256)
        let status = unsafe host.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe gethostname($0, buffer.count - 1) }
        }
        let text = status == 0 ? host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } : []
        return "\(String(decoding: text, as: UTF8.self)):\(getpid())"
    }()
}
