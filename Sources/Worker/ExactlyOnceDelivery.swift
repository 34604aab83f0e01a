internal import Aggregating
internal import Kafka
internal import Metering
internal import Synchronization

/// `delivery.guarantee=exactly_once`: all records of the closed epochs and their offsets in one transaction.
///
/// What makes it right:
/// - A transaction that fails is repeated from the epochs, which stay in memory until they are through or their lease
///   is gone.
/// - The member's place in its group is taken before the leases are looked at. So offsets that are sent under a lease
///   carry a generation of the group in which it was held; once the group has moved on the broker refuses them, and
///   whoever has the partition then does not begin before offsets that had been accepted are decided.
/// - A producer's name is that of the member in its group: see ``Predecessors``. While leases are held it is the same.
/// - Of an end whose outcome is unknown nothing is assumed. The producer is made anew, which has the broker finish
///   what the old one left; then what is committed tells by its ``CommitMark`` whether it was this.
/// - A request whose answer did not come, or whose connection broke, is sent again by the client, and its first copy
///   may yet arrive: it would end the next transaction, or bring old offsets into it. The client does not tell; but it
///   waits before it does so. A transaction with a call that took so long is therefore the last of its producer:
///   copies that come later bear an epoch that the broker refuses.
final class ExactlyOnceDelivery: EpochDelivery, @unchecked Sendable {
    private let options: WorkerOptions
    private let cluster: any Cluster
    private let scheduler: any Scheduler
    private let targets: DeliveryTargets
    private let group: any GroupOffsets
    private let observer: any ClientObserver
    private let metrics: Metrics
    private let log: Log
    private var producer: (any TransactionProducer)?
    /// The member whose name ``producer`` has, or the last one had.
    private var member = ""
    /// A producer of ``member`` went and may have left a transaction open.
    private var mayBeOpen = false
    /// Of the commit that is under way, or the last one.
    private(set) var mark: CommitMark
    /// Whether the last transaction was told to commit and its outcome is not known.
    private var isUncertain = false
    /// ns of the monotonic clock; 0 where none is open.
    private let openSince = Atomic<UInt64>(0)
    /// Copies of a request of the open transaction may be under way.
    private var mayRepeat = false

    /// ms between two looks at whether the leases are still held while the cluster does not answer.
    private static let slice: Int32 = 200
    /// Longest wait of one call, ms.
    private static let limit: Int32 = 2000

    init(
        _ options: WorkerOptions, _ platform: Platform, targets: DeliveryTargets, group: any GroupOffsets,
        observer: any ClientObserver, metrics: Metrics, log: Log
    ) {
        self.options = options
        cluster = platform.cluster
        scheduler = platform.scheduler
        mark = CommitMark(run: platform.scheduler.random(), number: 0)
        self.targets = targets
        self.group = group
        self.observer = observer
        self.metrics = metrics
        self.log = log
    }

    /// Age of the open transaction, ms; 0 where none is.
    var openTransactionAge: Int {
        let since = openSince.load(ordering: .relaxed)
        return since == 0 ? 0 : scheduler.now.milliseconds(since: MonotonicTime(nanoseconds: since))
    }

    /// Finds out whether the cluster gives transactions.
    func prepare(while goesOn: () -> Bool) throws(KafkaError) {
        _ = try make(options.transactionalID, while: goesOn)
    }

    func deliver(_ epochs: [ClosedEpoch]) {
        let begin = scheduler.now
        mark.number += 1
        isUncertain = false
        var attempt = 0
        while true {
            let held = epochs.filter(\.lease.isHeld)
            if held.isEmpty { return abandon() }
            do throws(KafkaError) {
                if try commit(held) {
                    delivered(held, since: begin)
                    return
                }
            } catch {
                failed(error, attempt)
                attempt += 1
            }
        }
    }

    private func delivered(_ epochs: [ClosedEpoch], since begin: MonotonicTime) {
        isUncertain = false
        metrics.counter(\.commits).add()
        metrics.histogram(\.commitSeconds).observe(scheduler.now.seconds(since: begin))
        metrics.counter(\.partialsOut).add(UInt64(epochs.reduce(0) { $0 + $1.partials.count }))
        metrics.counter(\.rowsOut).add(UInt64(epochs.reduce(0) { $0 + $1.rows.count }))
        for epoch in epochs where !epoch.rows.isEmpty { targets.published(epoch.rows) }
    }

    private func failed(_ error: KafkaError, _ attempt: Int) {
        metrics.counter(\.commitFailures).add()
        log.warning(
            "commit", "a transaction failed: its work is done again",
            ["error": .text(error.description), "attempt": .integer(attempt + 1)])
        scheduler.pauseBefore(attempt: attempt)
    }

    /// Nobody waits for these epochs any more: the partitions are somebody else's.
    private func abandon() {
        metrics.counter(\.commitFailures).add()
        if isUncertain {
            isUncertain = false
            drop()
        }
    }

    // MARK: One transaction

    /// - Returns: whether all epochs are committed; false where a lease was let go on the way.
    private func commit(_ epochs: [ClosedEpoch]) throws(KafkaError) -> Bool {
        let isHeld = { epochs.allSatisfy(\.lease.isHeld) }
        try makeProducer(while: isHeld)
        if producer == nil { return false }
        if isUncertain, try wasCommitted(epochs) { return true }
        isUncertain = false
        do throws(KafkaError) {
            try producer?.begin()
        } catch {
            drop()
            throw error
        }
        openSince.store(scheduler.now.nanoseconds, ordering: .relaxed)
        mayRepeat = false
        do throws(KafkaError) {
            guard try send(epochs, while: isHeld) else {
                abort(while: isHeld)
                return false
            }
        } catch {
            if error.retry == .fatal { drop() } else { abort(while: isHeld) }
            // A new producer sees at once what has been made since, or has more partitions now.
            if error.domain == .topic { drop() }
            throw error
        }
        return try end(while: isHeld)
    }

    /// Everything but the end.
    /// - Returns: false where a lease was let go.
    private func send(_ epochs: [ClosedEpoch], while isHeld: () -> Bool) throws(KafkaError) -> Bool {
        _ = producer?.takeDeliveries()
        for epoch in epochs { try producer?.write(epoch, options, targets) }
        guard try sendOffsets(epochs, while: isHeld) else { return false }
        // All is flushed before the end is asked for: what fails up to here has certainly no effect.
        while producer?.flush(limit: Self.slice) == false {
            if let fatal = producer?.fatalError { throw fatal }
            if !isHeld() { return false }
        }
        if let failure = producer?.takeDeliveries().firstFailure { throw failure }
        return isHeld()
    }

    private func sendOffsets(_ epochs: [ClosedEpoch], while isHeld: () -> Bool) throws(KafkaError) -> Bool {
        var last: [TopicPartition: PartitionOffset] = [:]
        for epoch in epochs where epoch.offset.offset != nil {
            var offset = epoch.offset
            offset.metadata = mark.marking(offset.metadata, by: member)
            last[offset.partition] = offset
        }
        if last.isEmpty { return isHeld() }
        let offsets = last.values.sorted { $0.partition < $1.partition }
        let place = try group.place()
        while isHeld() {
            do throws(KafkaError) {
                try watching { (producer) throws(KafkaError) in
                    try producer.send(offsets, of: place, limit: Self.limit)
                }
                return true
            } catch {
                if error.retry != .retriable { throw error }
            }
        }
        return false
    }

    /// Asks for the end until it is answered.
    private func end(while isHeld: () -> Bool) throws(KafkaError) -> Bool {
        isUncertain = true
        while true {
            do throws(KafkaError) {
                try watching { (producer) throws(KafkaError) in try producer.commit(limit: Self.limit) }
                isUncertain = false
                closed()
                return true
            } catch {
                if error.retry == .retriable, isHeld() { continue }
                drop()
                if !isHeld() { return false }
                throw error
            }
        }
    }

    private func abort(while isHeld: () -> Bool) {
        metrics.counter(\.transactionsAborted).add()
        let since = scheduler.now
        var isFirst = true
        while true {
            do throws(KafkaError) {
                try watching { (producer) throws(KafkaError) in try producer.abort(limit: Self.limit) }
                return closed()
            } catch {
                // An abort that does not come through is left to the broker, which ends it for the next producer.
                let isInTime = scheduler.now.milliseconds(since: since) < options.transactionTimeout
                guard error.retry == .retriable, isInTime, isFirst || isHeld() else { return drop() }
                isFirst = false
            }
        }
    }

    /// The transaction has been ended.
    private func closed() {
        openSince.store(0, ordering: .relaxed)
        if mayRepeat { drop() }
    }

    /// Makes a call that sends requests, and notes whether there was time for one to be sent again.
    private func watching(_ call: (any TransactionProducer) throws(KafkaError) -> Void) throws(KafkaError) {
        guard let producer else { return }
        let begin = scheduler.now
        defer { if scheduler.now.milliseconds(since: begin) >= options.retryBackoff { mayRepeat = true } }
        try call(producer)
    }

    // MARK: The producer, and what became of its last transaction

    private func drop() {
        if producer == nil { return }
        producer = nil
        if openSince.load(ordering: .relaxed) != 0 { mayBeOpen = true }
        openSince.store(0, ordering: .relaxed)
        metrics.counter(\.producersDropped).add()
        log.info("commit", "the producer is made anew")
    }

    /// Makes a producer of the member's name where there is none. It is left absent where `goesOn` no longer holds.
    private func makeProducer(while goesOn: () -> Bool) throws(KafkaError) {
        let name = try group.memberID()
        if name != member {
            // The group has a new name for this worker; nobody else may know of what was written under the old one.
            drop()
            if mayBeOpen, try make(options.transactionalID(of: member), while: goesOn) == nil { return }
            (member, mayBeOpen) = (name, false)
        }
        guard producer == nil else { return }
        producer = try make(options.transactionalID(of: name), while: goesOn)
        if producer != nil { mayBeOpen = false }
    }

    /// Makes a producer, and ends what an earlier one of the same name left open.
    /// - Returns: nil where `goesOn` no longer holds.
    private func make(
        _ identity: String, while goesOn: () -> Bool
    ) throws(KafkaError) -> (any TransactionProducer)? {
        let made = try cluster.transactionProducer(
            options.transactional, identity: identity, timeout: options.transactionTimeout, observer: observer)
        made.expect(options.writtenTopics)
        return try Self.initialize(made, while: goesOn) ? made : nil
    }

    private static func initialize(
        _ producer: any TransactionProducer, while goesOn: () -> Bool
    ) throws(KafkaError) -> Bool {
        while goesOn() {
            do throws(KafkaError) {
                try producer.initialize(limit: limit)
                return true
            } catch {
                if error.retry != .retriable { throw error }
            }
        }
        return false
    }

    /// Whether the transaction whose end was not answered went through, for the epochs that are still held.
    private func wasCommitted(_ epochs: [ClosedEpoch]) throws(KafkaError) -> Bool {
        let partitions = Set(epochs.filter { $0.offset.offset != nil }.map(\.offset.partition)).sorted()
        let found = try group.committed(partitions, limit: Self.limit)
        let isCommitted = found.contains { mark.stands(in: $0.metadata) }
        log.info(
            "commit", "the end of a transaction was not answered; its outcome was read back",
            ["outcome": .text(isCommitted ? "committed" : "aborted")])
        return isCommitted
    }
}
