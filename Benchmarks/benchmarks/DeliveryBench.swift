internal import BrokerSupport
internal import Foundation
internal import Glibc
internal import Kafka

/// Workers on a real broker: what exactly once costs, and how long a partition stands still when one goes.
struct DeliveryBench {
    private static let partitions = 4
    /// Seconds that anything may take.
    private static let limit = 90.0

    private let bootstrap: String
    private let topic: String

    init(bootstrap: String, topic: String) {
        self.bootstrap = bootstrap
        self.topic = topic
    }

    // MARK: Cost

    /// Reads a filled topic in turns with and without transactions, and compares the rates between commits.
    func compareGuarantees(_ report: inout Report, events: Int, turns: Int) throws {
        var rates: [String: [Double]] = [:]
        var seconds: [String: [Double]] = [:]
        for turn in 0..<turns {
            for guarantee in ["at_least_once", "exactly_once"] {
                let name = "cost-\(guarantee)-\(turn)"
                let worker = try start(
                    name, ["delivery.guarantee=\(guarantee)", "commit.interval=1s"])
                let rate = try rateOfCommits(name, until: events)
                let usage = worker.end()
                rates[guarantee, default: []].append(rate)
                seconds[guarantee, default: []].append(usage.seconds)
            }
        }
        for (guarantee, found) in rates.sorted(by: { $0.key < $1.key }) {
            let text = found.map { Report.number($0 / 1e6, digits: 2) }.joined(separator: ", ")
            report.note(guarantee, "\(text) M events/s in turn, commit.interval 1s")
            let least = seconds[guarantee]?.min() ?? 0
            report.figure("", least * 1e6 / Double(events), "µs of CPU an event")
        }
        guard let with = rates["exactly_once"]?.max(), let without = rates["at_least_once"]?.max() else { return }
        report.figure("exactly once over at least once, best of each", with / without, "", floor: .atLeast(0.9))
    }

    /// Events a second from the first commit to the last one that is seen.
    private func rateOfCommits(_ name: String, until events: Int) throws -> Double {
        let offsets = try Offsets(bootstrap, name, topic, Self.partitions)
        let end = Clock.wall + Self.limit
        var first: (time: Double, sum: Int64)?
        var last: (time: Double, sum: Int64) = (0, 0)
        while Clock.wall < end {
            let sum = try offsets.committed().reduce(0, +)
            if sum > last.sum {
                last = (Clock.wall, sum)
                if first == nil { first = last }
                if sum >= Int64(events) { break }
            }
            usleep(10_000)
        }
        guard last.sum >= Int64(events), let first, last.time > first.time else {
            throw Child.Failure(description: "\(name) committed \(last.sum) of \(events) events")
        }
        return Double(last.sum - first.sum) / (last.time - first.time)
    }

    // MARK: Take-over

    static func run(_ report: inout Report) throws {
        report.section("take-over on a real broker")
        guard RealBroker.isPresent else {
            return report.note("skipped", "no Kafka in ../shared/kafka or KAFKA_HOME")
        }
        let broker = try RealBroker()
        defer { broker.stop() }
        try DeliveryBench(bootstrap: broker.bootstrap, topic: "take-over").takeOver(&report)
    }

    /// How long it takes from a death until every partition commits again.
    private func takeOver(_ report: inout Report) throws {
        let load = try Load(bootstrap, topic, partitions: Self.partitions)
        defer { load.stop() }
        var worker = try start("alone")
        _ = try waitForCommits("alone", since: nil)
        worker.kill()
        let (died, before) = (Clock.wall, try offsets("alone"))
        worker = try start("alone")
        let restart = try waitForCommits("alone", since: before) - died
        report.figure("kill -9, restart to a commit in every partition", restart, "s", floor: .atMost(10))
        worker.kill()

        let standby = ["standby.replicas=1"]
        for (what, name, isKilled, more, floor) in [
            ("kill -9", "killed", true, [], 10.0), ("SIGTERM", "stopped", false, [], 5.0),
            ("kill -9, with a standby,", "kept", true, standby, 10.0),
            ("SIGTERM, with a standby,", "handed", false, standby, 5.0),
        ] {
            let first = try start(name, more)
            _ = try waitForCommits(name, since: nil)
            let second = try start(name, more)
            // Both have partitions and commit.
            usleep(5_000_000)
            let gone = Clock.wall
            if isKilled { first.kill() } else { _ = first.end() }
            // What it committed at last does not count.
            let time = try waitForCommits(name, since: offsets(name)) - gone
            report.figure("\(what) of one of two, to a commit in every partition", time, "s", floor: .atMost(floor))
            _ = second.end()
        }
    }

    private func offsets(_ name: String) throws -> [Int64] {
        try Offsets(bootstrap, name, topic, Self.partitions).committed()
    }

    /// The time at which every partition has committed more than `before`.
    private func waitForCommits(_ name: String, since before: [Int64]?) throws -> Double {
        let offsets = try Offsets(bootstrap, name, topic, Self.partitions)
        let end = Clock.wall + Self.limit
        while Clock.wall < end {
            let found = try offsets.committed()
            if zip(found, before ?? found.map { _ in 0 }).allSatisfy({ $0 > $1 }) { return Clock.wall }
            usleep(10_000)
        }
        throw Child.Failure(description: "\(name): not every partition commits after \(Self.limit) s")
    }

    private func start(_ application: String, _ more: [String] = []) throws -> BenchWorker {
        let lines =
            [
                "application.id=\(application)", "input.topic=\(topic)", "output.topic=\(application)-out",
                "kafka.bootstrap.servers=\(bootstrap)", "http.listen=127.0.0.1:0",
            ] + more
        return try BenchWorker(application, lines.joined(separator: "\n") + "\n", seconds: Int(Self.limit) * 2)
    }
}

/// `phasefold run` as a process that can be killed.
struct BenchWorker {
    private let child: Child

    init(_ name: String, _ configuration: String, seconds: Int) throws {
        let file = Scratch.path("\(name).properties")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        child = try Child(
            Child.phasefold, ["run", "-c", file], seconds: seconds, output: "/dev/null",
            errors: Scratch.path("\(name)-\(UUID().uuidString).log"))
    }

    func stop() { child.stop() }

    func end() -> Child.Usage {
        child.stop()
        return child.wait()
    }

    /// SIGKILL, to the program and to what watches its time.
    func kill() { child.kill() }
}

/// What a group has committed, whether or not a transaction is about to change it.
private struct Offsets: ~Copyable {
    private let consumer: Consumer
    private let partitions: [TopicPartition]

    init(_ bootstrap: String, _ group: String, _ topic: String, _ count: Int) throws {
        consumer = try Consumer(group: group, local(bootstrap, ["isolation.level": "read_uncommitted"]))
        partitions = (0..<Int32(count)).map { TopicPartition(topic, $0) }
    }

    func committed() throws -> [Int64] {
        try consumer.committed(partitions, limit: 20_000).map { $0.offset ?? 0 }
    }
}

/// A steady load on a topic of its own: some thousand events a second over all partitions.
private final class Load: @unchecked Sendable {
    private let thread: Thread
    private let ended = DispatchSemaphore(value: 0)

    init(_ bootstrap: String, _ topic: String, partitions: Int) throws {
        try Admin(local(bootstrap)).create([NewTopic(topic, partitions: partitions, replicas: 1)], limit: 10_000)
        let producer = try Producer(local(bootstrap))
        let ended = ended
        thread = Thread {
            var number = 0
            while !Thread.current.isCancelled {
                for _ in 0..<100 {
                    let device = number % 5000
                    let event =
                        "{\"device_id\":\"d\(device)\",\"app_id\":\"a\",\"event\":\"heartbeat\","
                        + "\"seq\":\(number / 5000)}"
                    try? producer.send(topic, "d\(device)", event)
                    number += 1
                }
                producer.poll()
                usleep(50_000)
            }
            ended.signal()
        }
        thread.start()
    }

    func stop() {
        thread.cancel()
        ended.wait()
    }
}
