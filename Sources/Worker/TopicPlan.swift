internal import Aggregating
internal import Kafka
package import Settings

/// The topics that a worker writes, with the settings that they need.
struct TopicPlan: Sendable {
    /// The most partitions that are made for an internal topic. What stage 2 has to do is a small part of what
    /// stage 1 does, and every input partition tells its watermark to every one of them.
    static let partitionLimit = 16
    private static let hour: Int64 = 3_600_000

    var topics: [NewTopic]
    /// The names of those that nobody but the application reads.
    let internalTopics: Set<String>

    /// - Parameters:
    ///   - inputPartitions: of the input topic that has most. Each topic is made with as many partitions, at most
    ///     ``partitionLimit``; `<app>-devices` with all of them.
    ///   - partialsPartitions: what `<app>-partials` has already, or `<app>-totals`: a window has its place in both.
    init(_ options: WorkerOptions, inputPartitions: Int, partialsPartitions: Int? = nil) {
        let partitions = min(max(inputPartitions, 1), Self.partitionLimit)
        // All partitions of the input, without the limit: stage 1 is where the work is.
        let events = NewTopic(
            options.eventsTopic, partitions: max(inputPartitions, 1),
            configuration: ["cleanup.policy": "delete", "retention.ms": String(Self.eventsRetention)])
        internalTopics = [options.eventsTopic, options.partialsTopic, options.devicesTopic, options.totalsTopic]
        topics =
            (options.isKeyed ? [] : [events]) + [
                NewTopic(
                    options.partialsTopic, partitions: partialsPartitions ?? partitions,
                    configuration: ["cleanup.policy": "delete", "retention.ms": String(Self.retention(options))]),
                NewTopic(
                    options.devicesTopic, partitions: max(inputPartitions, 1),
                    configuration: [
                        "cleanup.policy": "delete", "retention.ms": String(Self.checkpointRetention(options)),
                        "segment.bytes": String(Self.checkpointSegment),
                    ]),
                NewTopic(
                    options.totalsTopic, partitions: partialsPartitions ?? partitions,
                    configuration: ["cleanup.policy": "compact", "segment.bytes": String(Self.checkpointSegment)]),
                // One key is one window and group: the newest revision stays.
                NewTopic(options.outputTopic, partitions: partitions, configuration: ["cleanup.policy": "compact"]),
                NewTopic(
                    options.deadLetterTopic, partitions: partitions,
                    configuration: [
                        "cleanup.policy": "delete",
                        "max.message.bytes": String(options.largestRecord),
                    ]),
            ]
    }

    /// Events are needed until stage 1 has folded them: as long as a worker may be down.
    private static let eventsRetention = 7 * 24 * hour

    /// What is behind the last pass is deleted whole segments at a time: small ones are freed soon.
    private static let checkpointSegment = 64 << 20

    /// A state is needed until the pass after next has written it, and as long as a worker may be down: a week.
    static func checkpointRetention(_ options: WorkerOptions) -> Int64 {
        max(7 * 24 * hour, 4 * Int64(options.checkpointPass) * Int64(options.commitInterval))
    }

    /// A partial is needed until its window is final: its size, the grace, and a day for a worker that is down.
    static func retention(_ options: WorkerOptions) -> Int64 {
        (options.totals.windows.sizes.max() ?? 0) + options.totals.windows.grace + 24 * hour
    }
}

/// Something about the topics that is not as a worker needs it.
package struct TopicFinding: Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// An input topic is not there: the worker waits for it.
        case missingInput
        /// A topic that the worker writes is not there: the worker makes it where `topics.create` is true.
        case missing
        /// A topic has another setting than the worker needs.
        case unsuitable
    }

    package var topic: String
    package var kind: Kind
    /// One line with the remedy.
    package var description: String
}

/// Looks at the topics of a configuration, and makes those that are missing.
package final class TopicKeeper: Sendable {
    private let options: WorkerOptions
    private let admin: any Administrator
    private static let limit: Int32 = 10_000

    package convenience init(_ settings: Settings) throws(WorkerFailure) {
        do {
            try self.init(WorkerOptions(settings), KafkaCluster(), observer: nil)
        } catch {
            throw WorkerFailure(error)
        }
    }

    init(
        _ options: WorkerOptions, _ cluster: any Cluster, observer: (any ClientObserver)?
    ) throws(KafkaError) {
        self.options = options
        admin = try cluster.administrator(options.admin, observer: observer)
    }

    /// Makes what is missing of the internal and output topics.
    /// - Returns: the names of those that were made.
    package func create() throws(WorkerFailure) -> [String] {
        do {
            return try createMissing(among: admin.topics(limit: Self.limit))
        } catch {
            throw WorkerFailure(error)
        }
    }

    /// What is not as it should be, in words with a remedy.
    package func check() throws(WorkerFailure) -> [TopicFinding] {
        do {
            let known = try admin.topics(limit: Self.limit)
            var findings = missingInputs(among: known).map { name in
                TopicFinding(
                    topic: name, kind: .missingInput,
                    description: "the input topic \(name) is missing: create it, or correct input.topic")
            }
            for wanted in plan(among: known).topics {
                guard known.contains(where: { $0.name == wanted.name }) else {
                    findings.append(missing(wanted.name))
                    continue
                }
                findings += try compare(wanted, known)
            }
            return findings + (try checkTransactions())
        } catch {
            throw WorkerFailure(error)
        }
    }

    private func missing(_ name: String) -> TopicFinding {
        TopicFinding(
            topic: name, kind: .missing,
            description: "the topic \(name) is missing: run phasefold topics create, or set topics.create=true")
    }

    private func compare(_ wanted: NewTopic, _ known: [TopicDescription]) throws(KafkaError) -> [TopicFinding] {
        let found = try admin.configuration(ofTopic: wanted.name, limit: Self.limit)
        let replicas = known.first { $0.name == wanted.name }?.replicas ?? 1
        return Self.insync(wanted.name, Int(found["min.insync.replicas"] ?? "") ?? 1, replicas: replicas)
            + compare(wanted, found)
    }

    /// What is acknowledged must outlive a broker, and must be possible to acknowledge.
    static func insync(_ topic: String, _ least: Int, replicas: Int) -> [TopicFinding] {
        if least > replicas {
            return [
                TopicFinding(
                    topic: topic, kind: .unsuitable,
                    description: "the topic \(topic) has min.insync.replicas=\(least) and \(replicas) replicas: no "
                        + "record can be written; lower the one or add the other")
            ]
        }
        guard replicas > 2, least < 2 else { return [] }
        return [
            TopicFinding(
                topic: topic, kind: .unsuitable,
                description: "the topic \(topic) has min.insync.replicas=\(least) of \(replicas) replicas: what one "
                    + "broker alone has acknowledged is lost with it; set it to 2")
        ]
    }

    /// What the brokers allow of transactions, where they tell.
    private func checkTransactions() throws(KafkaError) -> [TopicFinding] {
        guard options.guarantee == .exactlyOnce else { return [] }
        let brokers = try admin.brokers(limit: Self.limit)
        guard let broker = brokers.first else { return [] }
        let found: [String: String]
        do throws(KafkaError) {
            found = try admin.configuration(ofBroker: broker, limit: Self.limit)
        } catch {
            // Not everybody may ask for it.
            if error.domain == .authorization { return [] }
            throw error
        }
        return Self.transactions(found, brokers: brokers.count, timeout: options.transactionTimeout)
    }

    /// - Parameters:
    ///   - configuration: of a broker.
    ///   - brokers: how many there are.
    ///   - timeout: `transaction.timeout`, ms.
    static func transactions(_ configuration: [String: String], brokers: Int, timeout: Int) -> [TopicFinding] {
        let state = "__transaction_state"
        var lines: [String] = []
        if let most = configuration["transaction.max.timeout.ms"].flatMap(Int.init), most < timeout {
            lines.append(
                "the brokers have transaction.max.timeout.ms=\(most), less than transaction.timeout: lower that to "
                    + "\(most)ms")
        }
        for name in ["transaction.state.log.replication.factor", "transaction.state.log.min.isr"] {
            if let wanted = configuration[name].flatMap(Int.init), wanted > brokers {
                lines.append(
                    "the brokers have \(name)=\(wanted) and are \(brokers): no transaction can begin; lower it, or set "
                        + "delivery.guarantee=at_least_once")
            }
        }
        return lines.map { TopicFinding(topic: state, kind: .unsuitable, description: $0) }
    }

    private func compare(_ wanted: NewTopic, _ found: [String: String]) -> [TopicFinding] {
        wanted.configuration.sorted { $0.key < $1.key }.compactMap { name, value in
            guard let actual = found[name], !Self.suffices(name, actual, value) else { return nil }
            return TopicFinding(
                topic: wanted.name, kind: .unsuitable,
                description: "the topic \(wanted.name) has \(name)=\(actual): set it to \(value)")
        }
    }

    private static func suffices(_ name: String, _ actual: String, _ wanted: String) -> Bool {
        if name == "cleanup.policy" { return actual.split(separator: ",").contains(Substring(wanted)) }
        guard let actual = Int64(actual), let wanted = Int64(wanted) else { return actual == wanted }
        return actual < 0 || actual >= wanted
    }

    // MARK: For the worker

    func topics() throws(KafkaError) -> [TopicDescription] {
        try admin.topics(limit: Self.limit)
    }

    func missingInputs(among known: [TopicDescription]) -> [String] {
        options.inputTopics.filter { name in !known.contains { $0.name == name } }
    }

    func inputPartitions(of known: [TopicDescription]) -> Int {
        known.filter { options.inputTopics.contains($0.name) }.map(\.partitions).max() ?? 1
    }

    private func plan(among known: [TopicDescription]) -> TopicPlan {
        let names = [options.partialsTopic, options.totalsTopic]
        let partitions = names.compactMap { name in known.first { $0.name == name }?.partitions }.first
        return TopicPlan(options, inputPartitions: inputPartitions(of: known), partialsPartitions: partitions)
    }

    func createMissing(among known: [TopicDescription]) throws(KafkaError) -> [String] {
        let missing = plan(among: known).topics.filter { wanted in !known.contains { $0.name == wanted.name } }
        try admin.create(missing, limit: Self.limit)
        return missing.map(\.name)
    }

    /// `<app>-devices` has a partition for each of the input: where that was given more, so is this.
    /// - Returns: the topics as they are then; brokers may take a while to tell of it.
    func followInput(among known: [TopicDescription]) throws(KafkaError) -> [TopicDescription] {
        guard options.createsTopics,
            let wanted = plan(among: known).topics.first(where: { $0.name == options.devicesTopic }),
            let there = known.firstIndex(where: { $0.name == wanted.name }),
            known[there].partitions < wanted.partitions
        else { return known }
        do throws(KafkaError) {
            try admin.addPartitions(to: wanted.name, total: wanted.partitions, limit: Self.limit)
        } catch {
            // Another worker was first.
            if error.name != "INVALID_PARTITIONS" { throw error }
        }
        var known = known
        known[there].partitions = wanted.partitions
        return known
    }

    func missingOutputs(among known: [TopicDescription]) -> [String] {
        TopicPlan(options, inputPartitions: 1).topics.map(\.name)
            .filter { name in !known.contains { $0.name == name } }
    }
}
