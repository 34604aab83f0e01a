internal import Kafka
internal import Metering
internal import Synchronization

/// Looks at the topics that a worker writes while nothing can be delivered, or restored: one that was deleted is made
/// again, and one that was made with another number of partitions is taken as it is. Either needs a new session.
final class TopicWatch: Sendable {
    private let options: WorkerOptions
    private let keeper: TopicKeeper
    private let committer: Committer
    private let log: Log
    private let queue: any SerialQueue
    /// As the session knows them.
    private let known: [String: Int]
    private let isLooking = Atomic(false)
    private let hasChanged = Atomic(false)
    private let lastLook: Mutex<MonotonicTime>
    private let scheduler: any Scheduler

    /// Without a delivery for so long, beyond the commit interval, and between two looks, ms.
    private static let patience = 5000

    /// - Parameter topics: as they were when the session began.
    init(
        _ options: WorkerOptions, _ topics: [TopicDescription], keeper: TopicKeeper, committer: Committer, log: Log,
        scheduler: any Scheduler
    ) {
        self.options = options
        self.keeper = keeper
        self.committer = committer
        self.log = log
        self.scheduler = scheduler
        queue = scheduler.queue("phasefold.topics", isBackground: true)
        known = Self.counts(topics, options)
        lastLook = Mutex(scheduler.now)
    }

    /// Does not wait.
    /// - Returns: whether the session has to end, since the topics are not those that it began with.
    func look() -> Bool {
        if hasChanged.load(ordering: .relaxed) { return true }
        guard isHeldUp, isDue() else { return false }
        if isLooking.exchange(true, ordering: .relaxed) { return false }
        queue.async {
            self.compare()
            self.isLooking.store(false, ordering: .relaxed)
        }
        return false
    }

    /// Nothing is delivered, or a task waits for a checkpoint that may be gone.
    private var isHeldUp: Bool {
        committer.sinceLastDelivery > Self.patience + options.commitInterval
            || committer.activeTasks.contains(where: \.isRestoring)
    }

    private func isDue() -> Bool {
        lastLook.withLock { last in
            guard scheduler.now.milliseconds(since: last) >= Self.patience else { return false }
            last = scheduler.now
            return true
        }
    }

    /// Partitions of the topics that are written, but for those whose number does not matter, and `<app>-devices`,
    /// which grows with the input.
    private static func counts(_ topics: [TopicDescription], _ options: WorkerOptions) -> [String: Int] {
        let names = [options.partialsTopic, options.totalsTopic] + (options.isKeyed ? [] : [options.eventsTopic])
        var counts: [String: Int] = [:]
        for topic in topics where names.contains(topic.name) { counts[topic.name] = topic.partitions }
        return counts
    }

    private func compare() {
        guard let topics = try? keeper.topics() else { return }
        let missing = keeper.missingOutputs(among: topics)
        if !missing.isEmpty {
            log.error(
                "topics", "topics that the worker writes are missing: nothing can be delivered",
                [
                    "topics": .text(missing.joined(separator: " ")),
                    "remedy": options.createsTopics
                        ? "nothing to do: they are made again" : "run phasefold topics create",
                ])
            if options.createsTopics { hasChanged.store(true, ordering: .relaxed) }
        } else if Self.counts(topics, options) != known {
            log.error("topics", "internal topics have another number of partitions than before: the worker begins anew")
            hasChanged.store(true, ordering: .relaxed)
        }
    }
}
