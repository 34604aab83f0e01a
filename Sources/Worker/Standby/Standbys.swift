internal import Aggregating
internal import Checkpointing
internal import Engine
internal import Kafka
internal import Metering

/// Follows the checkpoints of partitions that other workers fold, so that taking one over needs only its tail:
/// `standby.replicas`.
///
/// All of it is touched on one queue, which reads a little of each checkpoint in turn. A partition that comes takes
/// what is kept of it along; what is kept of a partition that others are to keep is let go.
final class Standbys: @unchecked Sendable {
    private let options: WorkerOptions
    private let platform: Platform
    private let membership: Membership
    private let sources: Sources
    private let splits: SplitWatch
    private let observer: any ClientObserver
    private let metrics: Metrics
    private let log: Log
    private let queue: any SerialQueue

    // Touched on `queue` alone.
    private var kept: [TopicPartition: Standby] = [:]
    /// Those that memory is not enough for; until the group changes.
    private var refused: Set<TopicPartition> = []
    private var members: [GroupMembers.Member] = []
    private var lastLook: MonotonicTime?
    private var isStopped = false

    /// Between two looks at the group and at how far the checkpoints are, ms.
    private static let lookInterval = 2000
    /// While nothing comes, ms.
    private static let pause = 20
    /// Longest wait of one call, ms: a partition that comes waits for it.
    private static let limit: Int32 = 1000

    init(
        _ options: WorkerOptions, _ platform: Platform, membership: Membership, sources: Sources, splits: SplitWatch,
        observer: any ClientObserver, metrics: Metrics, log: Log
    ) {
        self.options = options
        self.platform = platform
        self.membership = membership
        self.sources = sources
        self.splits = splits
        self.observer = observer
        self.metrics = metrics
        self.log = log
        queue = platform.scheduler.queue("phasefold.standby", isBackground: true)
    }

    func start() {
        guard options.standbyReplicas > 0 else { return }
        queue.async { self.step() }
    }

    /// Lets all go. When it returns nothing is read any more.
    func stop() {
        queue.sync {
            isStopped = true
            for partition in Array(kept.keys) { drop(partition) }
        }
    }

    /// Gives what is kept of a partition to the task that folds it from now on.
    ///
    /// - Parameter target: the commit that it goes on from.
    /// - Returns: nil where nothing is kept, or nothing that is of use for it.
    func take(_ partition: TopicPartition, target: CommitNumber) -> Standby? {
        queue.sync {
            guard let standby = kept[partition] else { return nil }
            drop(partition)
            let isOfUse = standby.reader.aim(at: target)
            metrics.counter(\.standbyTakeOvers, isOfUse ? "tail" : "anew").add()
            return isOfUse ? standby : nil
        }
    }

    /// Keeps what a task knew whose partition goes, all of it committed, until ``settle()`` or longer. Called before
    /// the group gives the partition to anybody.
    func keep(_ partition: TopicPartition, _ states: KeptStates) {
        do throws(KafkaError) {
            let place = sources.checkpointPlace(of: partition)
            let end = try membership.consumer.watermarks(of: place, limit: Self.limit).high
            let engine = PartitionEngine(
                options.engine, statesOf: states.engine, splits: splits, source: Self.source(partition))
            let reader = CheckpointReader(following: checkpoint(of: partition), into: engine, from: states.last)
            queue.sync { if !isStopped { kept[partition] = Standby(reader, at: .at(end)) } }
        } catch {
            log.info(
                "standby", "the states of a partition that goes are not kept",
                ["partition": .text(partition.description), "error": .text(error.description)])
        }
    }

    /// The group has given out its partitions: what is kept of others goes, unless it is to be followed.
    func settle() {
        queue.sync {
            lastLook = nil
            guard options.standbyReplicas == 0 else { return }
            for partition in Array(kept.keys) { drop(partition) }
        }
    }

    private static func source(_ partition: TopicPartition) -> SourcePartition {
        SourcePartition(topic: partition.topic, partition: partition.partition)
    }

    private func checkpoint(of partition: TopicPartition) -> CheckpointSource {
        CheckpointSource(topic: partition.topic, partition: partition.partition, pass: options.checkpointPass)
    }

    // MARK: One turn

    private func step() {
        if isStopped { return }
        look()
        var isIdle = true
        for (partition, standby) in kept {
            do throws(KafkaError) {
                let isNews = try standby.read { (start) throws(KafkaError) in try makeReader(partition, from: start) }
                if isNews { isIdle = false }
            } catch {
                log.warning(
                    "standby", "a checkpoint cannot be followed: it is read again from its beginning",
                    ["partition": .text(partition.description), "error": .text(error.description)])
                drop(partition)
            }
        }
        if isIdle { platform.scheduler.sleep(milliseconds: Self.pause) }
        queue.async { self.step() }
    }

    private func look() {
        let now = platform.scheduler.now
        if let lastLook, now.milliseconds(since: lastLook) < Self.lookInterval { return }
        lastLook = now
        do throws(KafkaError) {
            let group = try membership.consumer.members(limit: Self.limit)
            if group.isStable { follow(group) }
            for (partition, standby) in kept { tell(partition, lag: try standby.lag(limit: Self.limit)) }
        } catch {
            log.info("standby", "the group's members cannot be read yet", ["error": .text(error.description)])
        }
        tellAll()
    }

    private func follow(_ group: GroupMembers) {
        if group.members != members { refused = [] }
        members = group.members
        let topics = options.foldTopics.map { (name: $0, partitions: sources.count($0)) }
        let plan = StandbyPlan(members: members, topics: topics, replicas: options.standbyReplicas)
        let wanted = Set(plan.followed(by: membership.consumer.memberID)).subtracting(refused)
        for partition in kept.keys where !wanted.contains(partition) { drop(partition) }
        for partition in wanted.sorted() where kept[partition] == nil {
            if bytes >= options.standbyMemory { return refuse(partition) }
            kept[partition] = makeStandby(partition)
        }
        // The one that came last goes first.
        while bytes > options.standbyMemory, let last = kept.keys.max() { refuse(last) }
    }

    private func makeStandby(_ partition: TopicPartition) -> Standby {
        let engine = PartitionEngine(options.engine, splits: splits, source: Self.source(partition))
        return Standby(
            CheckpointReader(following: checkpoint(of: partition), into: engine), at: .beginning)
    }

    private func makeReader(_ partition: TopicPartition, from start: StartOffset) throws(KafkaError)
        -> any PartitionReader
    {
        try platform.cluster.reader(
            of: sources.checkpointPlace(of: partition), from: start, options.reader(endsWithin: Standby.endWait),
            observer: observer)
    }

    private func refuse(_ partition: TopicPartition) {
        refused.insert(partition)
        drop(partition)
        metrics.counter(\.standbyRefused).add()
        log.warning(
            "standby", "the states of a partition are not kept: standby.memory is used up",
            [
                "partition": .text(partition.description), "bytes": .integer(bytes),
                "remedy": "raise standby.memory, or lower standby.replicas",
            ])
    }

    private func drop(_ partition: TopicPartition) {
        guard kept.removeValue(forKey: partition) != nil else { return }
        metrics.gauge(\.standbyDevices, partition.label).set(0)
        metrics.gauge(\.standbyLag, partition.label).set(0)
        tellAll()
    }

    // MARK: Figures

    /// Bytes of all states that are kept.
    private var bytes: Int { kept.values.reduce(0) { $0 + $1.engine.stateBytes } }

    private func tell(_ partition: TopicPartition, lag: Int64) {
        metrics.gauge(\.standbyDevices, partition.label).set(kept[partition]?.engine.devices ?? 0)
        metrics.gauge(\.standbyLag, partition.label).set(Double(lag))
    }

    private func tellAll() {
        metrics.gauge(\.standbyPartitions).set(kept.count)
        metrics.gauge(\.standbyBytes).set(bytes)
    }
}
