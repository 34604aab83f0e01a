internal import Aggregating
internal import Kafka
internal import Lifecycle
internal import Metering
internal import Settings
internal import Synchronization

/// The worker's membership in its group.
final class Membership: GroupOffsets {
    let consumer: any GroupMember
    private let group: String
    private let assignment = Atomic(false)

    /// Whether the group has said which partitions this member has, be it none.
    var isAssigned: Bool {
        get { assignment.load(ordering: .relaxed) }
        set { assignment.store(newValue, ordering: .relaxed) }
    }

    init(_ options: WorkerOptions, _ consumer: any GroupMember) {
        group = options.applicationID
        self.consumer = consumer
    }

    func commit(_ offsets: [PartitionOffset]) throws(KafkaError) {
        try consumer.commit(offsets)
    }

    func committed(_ partitions: [TopicPartition], limit: Int32) throws(KafkaError) -> [PartitionOffset] {
        try consumer.committed(partitions, limit: limit)
    }

    func place() throws(KafkaError) -> any GroupPlace {
        let place = try consumer.place()
        // Of a member that the group has put out the place may be nobody's, and offsets of nobody are refused by no
        // broker.
        _ = try memberID()
        return place
    }

    /// Where the group has put the member out and it has a name again, it has let all its leases go before it got it.
    func memberID() throws(KafkaError) -> String {
        let name = consumer.memberID
        if name.isEmpty { throw .stranger(to: group) }
        return name
    }
}

/// Makes tasks of the partitions that the group gives, and ends those that it takes.
final class Rebalancer: AssignmentHandler {
    private let options: WorkerOptions
    private let platform: Platform
    private let lanes: RestoreLanes
    private let membership: Membership
    private let committer: Committer
    private let sources: Sources
    private let alignment: Alignment
    private let predecessors: Predecessors
    private let trimmer: CheckpointTrimmer
    private let standbys: Standbys
    private let observer: any ClientObserver
    private let metrics: Metrics
    private let log: Log
    private let isStopping: @Sendable () -> Bool
    private let starts = Mutex<[TopicPartition: Start]>([:])
    private static let limit: Int32 = 5000

    /// Where a partition begins.
    private struct Start {
        var committed: PartitionOffset
        /// The end of the partition when it was given; of partials only.
        var end: Int64
    }

    init(
        _ options: WorkerOptions, _ platform: Platform, membership: Membership, committer: Committer, sources: Sources,
        alignment: Alignment, trimmer: CheckpointTrimmer, standbys: Standbys, observer: any ClientObserver,
        metrics: Metrics, log: Log, isStopping: @escaping @Sendable () -> Bool
    ) {
        self.options = options
        self.platform = platform
        lanes = RestoreLanes(platform.scheduler)
        self.membership = membership
        self.committer = committer
        self.sources = sources
        self.alignment = alignment
        predecessors = Predecessors(options, platform, membership: membership, observer: observer, log: log)
        self.trimmer = trimmer
        self.standbys = standbys
        self.observer = observer
        self.metrics = metrics
        self.log = log
        self.isStopping = isStopping
    }

    private func isPartials(_ partition: TopicPartition) -> Bool { partition.topic == options.partialsTopic }

    func start(_ partitions: [TopicPartition]) -> [StartOffset] {
        // Partitions that were added make a rebalance, too.
        if !partitions.isEmpty { sources.refresh() }
        predecessors.end(partitions)
        let found = readStarts(partitions)
        starts.withLock { $0 = found }
        return partitions.map { partition in
            if let offset = found[partition]?.committed.offset { return .at(offset) }
            if found[partition] == nil { return .committed }
            // Partials and events are read from their beginning whatever auto.offset.reset says of the input.
            let isInput = options.inputTopics.contains(partition.topic)
            return isInput && options.beginsAtEnd ? .end : .beginning
        }
    }

    /// Asks until the cluster answers: to begin without the horizon would publish windows over again.
    private func readStarts(_ partitions: [TopicPartition]) -> [TopicPartition: Start] {
        while !partitions.isEmpty, !isStopping() {
            do throws(KafkaError) {
                var found: [TopicPartition: Start] = [:]
                for committed in try membership.consumer.committed(partitions, limit: Self.limit) {
                    let partition = committed.partition
                    let end = isPartials(partition) ? try end(of: partition) : 0
                    found[partition] = Start(committed: committed, end: end)
                }
                return found
            } catch {
                log.warning("group", "committed offsets cannot be read yet", ["error": .text(error.description)])
                platform.scheduler.sleep(milliseconds: 200)
            }
        }
        return [:]
    }

    /// That of a topic which was deleted after it had been given out is none: whoever polls must go on, and see to it.
    private func end(of partition: TopicPartition) throws(KafkaError) -> Int64 {
        do throws(KafkaError) {
            return try membership.consumer.watermarks(of: partition, limit: Self.limit).high
        } catch {
            if error.domain == .topic { return 0 }
            throw error
        }
    }

    func begin(_ partition: TopicPartition, feed: any PartitionFeed) {
        let start = starts.withLock { $0[partition] }
        guard let start else { return }
        let lease = Lease()
        let gauge = PositionGauge()
        let position = ReadPosition(
            partition, from: start.committed.offset,
            ends: { [membership] in membership.consumer.cachedWatermarks(of: partition) }, gauge: gauge,
            metrics: metrics, log: log, scheduler: platform.scheduler)
        let stage = options.stage(of: partition.topic)
        let work: any PartitionWork =
            switch stage {
            case .total:
                TotalWork(
                    partition, lease: lease, start: start.committed, end: start.end, sources: sources.known,
                    settings: options.totals, checkpoint: totals(of: partition), metrics: metrics, position: position,
                    scheduler: platform.scheduler)
            case .fold:
                FoldWork(
                    partition, lease: lease, start: start.committed, checkpoint: checkpoint(of: partition, start),
                    inputs: sources.inputs, options: options, metrics: metrics, tally: committer.tally,
                    splits: committer.splits, position: position, scheduler: platform.scheduler)
            case .rekey:
                RekeyWork(
                    partition, lease: lease, start: start.committed, partitions: sources.count(options.eventsTopic),
                    alignment: alignment, options: options, metrics: metrics, tally: committer.tally,
                    position: position, scheduler: platform.scheduler)
            }
        let task = PartitionTask(
            partition, stage, lease: lease, feed: feed, scheduler: platform.scheduler, work: work, position: gauge,
            inbox: committer.inbox, isFull: { [weak committer] in committer?.closeSoon() })
        committer.add(task)
        task.start(restoringOn: lanes) { [weak self] error in self?.failed(error) }
    }

    /// Where the totals of a partition of the partials are written, and read back.
    private func totals(of partition: TopicPartition) -> TotalCheckpoint {
        let place = TopicPartition(options.totalsTopic, partition.partition)
        let isThere = sources.count(options.totalsTopic) > Int(partition.partition)
        let restorer = Restorer(
            options: options, platform: platform, place: place, source: partition, observer: observer,
            metrics: metrics, log: log)
        return TotalCheckpoint(
            place: place, restorer: restorer, keepsTotals: options.guarantee == .exactlyOnce && isThere
        ) { [membership, log, isStopping, scheduler = platform.scheduler] lease in
            while lease.isHeld, !isStopping() {
                do throws(KafkaError) {
                    try membership.consumer.seek(partition, to: .beginning, limit: Self.limit)
                    return try membership.consumer.watermarks(of: partition, limit: Self.limit).high
                } catch {
                    log.warning("restore", "partials cannot be read again yet", ["error": .text(error.description)])
                    scheduler.sleep(milliseconds: 200)
                }
            }
            return Int64.max
        }
    }

    /// Where the states of an input partition are written, and read back.
    private func checkpoint(of partition: TopicPartition, _ start: Start) -> FoldCheckpoint {
        let count = sources.count(options.devicesTopic)
        let place = sources.checkpointPlace(of: partition)
        let isShared = options.foldTopics.count > 1 || sources.count(partition.topic) > count
        let restorer = Restorer(
            options: options, platform: platform, place: place, source: partition, observer: observer,
            metrics: metrics, log: log)
        let standby = CommitNote(start.committed.metadata)?.mark.flatMap { standbys.take(partition, target: $0) }
        return FoldCheckpoint(
            place: place, restorer: restorer, trimmer: isShared ? nil : trimmer, standby: standby)
    }

    func assigned(_ partitions: [TopicPartition]) {
        metrics.counter(\.rebalances, "assigned").add()
        membership.isAssigned = true
        standbys.settle()
        count()
        log.info("group", "partitions assigned", ["partitions": .text(list(partitions))])
    }

    func end(_ partitions: [TopicPartition], lost: Bool) {
        metrics.counter(\.rebalances, lost ? "lost" : "revoked").add()
        let budget = isStopping() ? options.shutdownTimeout * 3 / 4 : options.revokeBudget
        let isDelivered = committer.retire(partitions, isLost: lost, budget: budget) { [standbys, isStopping] task in
            // An eager assignor takes everything, and mostly gives it back at once.
            if !isStopping(), let states = task.handOver() { standbys.keep(task.partition, states) }
        }
        partitions.forEach { metrics.giveUp($0) }
        partitions.forEach { alignment.leave($0) }
        if committer.activeTasks.isEmpty { membership.isAssigned = false }
        count()
        log.info("group", lost ? "partitions lost" : "partitions revoked", ["partitions": .text(list(partitions))])
        if !isDelivered {
            log.warning(
                "group", "the last commit did not end in time: its records are read again",
                ["budget_ms": .integer(budget)])
        }
    }

    func failed(_ error: KafkaError) {
        metrics.counter(\.kafkaErrors, error.name).add()
        log.error("group", "rebalance failed", ["error": .text(error.description)])
    }

    private func count() {
        let tasks = committer.activeTasks
        for stage in Stage.allCases { metrics.gauge(\.tasks, stage.rawValue).set(tasks.count { $0.stage == stage }) }
    }

    private func list(_ partitions: [TopicPartition]) -> String {
        partitions.sorted().map(\.description).joined(separator: " ")
    }
}

/// All partitions of the input topics: what windows wait for.
final class Sources: Sendable {
    private let options: WorkerOptions
    private let keeper: TopicKeeper
    private let log: Log
    private let current: Mutex<[TopicDescription]>

    init(_ options: WorkerOptions, _ topics: [TopicDescription], keeper: TopicKeeper, log: Log) {
        self.options = options
        self.keeper = keeper
        self.log = log
        current = Mutex(topics)
    }

    /// What stage 1 folds.
    var known: [SourcePartition] {
        let topics = current.withLock { $0 }
        return topics.filter { options.foldTopics.contains($0.name) }.flatMap { topic in
            (0..<topic.partitions).map { SourcePartition(topic: topic.name, partition: Int32($0)) }
        }
    }

    /// All partitions of the input topics, whoever reads them.
    var inputs: [TopicPartition] {
        let topics = current.withLock { $0 }
        return topics.filter { options.inputTopics.contains($0.name) }.flatMap { topic in
            (0..<topic.partitions).map { TopicPartition(topic.name, Int32($0)) }
        }
    }

    /// The partitions of one topic; at least 1.
    func count(_ topic: String) -> Int {
        current.withLock { topics in topics.first { $0.name == topic }?.partitions ?? 1 }
    }

    /// The partition of the devices' checkpoint where the states of an input partition stand.
    func checkpointPlace(of partition: TopicPartition) -> TopicPartition {
        let topic = options.devicesTopic
        return TopicPartition(topic, partition.partition % Int32(clamping: count(topic)))
    }

    /// Asks the cluster again; keeps what is known where it does not answer.
    func refresh() {
        do throws(KafkaError) {
            let found = try keeper.followInput(among: keeper.topics())
            current.withLock { known in
                // One that is not told of just now is still there.
                known = found + known.filter { topic in !found.contains { $0.name == topic.name } }
            }
        } catch {
            log.warning("topics", "the input's partitions cannot be read", ["error": .text(error.description)])
        }
    }
}
