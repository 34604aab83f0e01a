internal import Aggregating
internal import Kafka
internal import Metering

/// `delivery.guarantee=at_least_once`: everything of an epoch is acknowledged before its offset is committed.
///
/// Whatever goes wrong between, the epochs, still in memory, are sent again; what had been acknowledged of them
/// counts twice then. Offsets of a partition are committed in the order of its epochs, and only under its lease.
final class AtLeastOnceDelivery: EpochDelivery, @unchecked Sendable {
    private let options: WorkerOptions
    private let cluster: any Cluster
    private let scheduler: any Scheduler
    private let targets: DeliveryTargets
    private let offsets: any GroupOffsets
    private let observer: any ClientObserver
    private let metrics: Metrics
    private let log: Log
    private var producer: (any RecordProducer)?

    /// ms between two looks at whether the leases are still held while the cluster does not answer.
    private static let slice: Int32 = 200

    init(
        _ options: WorkerOptions, _ platform: Platform, targets: DeliveryTargets, offsets: any GroupOffsets,
        observer: any ClientObserver, metrics: Metrics, log: Log
    ) {
        self.options = options
        cluster = platform.cluster
        scheduler = platform.scheduler
        self.targets = targets
        self.offsets = offsets
        self.observer = observer
        self.metrics = metrics
        self.log = log
    }

    var openTransactionAge: Int { 0 }

    func prepare(while goesOn: () -> Bool) throws(KafkaError) {}

    func deliver(_ epochs: [ClosedEpoch]) {
        let begin = scheduler.now
        var attempt = 0
        while true {
            let held = epochs.filter(\.lease.isHeld)
            if held.isEmpty { return abandon() }
            do throws(KafkaError) {
                guard try send(held) else { return abandon() }
                try commit(held)
                break
            } catch {
                failed(error, attempt)
                attempt += 1
            }
        }
        metrics.counter(\.commits).add()
        metrics.histogram(\.commitSeconds).observe(scheduler.now.seconds(since: begin))
        count(epochs)
    }

    private func count(_ epochs: [ClosedEpoch]) {
        metrics.counter(\.partialsOut).add(UInt64(epochs.reduce(0) { $0 + $1.partials.count }))
        metrics.counter(\.rowsOut).add(UInt64(epochs.reduce(0) { $0 + $1.rows.count }))
        for epoch in epochs where !epoch.rows.isEmpty { targets.published(epoch.rows) }
    }

    private func failed(_ error: KafkaError, _ attempt: Int) {
        metrics.counter(\.commitFailures).add()
        log.warning(
            "commit", "delivery failed and is tried again",
            [
                "error": .text(error.description), "attempt": .integer(attempt + 1),
            ])
        if error.retry == .fatal { producer = nil }
        scheduler.pauseBefore(attempt: attempt)
    }

    /// What is queued for partitions that are somebody else's now must not go out later, over newer rows of theirs.
    private func abandon() {
        metrics.counter(\.commitFailures).add()
        producer = nil
    }

    // MARK: Sending

    /// - Returns: whether all is acknowledged; false where no lease is held any more.
    private func send(_ epochs: [ClosedEpoch]) throws(KafkaError) -> Bool {
        if producer == nil {
            producer = try cluster.producer(options.producer, observer: observer)
            producer?.expect(options.writtenTopics)
        }
        _ = producer?.takeDeliveries()
        for epoch in epochs { try producer?.write(epoch, options, targets) }
        while producer?.flush(limit: Self.slice) == false {
            if let fatal = producer?.fatalError { throw fatal }
            if !epochs.contains(where: { $0.lease.isHeld }) { return false }
        }
        if let failure = producer?.takeDeliveries().firstFailure { throw failure }
        return true
    }

    // MARK: Committing

    /// Commits the last offset of each partition whose lease is held.
    private func commit(_ epochs: [ClosedEpoch]) throws(KafkaError) {
        var attempt = 0
        while true {
            var last: [TopicPartition: PartitionOffset] = [:]
            for epoch in epochs where epoch.lease.isHeld && epoch.offset.offset != nil {
                last[epoch.offset.partition] = epoch.offset
            }
            if last.isEmpty { return }
            do throws(KafkaError) {
                return try offsets.commit(last.values.sorted { $0.partition < $1.partition })
            } catch {
                metrics.counter(\.commitFailures).add()
                // The group has moved on: the rebalance that follows decides about these partitions.
                if error.retry != .retriable {
                    return log.warning("commit", "offsets were refused", ["error": .text(error.description)])
                }
                log.warning("commit", "offsets are committed again", ["error": .text(error.description)])
                scheduler.pauseBefore(attempt: attempt)
                attempt += 1
            }
        }
    }
}
