internal import Fleet
internal import Glibc
internal import Metering
internal import Settings
internal import Worker

/// Where simulated events go: standard output, or a topic.
struct EventSink {
    private let writer: TopicWriter?
    private let log: Log

    /// - Parameter topic: nil for standard output.
    init(topic: String?, _ settings: Settings) throws(CommandError) {
        let metrics = Metrics()
        let log = Log(settings, metrics)
        self.log = log
        do throws(WorkerFailure) {
            writer = try topic.map { topic throws(WorkerFailure) in
                try TopicWriter(settings, topic: topic, metrics: metrics, log: log)
            }
        } catch {
            throw CommandError(error)
        }
    }

    func take(_ batch: borrowing LineBatch) throws {
        guard let writer else { return try batch.withText(Output.write) }
        do throws(WorkerFailure) {
            for line in batch.lines {
                try batch.withRecord(line) { (value, key) throws(WorkerFailure) in
                    try writer.write(key: key, value: value, timestamp: line.received)
                }
            }
            writer.poll()
        } catch {
            throw CommandError(error)
        }
    }

    /// Waits until a topic has all of it.
    func close() throws(CommandError) {
        defer { log.flush() }
        do throws(WorkerFailure) {
            _ = try writer?.flush()
        } catch {
            throw CommandError(error)
        }
    }
}

/// Holds a command to so many events a second.
struct Pace {
    private let eventsPerSecond: Double?
    private let start = ContinuousClock.now

    /// Events to give at once: about a twentieth of a second's.
    let batch: Int

    /// - Parameter eventsPerSecond: nil for no limit.
    init(eventsPerSecond: Int64?) {
        self.eventsPerSecond = eventsPerSecond.map { Double($0) }
        batch = eventsPerSecond.map { Int(min(4096, max(1, $0 / 20))) } ?? 4096
    }

    /// Sleeps until `count` events are due.
    func wait(after count: Int) {
        guard let eventsPerSecond else { return }
        let due = start + .seconds(Double(count) / eventsPerSecond)
        let rest = due - ContinuousClock.now
        guard rest > .zero else { return }
        let parts = rest.components
        var time = timespec(
            tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }
}
