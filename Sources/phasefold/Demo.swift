internal import Dispatch
internal import Engine
internal import Fleet
internal import Foundation
internal import Glibc
internal import Metering
internal import Settings
internal import Synchronization
internal import Worker

/// A whole pipeline in one process: embedded broker, simulated devices, worker and page.
final class Demo {
    private let plan: DemoPlan
    private let settings: Settings
    private let metrics = Metrics()
    private let log: Log
    private let site: WorkerSite
    private let worker: Worker
    private let writer: TopicWriter
    /// Last, and so the last to go: the others end while it is there.
    private let cluster: EmbeddedCluster
    private var sent = 0

    /// Records that may be sent and not yet read: with keys spread evenly they take a third of what the broker keeps.
    private static let mostAhead = DemoPlan.partitions * 6000
    /// Partials that may wait for stage 2.
    private static let mostPartials = 4000
    /// How long what was sent may take to be folded at the end, s.
    private static let patience = 30.0

    init(_ plan: DemoPlan) throws {
        self.plan = plan
        log = Log(level: .warning, lost: metrics.counter(\.logLinesLost))
        cluster = try EmbeddedCluster(metrics: metrics, log: log)
        settings = try plan.settings(bootstrapServers: cluster.bootstrapServers)
        try cluster.createTopic(DemoPlan.inputTopic, partitions: DemoPlan.partitions)
        let outputs = [settings.outputTopic, settings.deadLetterTopic]
        for topic in [settings.partialsTopic, settings.devicesTopic, settings.totalsTopic] + outputs {
            try cluster.createTopic(topic, partitions: 1)
        }
        (worker, site) = try WorkerSite.open(settings, metrics: metrics, log: log)
        writer = try TopicWriter(settings, topic: DemoPlan.inputTopic, metrics: metrics, log: log)
    }

    var address: String { site.address }

    /// Plays until the time is over or an interrupt comes; then everything that was sent is folded.
    func play() throws -> DemoResult {
        defer {
            site.stop()
            log.flush()
        }
        let running = WorkerThread(worker)
        try send(while: running)
        _ = try writer.flush()
        waitForTheFold(while: running)
        // A worker that has given its partitions up shows nothing of their states.
        let standing = Standing(
            counts: counts, devices: total(\.devices), held: total(\.eventsHeld))
        worker.stop()
        try running.join()
        return result(standing)
    }

    // MARK: Sending

    private func send(while running: WorkerThread) throws {
        var options = plan.fleet
        let month: Int64 = 30 * 86_400_000
        options.start = (Int64(Date().timeIntervalSince1970 * 1000) - month) / 3_600_000 * 3_600_000
        var fleet = Fleet(options)
        var batch = LineBatch(lines: 256)
        let begin = ContinuousClock.now
        while running.isRunning, !Interrupt.isPending {
            let elapsed = (ContinuousClock.now - begin) / .seconds(1)
            if let seconds = plan.seconds, elapsed >= seconds { return }
            let due = Int(elapsed * plan.rate) - sent
            guard due > 0, ahead < Self.mostAhead, waitingPartials < Self.mostPartials else {
                writer.poll()
                usleep(2000)
                continue
            }
            guard fleet.fill(&batch) else { return }
            try write(batch)
            batch.removeAll()
        }
    }

    private func write(_ batch: borrowing LineBatch) throws {
        for line in batch.lines {
            try batch.withRecord(line) { value, key in
                try writer.write(key: key, value: value, timestamp: line.received)
            }
        }
        sent += batch.count
        writer.poll()
    }

    // MARK: Watching

    private func total(_ path: KeyPath<MetricTable, CounterDefinition>) -> Int {
        (0..<DemoPlan.partitions).reduce(0) { sum, partition in
            sum + Int(metrics.counter(path, "\(DemoPlan.inputTopic)-\(partition)").value)
        }
    }

    private func total(_ path: KeyPath<MetricTable, GaugeDefinition>) -> Int {
        (0..<DemoPlan.partitions).reduce(0) { sum, partition in
            sum + Int(metrics.gauge(path, "\(DemoPlan.inputTopic)-\(partition)").value)
        }
    }

    private var counts: EngineCounts {
        var counts = EngineCounts()
        counts.folded = total(\.eventsFolded)
        counts.duplicates = total(\.eventsDuplicate)
        counts.late = total(\.eventsLate)
        counts.other = total(\.eventsOther)
        return counts
    }

    /// Records sent and not yet read.
    private var ahead: Int { sent - total(\.recordsIn) - total(\.offsetsSkipped) }

    private var waitingPartials: Int {
        Int(metrics.counter(\.partialsOut).value) - Int(metrics.counter(\.partialsIn).value)
    }

    /// Waits until everything is read and both stages have been quiet for some commits.
    private func waitForTheFold(while running: WorkerThread) {
        let begin = ContinuousClock.now
        var quietSince = begin
        var before: [UInt64] = []
        while running.isRunning, ContinuousClock.now - begin < .seconds(Self.patience) {
            let now = ContinuousClock.now
            let done = [metrics.counter(\.partialsOut), metrics.counter(\.rowsOut)].map(\.value)
            if ahead > 0 || waitingPartials > 0 || done != before { quietSince = now }
            if now - quietSince > .milliseconds(settings.commitInterval * 3) { return }
            before = done
            usleep(20_000)
        }
    }

    // MARK: The end

    /// What has come of the events when all have been read.
    private struct Standing {
        var counts: EngineCounts
        var devices: Int
        /// Those that wait for older ones stay in the checkpoint.
        var held: Int
    }

    private func result(_ standing: Standing) -> DemoResult {
        let accounted = standing.counts.events + standing.held
        let read = total(\.recordsIn)
        var summary = ReplaySummary(standing.counts, devices: standing.devices, settings)
        for row in site.rows { summary.add(unsafe row.span.bytes) }
        let page =
            "sent     \(Figures.grouped(sent)) records, \(Figures.grouped(read)) of them read, "
            + "\(Figures.grouped(accounted)) events folded or accounted for\n" + summary.page()
        return DemoResult(page: page, lost: sent - min(read, accounted))
    }
}

/// The worker on a thread of its own.
private final class WorkerThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Result<Void, WorkerFailure>?>(nil)

    init(_ worker: Worker) {
        let thread = Thread { [self] in
            let result = Result { () throws(WorkerFailure) in try worker.run() }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    var isRunning: Bool { outcome.withLock { $0 == nil } }

    /// Waits until the worker has ended; throws what it ended with.
    func join() throws(WorkerFailure) {
        ended.wait()
        try outcome.withLock { $0 }?.get()
    }
}
