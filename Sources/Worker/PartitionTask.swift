internal import Kafka
internal import Synchronization

/// What a stage does with one partition. Touched on its task's serial queue alone.
protocol PartitionWork: PartitionSink {
    /// A drain has ended: figures are brought up to date.
    func drained()
    /// So much was gathered that the epoch should be closed before its time.
    var isFull: Bool { get }
    /// Others have to come on before it takes more. Asked when a drain or an epoch has ended.
    func isAhead() -> Bool
    /// Closes the epoch at the record boundary reached; nil where there is nothing to deliver.
    /// - Parameter isLast: the partition is given up.
    func close(isLast: Bool) -> ClosedEpoch?
    /// What has to be read before the work takes records; nil where nothing has. Asked once, before all else.
    var restoration: (any Restoration)? { get }
    /// ``restoration`` has run.
    func restored()
    /// The work has ended and all of it is delivered: what it knows, for whoever goes on with the partition.
    func handOver() -> KeptStates?
}

extension PartitionWork {
    var restoration: (any Restoration)? { nil }
    func restored() {}
    func isAhead() -> Bool { false }
    func handOver() -> KeptStates? { nil }
}

/// The stages of the way through a worker.
enum Stage: String, CaseIterable, Sendable {
    /// Records to packed events by installation.
    case rekey
    /// Records to partials.
    case fold
    /// Partials to rows.
    case total
}

/// One input partition in work: its queue, drained on a serial queue of its own, and the stage's work on it.
///
/// Single writer: all of the work's state is touched on that queue, so nothing of it is locked.
final class PartitionTask: @unchecked Sendable {
    let partition: TopicPartition
    let stage: Stage
    let lease: Lease
    let position: PositionGauge

    private let serial: any SerialQueue
    private let work: any PartitionWork
    private let inbox: EpochInbox
    private let isFull: @Sendable () -> Void
    private var feed: (any PartitionFeed)?
    private var isHeldUp = false
    /// Takes no records before others have come on.
    private var waits = false
    private let restoring = Atomic(false)
    /// Takes records: nothing is left to be restored.
    private var hasBegun = false

    /// Records a turn on the queue takes: some milliseconds of work, so that closing an epoch need not wait long.
    /// Those of stage 0 hold many events each.
    private static func drainLimit(_ stage: Stage) -> Int { stage == .rekey ? 512 : 8192 }

    /// - Parameter isFull: called on the task's queue when an epoch should be closed before its time.
    init(
        _ partition: TopicPartition, _ stage: Stage, lease: Lease, feed: any PartitionFeed, scheduler: any Scheduler,
        work: any PartitionWork, position: PositionGauge, inbox: EpochInbox,
        isFull: @escaping @Sendable () -> Void
    ) {
        self.partition = partition
        self.stage = stage
        self.lease = lease
        self.work = work
        self.position = position
        self.inbox = inbox
        self.isFull = isFull
        self.feed = feed
        serial = scheduler.queue("phasefold.\(stage.rawValue).\(partition)")
    }

    /// Begins to take records, after what the work has to restore. Does not wait. Once.
    func start(restoringOn lanes: RestoreLanes, failed: @escaping @Sendable (KafkaError) -> Void) {
        guard let restoration = work.restoration else { return serial.sync { begin(failed) } }
        restoring.store(true, ordering: .relaxed)
        lanes.next.async { [self] in
            guard lease.isHeld, restoration.run(lease) else { return }
            serial.async { [self] in
                restoring.store(false, ordering: .relaxed)
                guard feed != nil else { return }
                work.restored()
                begin(failed)
            }
        }
    }

    /// Whether it takes no records yet.
    var isRestoring: Bool { restoring.load(ordering: .relaxed) }

    private func begin(_ failed: (KafkaError) -> Void) {
        hasBegun = true
        do throws(KafkaError) {
            try feed?.wake(on: serial) { [weak self] in self?.drain() }
        } catch {
            failed(error)
        }
    }

    private func drain() {
        guard feed != nil, hasBegun, !isHeldUp, !waits else { return }
        feed?.drain(limit: Self.drainLimit(stage), into: work)
        work.drained()
        if work.isFull {
            isHeldUp = true
            isFull()
        } else if work.isAhead() {
            waits = true
            // That tells others how far this one is, and this one of others.
            isFull()
        } else if feed?.isEmpty == false {
            serial.async { [weak self] in self?.drain() }
        }
    }

    /// Closes the epoch at the next record boundary and goes on with the next one at once.
    func close(then done: @escaping @Sendable () -> Void) {
        serial.async {
            if self.feed != nil {
                if let epoch = self.work.close(isLast: false) { self.inbox.put(epoch) }
                if self.waits, !self.work.isAhead() {
                    self.waits = false
                    self.serial.async { [weak self] in self?.drain() }
                }
            }
            done()
        }
    }

    /// Takes no records until ``goOn()``: the back-pressure. What is prefetched stays where it is.
    func holdUp() {
        serial.async { self.isHeldUp = true }
    }

    func goOn() {
        serial.async {
            guard self.isHeldUp else { return }
            self.isHeldUp = false
            self.drain()
        }
    }

    /// What the work knows, after ``end(isLost:)`` and the delivery of its last epoch; nil where it is of no use.
    func handOver() -> KeptStates? { serial.sync { work.handOver() } }

    /// Ends the work: when it returns no drain runs any more and the partition's queue is gone.
    /// - Parameter isLost: somebody else has the partition already: the open epoch is dropped.
    func end(isLost: Bool) {
        if isLost { lease.release() }
        serial.sync {
            guard feed != nil else { return }
            feed = nil
            if !isLost, let epoch = work.close(isLast: true) { inbox.put(epoch) }
        }
    }
}

/// Where a worker's restorations run: side by side, as many as there are processors.
final class RestoreLanes: Sendable {
    private let lanes: [any SerialQueue]
    private let turns = Atomic(0)

    init(_ scheduler: any Scheduler) {
        lanes = (0..<max(scheduler.processors, 2)).map { scheduler.queue("phasefold.restore.\($0)") }
    }

    /// They take turns.
    var next: any SerialQueue { lanes[turns.wrappingAdd(1, ordering: .relaxed).oldValue % lanes.count] }
}

/// Closed epochs on their way to delivery, those of one partition in their order.
final class EpochInbox: Sendable {
    private let epochs = Mutex<[ClosedEpoch]>([])

    func put(_ epoch: ClosedEpoch) { epochs.withLock { $0.append(epoch) } }

    func takeAll() -> [ClosedEpoch] {
        epochs.withLock { epochs in
            let all = epochs
            epochs = []
            return all
        }
    }
}

/// The next offset that a task takes, for figures that others make of it; -1 before it is known.
final class PositionGauge: Sendable {
    private let value = Atomic<Int64>(-1)

    var offset: Int64 {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
