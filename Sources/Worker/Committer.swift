internal import Dispatch
internal import Engine
internal import Kafka
internal import Metering

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
    private let control = DispatchQueue(label: "phasefold.commit")
    private let deliveries = DispatchQueue(label: "phasefold.delivery")

    // Touched on `control` alone.
    private var tasks: [TopicPartition: PartitionTask] = [:]
    private var timer: (any DispatchSourceTimer)?
    private var waiting = 0
    private var isGathering = false
    private var heldUpSince: DispatchTime?
    private var lastDelivery = DispatchTime.now()

    /// - Parameter interval: ms.
    init(interval: Int, delivery: any EpochDelivery, metrics: Metrics) {
        self.interval = interval
        self.delivery = delivery
        self.metrics = metrics
    }

    func start() {
        control.sync {
            let timer = DispatchSource.makeTimerSource(queue: control)
            timer.schedule(deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval))
            timer.setEventHandler { [weak self] in self?.closeAll() }
            timer.activate()
            self.timer = timer
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
        control.sync { Int((DispatchTime.now().uptimeNanoseconds - lastDelivery.uptimeNanoseconds) / 1_000_000) }
    }

    private func closeAll() {
        guard !isGathering else { return }
        if waiting >= Self.waitingLimit {
            if heldUpSince == nil {
                heldUpSince = .now()
                tasks.values.forEach { $0.holdUp() }
            }
            return
        }
        isGathering = true
        waiting += 1
        metrics.gauge(\.epochsWaiting).set(waiting)
        let closing = DispatchGroup()
        for task in tasks.values {
            closing.enter()
            task.close { closing.leave() }
        }
        closing.notify(queue: control) {
            self.isGathering = false
            // A task that had been held up because it was full has been emptied now.
            if self.heldUpSince == nil { self.tasks.values.forEach { $0.goOn() } }
            self.deliveries.async {
                self.deliverInbox()
                self.control.async { self.delivered() }
            }
        }
    }

    private func deliverInbox() {
        let epochs = inbox.takeAll()
        if !epochs.isEmpty { delivery.deliver(epochs) }
    }

    private func delivered() {
        waiting -= 1
        lastDelivery = .now()
        metrics.gauge(\.epochsWaiting).set(waiting)
        guard let since = heldUpSince else { return }
        let held = DispatchTime.now().uptimeNanoseconds - since.uptimeNanoseconds
        metrics.gauge(\.heldUpSeconds).add(Double(held) / 1e9)
        heldUpSince = nil
        tasks.values.forEach { $0.goOn() }
    }

    /// Takes partitions out of work. When it returns their tasks have ended and their last epochs are delivered, or
    /// `budget` ms are over; what was not delivered by then is dropped, to be read again by whoever is next.
    /// - Returns: whether all was delivered.
    @discardableResult
    func retire(_ partitions: [TopicPartition], isLost: Bool, budget: Int) -> Bool {
        let going = control.sync { partitions.compactMap { tasks.removeValue(forKey: $0) } }
        for task in going { task.end(isLost: isLost) }
        if isLost { return true }
        let done = DispatchSemaphore(value: 0)
        deliveries.async {
            self.deliverInbox()
            done.signal()
        }
        let isDone = done.wait(timeout: .now() + .milliseconds(budget)) == .success
        for task in going { task.lease.release() }
        return isDone
    }

    var activeTasks: [PartitionTask] { control.sync { Array(tasks.values) } }
}
