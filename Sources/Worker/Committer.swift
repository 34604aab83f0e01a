internal import Engine
internal import Kafka
internal import Metering
internal import Synchronization

/// Closes the epochs of all tasks every commit interval and has them delivered, one delivery at a time.
///
/// Tasks go on folding while a delivery runs. When two closings already wait for theirs, tasks take no records until
/// one of them is through.
final class Committer: @unchecked Sendable {
    /// Closings that may wait for delivery before tasks are held up.
    static let waitingLimit = 2

    let inbox = EpochInbox()
    let tally = EventTally()
    let splits = SplitWatch()
    private let interval: Int
    private let delivery: any EpochDelivery
    private let metrics: Metrics
    private let scheduler: any Scheduler
    private let control: any SerialQueue
    private let deliveries: any SerialQueue

    // Touched on `control` alone.
    private var tasks: [TopicPartition: PartitionTask] = [:]
    private var timer: (any WorkTimer)?
    private var waiting = 0
    private var isGathering = false
    private var heldUpSince: MonotonicTime?
    private var lastDelivery: MonotonicTime

    /// - Parameter interval: ms.
    init(interval: Int, delivery: any EpochDelivery, metrics: Metrics, scheduler: any Scheduler) {
        self.interval = interval
        self.delivery = delivery
        self.metrics = metrics
        self.scheduler = scheduler
        control = scheduler.queue("phasefold.commit")
        deliveries = scheduler.queue("phasefold.delivery")
        lastDelivery = scheduler.now
    }

    func start() {
        control.sync {
            timer = control.repeating(every: interval) { [weak self] in self?.closeAll() }
        }
    }

    func stop() {
        control.sync {
            timer?.cancel()
            timer = nil
        }
    }

    func add(_ task: PartitionTask) {
        control.sync { tasks[task.partition] = task }
    }

    /// An epoch should be closed before its time.
    func closeSoon() {
        control.async { self.closeAll() }
    }

    /// Age of the delivery's open transaction, ms; 0 where none is.
    var openTransactionAge: Int { delivery.openTransactionAge }

    /// Time since a closing was delivered, ms.
    var sinceLastDelivery: Int {
        control.sync { scheduler.now.milliseconds(since: lastDelivery) }
    }

    private func closeAll() {
        guard !isGathering else { return }
        if waiting >= Self.waitingLimit {
            if heldUpSince == nil {
                heldUpSince = scheduler.now
                tasks.values.forEach { $0.holdUp() }
            }
            return
        }
        isGathering = true
        waiting += 1
        metrics.gauge(\.epochsWaiting).set(waiting)
        if tasks.isEmpty { return control.async { self.gathered() } }
        let left = Countdown(tasks.count)
        for task in tasks.values {
            task.close { if left.isOver() { self.control.async { self.gathered() } } }
        }
    }

    private func gathered() {
        isGathering = false
        // A task that had been held up because it was full has been emptied now.
        if heldUpSince == nil { tasks.values.forEach { $0.goOn() } }
        deliveries.async {
            self.deliverInbox()
            self.control.async { self.delivered() }
        }
    }

    private func deliverInbox() {
        let epochs = inbox.takeAll()
        if !epochs.isEmpty { delivery.deliver(epochs) }
    }

    private func delivered() {
        waiting -= 1
        lastDelivery = scheduler.now
        metrics.gauge(\.epochsWaiting).set(waiting)
        guard let since = heldUpSince else { return }
        metrics.gauge(\.heldUpSeconds).add(scheduler.now.seconds(since: since))
        heldUpSince = nil
        tasks.values.forEach { $0.goOn() }
    }

    /// Takes partitions out of work. When it returns their tasks have ended and their last epochs are delivered, or
    /// `budget` ms are over; what was not delivered by then is dropped, to be read again by whoever is next.
    ///
    /// - Parameter keep: is given each task whose last epoch was delivered.
    /// - Returns: whether all was delivered.
    @discardableResult
    func retire(
        _ partitions: [TopicPartition], isLost: Bool, budget: Int, keep: (PartitionTask) -> Void = { _ in }
    ) -> Bool {
        let going = control.sync { partitions.compactMap { tasks.removeValue(forKey: $0) } }
        for task in going { task.end(isLost: isLost) }
        if isLost { return true }
        let done = scheduler.semaphore()
        deliveries.async {
            self.deliverInbox()
            done.signal()
        }
        let isDone = done.wait(milliseconds: budget)
        for task in going { task.lease.release() }
        if isDone { going.forEach(keep) }
        return isDone
    }

    var activeTasks: [PartitionTask] { control.sync { Array(tasks.values) } }
}

/// Tells the last of several that it is the last.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) {
        left = Atomic(count)
    }

    func isOver() -> Bool { left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
