internal import Engine
internal import Kafka
internal import Metering

/// How many records are read a second, from one line of the log to the next: over several memberships, as the metrics
/// go on, too. One thread's.
final class ReadingPace {
    private(set) var lastLine: MonotonicTime
    /// Records of each partition that were read by then.
    private var lastRecords: [TopicPartition: UInt64] = [:]

    init(_ now: MonotonicTime) {
        lastLine = now
    }

    /// Records a second since the last call.
    func take(_ partitions: [TopicPartition], _ metrics: Metrics, now: MonotonicTime) -> Int64 {
        var records: UInt64 = 0
        for partition in partitions {
            let read = metrics.counter(\.recordsIn, partition.label).value
            records += read - lastRecords[partition, default: 0]
            lastRecords[partition] = read
        }
        let milliseconds = max(now.milliseconds(since: lastLine), 1)
        lastLine = now
        return Int64(Double(records) * 1000 / Double(milliseconds))
    }
}

/// Looks after a running membership: lag, readiness, the periodic line of the log. One thread's.
final class SessionWatch {
    private let options: WorkerOptions
    private let membership: Membership
    private let committer: Committer
    private let metrics: Metrics
    private let log: Log
    private let scheduler: any Scheduler
    private var lastLook = MonotonicTime(nanoseconds: 0)
    private let pace: ReadingPace
    private var lastReports: [String: MonotonicTime] = [:]
    private var reason: String? = "joining the group"
    private var lag: Int64 = 0
    private var lastSplits = 0
    private var lastSplitReport: MonotonicTime?

    private static let lookInterval = 1000
    private static let lineInterval = 30_000
    /// Deliveries that take longer than this make a worker unready, ms.
    private static let deliveryLimit = 15_000

    init(
        _ options: WorkerOptions, membership: Membership, committer: Committer, metrics: Metrics, log: Log,
        pace: ReadingPace, scheduler: any Scheduler
    ) {
        self.options = options
        self.membership = membership
        self.committer = committer
        self.metrics = metrics
        self.log = log
        self.scheduler = scheduler
        self.pace = pace
    }

    /// An error of the group: said at once, and then every half minute.
    func report(_ error: KafkaError) {
        metrics.counter(\.kafkaErrors, error.name).add()
        if let last = lastReports[error.name], since(last) < Self.lineInterval { return }
        lastReports[error.name] = scheduler.now
        log.warning("group", error.text, ["code": .text(error.name), "remedy": .text(error.remedy)])
    }

    /// - Returns: why the worker is not ready; nil where it is.
    func look() -> String? {
        guard since(lastLook) >= Self.lookInterval else { return reason }
        lastLook = scheduler.now
        let tasks = committer.activeTasks
        lag = tasks.reduce(0) { $0 + measure($1) }
        metrics.gauge(\.transactionAge).set(Double(committer.openTransactionAge) / 1000)
        tellSplits()
        reason = readiness(tasks)
        if since(pace.lastLine) >= Self.lineInterval { writeLine(tasks) }
        return reason
    }

    /// Its own lag: offsets committed within transactions, and those of stage 2, say nothing about it.
    private func measure(_ task: PartitionTask) -> Int64 {
        let partition = task.partition
        let position = task.position.offset
        guard position >= 0, let ends = membership.consumer.cachedWatermarks(of: partition) else { return 0 }
        let lag = max(ends.high - position, 0)
        metrics.gauge(\.lag, partition.topic, String(partition.partition)).set(Double(lag))
        return task.stage == inputStage ? lag : 0
    }

    /// The one that reads the input.
    private var inputStage: Stage { options.isKeyed ? .fold : .rekey }

    private func readiness(_ tasks: [PartitionTask]) -> String? {
        // More workers than partitions: one without any is in the group and stands ready.
        if !membership.isAssigned { return "the group has not given out its partitions yet" }
        let restoring = tasks.filter(\.isRestoring)
        if let first = restoring.first {
            return "states are being restored: \(restoring.count) partitions, \(first.partition) among them"
        }
        if committer.sinceLastDelivery > Self.deliveryLimit + options.commitInterval {
            return "the last commit is \(committer.sinceLastDelivery / 1000) s old"
        }
        if committer.tally.isBad(ratio: options.deadLetterRatio, now: scheduler.wallClock) {
            return "more than dlq.max_ratio of a minute's events cannot be read: see the dead-letter topic"
        }
        return nil
    }

    /// Records that are not keyed by device: said at once, and then every half minute while there are more.
    private func tellSplits() {
        let found = committer.splits.found
        metrics.gauge(\.sightings).set(committer.splits.count)
        guard found > lastSplits, lastSplitReport.map({ since($0) >= Self.lineInterval }) ?? true else { return }
        log.warning(
            "input", "installations come in several partitions, and are folded in each of them apart",
            [
                "installations": .integer(found - lastSplits),
                "remedy": "key the records by device, or set input.keyed=false",
            ])
        lastSplits = found
        lastSplitReport = scheduler.now
    }

    private func writeLine(_ tasks: [PartitionTask]) {
        let rate = pace.take(tasks.filter { $0.stage == inputStage }.map(\.partition), metrics, now: scheduler.now)
        let commits = metrics.histogram(\.commitSeconds)
        let count = commits.counts.reduce(0, +)
        let mean = count == 0 ? 0 : (commits.sum / Double(count) * 1000).rounded()
        log.info(
            "worker", "at work",
            [
                "records_per_s": LogValue.integer(rate), "lag": LogValue.integer(lag),
                "tasks": LogValue.integer(tasks.count), "commits": LogValue.integer(count),
                "commit_ms": LogValue.decimal(mean),
            ])
    }

    private func since(_ time: MonotonicTime) -> Int { scheduler.now.milliseconds(since: time) }
}
