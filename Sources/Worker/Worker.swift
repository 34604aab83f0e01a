package import Aggregating
internal import Kafka
package import Metering
package import Settings
internal import Synchronization

/// A member of the application's group that folds the partitions it is given, both stages, until it is stopped.
package final class Worker: Sendable {
    /// Whether the worker does its work, for `/readyz`.
    package struct Readiness: Sendable, Equatable {
        package var isReady: Bool
        /// Why it is not.
        package var reason: String
    }

    private let options: WorkerOptions
    private let platform: Platform
    private let metrics: Metrics
    private let log: Log
    private let observer: WorkerObserver
    private let published: @Sendable (RecordBatch) -> Void
    private let stopping = Atomic(false)
    private let readinessState = Mutex(Readiness(isReady: false, reason: "starting"))

    /// - Parameter published: called with rows of the output topic once they are durable, on the delivery's queue,
    ///   which it holds up.
    package init(
        _ settings: Settings, metrics: Metrics, log: Log, on platform: Platform = Platform(),
        published: @escaping @Sendable (RecordBatch) -> Void = { _ in }
    ) {
        options = WorkerOptions(settings, incarnation: platform.scheduler.random())
        self.platform = platform
        self.metrics = metrics
        self.log = log
        self.published = published
        observer = WorkerObserver(metrics, log)
    }

    package var readiness: Readiness { readinessState.withLock { $0 } }

    /// Asks the worker to commit, leave its group and return from ``run()``. From any thread, any number of times.
    package func stop() {
        stopping.store(true, ordering: .releasing)
    }

    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Works until ``stop()``; blocks the calling thread.
    /// - Throws: what people must see to: the cluster is not there at start, or refuses what the worker needs.
    package func run() throws(WorkerFailure) {
        do {
            setReady(false, "reaching the cluster")
            let keeper = try TopicKeeper(options, platform.cluster, observer: observer)
            var topics = try prepare(keeper)
            let pace = ReadingPace(platform.scheduler.now)
            while !isStopping, let known = topics {
                try runSession(known, keeper, pace)
                topics = prepareAgain(keeper)
            }
        } catch {
            setReady(false, error.text)
            throw WorkerFailure(error)
        }
        setReady(false, "stopped")
    }

    private func setReady(_ isReady: Bool, _ reason: String = "") {
        metrics.gauge(\.ready).set(isReady ? 1 : 0)
        readinessState.withLock { $0 = Readiness(isReady: isReady, reason: reason) }
    }

    // MARK: Start

    /// Reaches the cluster and sees to the topics; waits for input topics that are missing. nil when stopped.
    private func prepare(_ keeper: TopicKeeper) throws(KafkaError) -> [TopicDescription]? {
        var known: [TopicDescription]
        do throws(KafkaError) {
            known = try keeper.topics()
        } catch {
            throw observer.refusal ?? error
        }
        var rounds = 0
        while !isStopping {
            let missing = keeper.missingInputs(among: known)
            if missing.isEmpty { break }
            if rounds % 15 == 0 {
                log.warning(
                    "topics", "waiting for input topics that are missing",
                    ["topics": .text(missing.joined(separator: " ")), "remedy": "create them, or correct input.topic"])
            }
            setReady(false, "waiting for the input topic \(missing[0])")
            rounds += 1
            sleepUnlessStopped(milliseconds: 2000)
            known = (try? keeper.topics()) ?? known
        }
        if isStopping { return nil }
        return try complete(known, keeper)
    }

    /// As ``prepare(_:)``, for a worker that was at work: whatever is amiss with the cluster now, it waits for it.
    private func prepareAgain(_ keeper: TopicKeeper) -> [TopicDescription]? {
        var rounds = 0
        while !isStopping {
            do throws(KafkaError) {
                return try prepare(keeper)
            } catch {
                if rounds % 15 == 0 {
                    log.error("topics", "the worker cannot go on yet", ["error": .text(error.description)])
                }
                setReady(false, error.text)
                rounds += 1
                sleepUnlessStopped(milliseconds: 2000)
            }
        }
        return nil
    }

    private func complete(
        _ known: [TopicDescription], _ keeper: TopicKeeper
    ) throws(KafkaError) -> [TopicDescription] {
        var known = known
        if options.createsTopics {
            let made = try keeper.createMissing(among: known)
            known = try keeper.followInput(among: known)
            if !made.isEmpty { log.info("topics", "topics made", ["topics": .text(made.joined(separator: " "))]) }
        }
        // A topic that was made is not known to every broker at once.
        for attempt in 0..<50 where !keeper.missingOutputs(among: known).isEmpty && !isStopping {
            if attempt > 0 { sleepUnlessStopped(milliseconds: 200) }
            known = try keeper.topics()
            if !options.createsTopics { break }
        }
        if let missing = keeper.missingOutputs(among: known).first, !isStopping {
            throw KafkaError.missing(topic: missing)
        }
        return known
    }

    private func sleepUnlessStopped(milliseconds: Int) {
        for _ in 0..<max(milliseconds / 50, 1) where !isStopping { platform.scheduler.sleep(milliseconds: 50) }
    }

    // MARK: Work

    /// One membership: from joining to leaving. Returns when stopped, or when the client is spent and has to be
    /// made anew.
    private func runSession(
        _ topics: [TopicDescription], _ keeper: TopicKeeper, _ pace: ReadingPace
    ) throws(KafkaError) {
        let membership = Membership(
            options, try platform.cluster.member(of: options.applicationID, options.consumer, observer: observer))
        let partials = topics.first { $0.name == options.partialsTopic }?.partitions ?? 1
        let delivery = makeDelivery(DeliveryTargets(partialsPartitions: partials, published: published), membership)
        try delivery.prepare(while: { !isStopping })
        let committer = Committer(
            interval: options.commitInterval, delivery: delivery, metrics: metrics, scheduler: platform.scheduler)
        let sources = Sources(options, topics, keeper: keeper, log: log)
        let standbys = Standbys(
            options, platform, membership: membership, sources: sources, splits: committer.splits,
            observer: observer, metrics: metrics, log: log)
        let alignment = Alignment(
            options, membership: membership, sources: sources, scheduler: platform.scheduler)
        let rebalancer = Rebalancer(
            options, platform, membership: membership, committer: committer, sources: sources, alignment: alignment,
            trimmer: try CheckpointTrimmer(options, platform, observer: observer, log: log), standbys: standbys,
            observer: observer, metrics: metrics, log: log, isStopping: { [weak self] in self?.isStopping ?? true })
        try membership.consumer.subscribe(options.readTopics, handler: rebalancer)
        committer.start()
        standbys.start()
        let watch = SessionWatch(
            options, membership: membership, committer: committer, metrics: metrics, log: log, pace: pace,
            scheduler: platform.scheduler)
        let topicWatch = TopicWatch(
            options, topics, keeper: keeper, committer: committer, log: log, scheduler: platform.scheduler)
        setReady(false, "joining the group")
        var isSpent = false
        while !isStopping, !isSpent {
            if let error = membership.consumer.poll(timeout: 100) {
                watch.report(error)
                isSpent = error.retry == .fatal
            }
            if topicWatch.look() { isSpent = true }
            let reason = watch.look()
            setReady(reason == nil, reason ?? "")
        }
        setReady(false, "leaving the group")
        committer.stop()
        standbys.stop()
        leave(membership)
        withExtendedLifetime(rebalancer) {}
    }

    private func makeDelivery(_ targets: DeliveryTargets, _ group: Membership) -> any EpochDelivery {
        switch options.guarantee {
        case .exactlyOnce:
            ExactlyOnceDelivery(
                options, platform, targets: targets, group: group, observer: observer, metrics: metrics, log: log)
        case .atLeastOnce:
            AtLeastOnceDelivery(
                options, platform, targets: targets, offsets: group, observer: observer, metrics: metrics, log: log)
        }
    }

    private func leave(_ membership: Membership) {
        do throws(KafkaError) {
            try membership.consumer.close()
            log.info("group", "left the group")
        } catch {
            log.warning("group", "left the group without its consent", ["error": .text(error.description)])
        }
    }
}
