import Aggregating
import BrokerSupport
import Dispatch
import Foundation
import Kafka
import Metering
import Settings
import Synchronization
import Testing

@testable import Worker

/// What the output topic holds, as a reader sees it who keeps the newest row of each key.
struct Rows {
    private var newest: [String: Int] = [:]
    private var active: [String: Row.Intervals] = [:]
    /// Keys whose newest row held less than one before it.
    private(set) var shrunk: [String] = []

    /// Events that are in some row: folded, other, late or duplicate.
    var accounted: Int { newest.values.reduce(0, +) }

    /// Active intervals that were measured, and their sum in ms.
    var activeIntervals: (count: Int, sum: Int) {
        active.values.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.sum_ms) }
    }

    mutating func take(_ batch: RecordBatch) throws {
        for index in 0..<batch.count {
            let (key, value) = batch.withRecord(index) { key, value in
                let name = unsafe key.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
                return (name, unsafe value.withUnsafeBytes { unsafe Data($0) })
            }
            let row = try JSONDecoder().decode(Row.self, from: value)
            let count = row.events + row.events_other + row.late_events + (row.anomalies["duplicate_event"] ?? 0)
            if count < newest[key] ?? 0 { shrunk.append(key) }
            newest[key] = count
            active[key] = row.active
        }
    }

    private struct Row: Decodable {
        var events: Int
        var events_other: Int
        var late_events: Int
        var anomalies: [String: Int]
        var active: Intervals

        struct Intervals: Decodable {
            var count: Int
            var sum_ms: Int
        }
    }
}

/// A cluster with a worker's topics, a producer, and workers beside or after one another.
final class WorkerBench: @unchecked Sendable {
    /// nil where the cluster is a real one.
    let cluster: MockCluster?
    let writer: Producer
    private let bootstrap: String
    private let name: String
    let settings: Settings
    private let state = Mutex(Rows())
    private let failures = Mutex<[WorkerFailure]>([])
    private var runs: [Metrics] = []
    private var running: [(worker: Worker, ended: DispatchSemaphore)] = []

    /// The time of the first event, ms since the epoch: a whole minute.
    static let begin: Int64 = 1_767_225_600_000

    static func silentLog(_ metrics: Metrics) -> Log {
        Log(level: .error, lost: metrics.counter(\.logLinesLost))
    }

    /// On an embedded cluster, which has no transactions.
    init(partitions: Int, makesInput: Bool = true) throws {
        let cluster = try MockCluster()
        for topic in ["app-partials", "app-devices", "app-totals", "out", "app-dead-letter"] {
            try cluster.createTopic(topic, partitions: partitions)
        }
        if makesInput { try cluster.createTopic("in", partitions: partitions) }
        bootstrap = cluster.bootstrapServers
        name = ""
        settings = try Self.settings(bootstrap, application: "app", input: "in", output: "out", .atLeastOnce)
        writer = try Producer(local(bootstrap))
        self.cluster = .some(cluster)
    }

    /// On a real one, where the worker makes its topics itself.
    init(
        on bootstrap: String, name: String, partitions: Int, _ more: [String: String] = [:]
    ) throws {
        self.bootstrap = bootstrap
        self.name = name
        cluster = nil
        settings = try Self.settings(
            bootstrap, application: name, input: "\(name)in", output: "\(name)out", .exactlyOnce, more)
        writer = try Producer(local(bootstrap))
        let input = NewTopic("\(name)in", partitions: partitions, replicas: 1)
        try Admin(local(bootstrap)).create([input], limit: 10_000)
    }

    /// The same application again, which has seen no rows yet.
    init(on bootstrap: String, continuing other: WorkerBench) throws {
        self.bootstrap = bootstrap
        name = other.name
        cluster = nil
        settings = other.settings
        writer = try Producer(local(bootstrap))
    }

    private static func settings(
        _ bootstrap: String, application: String, input: String, output: String, _ guarantee: DeliveryGuarantee,
        _ more: [String: String] = [:]
    ) throws -> Settings {
        let values = [
            "application.id": application, "input.topic": input, "output.topic": output, "commit.interval": "100ms",
            "kafka.bootstrap.servers": bootstrap, "shutdown.timeout": "10s", "idle.timeout": "1h",
            "delivery.guarantee": guarantee.rawValue,
            "kafka.consumer.session.timeout.ms": "6000", "kafka.consumer.heartbeat.interval.ms": "500",
            "kafka.consumer.fetch.wait.max.ms": "50",
        ]
        return try Settings(values.merging(more) { _, new in new })
    }

    var rows: Rows { state.withLock { $0 } }

    /// Partitions that began without the states that they should have had.
    var lostCheckpoints: UInt64 { runs.reduce(0) { $0 + $1.counter(\.checkpointsLost).value } }

    /// Heartbeats of so many devices, each with its own key, one a second.
    func produce(users: Int, from first: Int, count: Int) throws {
        for number in first..<(first + count) {
            for user in 0..<users {
                let time = Self.begin + Int64(number) * 1000 + Int64(user)
                let event =
                    "{\"device_id\":\"u\(user)\",\"app_id\":\"a\(user % 3)\",\"event\":\"heartbeat\",\"ts\":\(time),"
                    + "\"seq\":\(number + 1),\"process_id\":\"p\"}"
                try writer.send("\(name)in", "u\(user)", event)
            }
        }
        #expect(writer.flush(limit: 60_000) as Bool)
    }

    /// One numbered event of each of so many devices.
    func produce(_ event: String, users: Int, number: Int, time: Int64) throws {
        for user in 0..<users {
            let text =
                "{\"device_id\":\"u\(user)\",\"app_id\":\"a\",\"event\":\"\(event)\",\"ts\":\(time),"
                + "\"seq\":\(number),\"process_id\":\"p\"}"
            try writer.send("\(name)in", "u\(user)", text)
        }
        #expect(writer.flush(limit: 60_000) as Bool)
    }

    /// Starts a worker on a thread of its own.
    @discardableResult
    func start() -> Worker {
        let metrics = Metrics()
        runs.append(metrics)
        let worker = Worker(settings, metrics: metrics, log: Self.silentLog(metrics)) { [weak self] batch in
            self?.state.withLock { rows in
                do {
                    try rows.take(batch)
                } catch {
                    Issue.record(error)
                }
            }
        }
        let ended = DispatchSemaphore(value: 0)
        running.append((worker, ended))
        Thread { [weak self] in
            do throws(WorkerFailure) {
                try worker.run()
            } catch {
                self?.failures.withLock { $0.append(error) }
            }
            ended.signal()
        }.start()
        return worker
    }

    /// Those of the worker that was started last.
    var lastMetrics: Metrics { runs[runs.count - 1] }

    /// Stops the worker that was started first, and waits for its end.
    func stop() throws {
        let (worker, ended) = running.removeFirst()
        worker.stop()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        if let failure = failures.withLock({ $0.first }) { throw failure }
    }

    func waits(seconds: Double = 30, until done: (Rows) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            if done(rows) { return true }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return false
    }

    /// Every record of a topic.
    func readAll(_ topic: String) throws -> [Received] {
        let reader = try Reader(bootstrap, group: "check", topics: [topic], startAt: .beginning)
        _ = reader.poll { !$0.assigned.isEmpty && $0.ends.count == $0.assigned.count }
        let all = reader.state.withLock { $0.received }
        try reader.consumer.close()
        return all
    }
}
