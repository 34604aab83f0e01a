internal import BrokerSupport
internal import Foundation
internal import Fleet
internal import Kafka

/// The worker from end to end on a real broker, in turns with a bare consumer of the same topic.
struct BrokerBench {
    private static let partitions = 4
    /// Seconds that one reading of the topic may take.
    private static let limit = 90.0

    private let bootstrap: String
    private let events: Int
    private let fleet: BenchFleet
    private let topic: String

    /// One reading of the topic.
    private struct Reading {
        var wall: Double
        var seconds: Double
    }

    static func run(_ report: inout Report, full: Bool) throws {
        guard RealBroker.isPresent else {
            report.section("end to end")
            return report.note("skipped", "no Kafka in ../shared/kafka or KAFKA_HOME")
        }
        let events = full ? 8_000_000 : 3_000_000
        let broker = try RealBroker()
        defer { broker.stop() }
        for fleet in BenchFleet.allCases {
            let bench = BrokerBench(
                bootstrap: broker.bootstrap, events: events, fleet: fleet, topic: "lifecycle-\(fleet)")
            try bench.compare(&report, turns: full ? 5 : 3)
        }
        report.section("delivery on a real broker")
        let delivery = DeliveryBench(bootstrap: broker.bootstrap, topic: "lifecycle-\(BenchFleet.everything)")
        try delivery.compareGuarantees(&report, events: events, turns: full ? 4 : 2)
    }

    private func compare(_ report: inout Report, turns: Int) throws {
        report.section(
            "end to end on a real broker, \(events) events, \(Self.partitions) partitions, lz4: \(fleet.title)")
        let bytes = try fill()
        report.figure("event size", Double(bytes) / Double(events), "B", digits: 0)
        var (bare, equal, worker): ([Reading], [Reading], [Reading]) = ([], [], [])
        for turn in 0..<turns {
            bare.append(try readBare("bare-consumer"))
            worker.append(try readWithWorker(turn))
            equal.append(try readBare("bare-consumer-tcmalloc"))
        }
        tell(&report, bare, equal, worker)
    }

    /// - Parameter equal: of a bare consumer with the worker's allocator.
    private func tell(_ report: inout Report, _ bare: [Reading], _ equal: [Reading], _ worker: [Reading]) {
        let count = Double(events)
        for (name, readings) in [("bare consumer", bare), ("the same with tcmalloc", equal), ("worker", worker)] {
            let rates = readings.map { Report.number(count / $0.wall / 1e6, digits: 2) }
            report.note(name, "\(rates.joined(separator: ", ")) M events/s in turn")
            let seconds = readings.map(\.seconds).min() ?? 0
            report.figure("", seconds * 1e6 / count, "µs of CPU an event")
        }
        guard let best = bare.map(\.wall).min(), let own = worker.map(\.wall).min(),
            let fastest = equal.map(\.wall).min()
        else { return }
        report.figure(
            "worker over bare consumer, best of each", best / own, "", floor: fleet.hasFloors ? .atLeast(0.6) : nil)
        report.figure("worker over the one with tcmalloc", fastest / own, "")
    }

    /// Makes the topic and fills it.
    ///
    /// - Returns: bytes of all values.
    private func fill() throws -> Int {
        // The events are of the past: by their time they would be deleted.
        let wanted = NewTopic(
            topic, partitions: Self.partitions, replicas: 1, configuration: ["retention.ms": "-1"])
        try Admin(local(bootstrap)).create([wanted], limit: 10_000)
        let producer = try Producer(
            local(
                bootstrap,
                [
                    "compression.type": "lz4", "linger.ms": "50", "batch.size": "1000000",
                    "batch.num.messages": "100000", "queue.buffering.max.messages": "1000000",
                ]))
        var options = fleet.options(devices: 1_000_000, days: 10)
        options.events = events
        options.fields = [.sequence, .process]
        var fleet = Fleet(options)
        var lines = LineBatch()
        var bytes = 0
        while fleet.fill(&lines) {
            for line in lines.lines {
                bytes += Int(line.length)
                try lines.withRecord(line) { value, key in
                    while try producer.produce(
                        topic: topic, key: key, value: value, timestamp: line.received) == .queueFull
                    { producer.poll(timeout: 10) }
                }
            }
            producer.poll()
            lines.removeAll()
        }
        guard producer.flush(limit: 120_000), producer.takeDeliveries().failed == 0 else {
            throw Child.Failure(description: "the topic could not be filled")
        }
        return bytes
    }

    /// - Parameter program: a bare consumer, which differ in their allocator.
    private func readBare(_ program: String) throws -> Reading {
        let told = try Child.output(
            of: Child.beside(program),
            [bootstrap, topic, String(Self.partitions), String(events), String(Int(Self.limit))],
            seconds: Int(Self.limit) + 30)
        let numbers = told.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 3, numbers[0] == Double(events) else {
            throw Child.Failure(description: "\(program) did not read \(events) messages: \(told)")
        }
        return Reading(wall: numbers[1], seconds: numbers[2])
    }

    /// From its assignment to the commit of the last offset.
    private func readWithWorker(_ turn: Int) throws -> Reading {
        let application = "bench-\(fleet)-\(turn)"
        let configuration = Scratch.path("\(application).properties")
        let log = Scratch.path("\(application).log")
        let text = """
            application.id=\(application)
            input.topic=\(topic)
            output.topic=\(application)-out
            kafka.bootstrap.servers=\(bootstrap)
            delivery.guarantee=at_least_once
            commit.interval=250ms
            http.listen=127.0.0.1:0

            """
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
        let child = try Child(
            Child.phasefold, ["run", "-c", configuration], seconds: Int(Self.limit) + 30, output: "/dev/null",
            errors: log)
        let wall = try? waits(application, log)
        child.stop()
        let usage = child.wait()
        guard let wall, usage.status == 0 else {
            let lines = Machine.text(of: log)?.split(separator: "\n").suffix(5).joined(separator: "\n") ?? ""
            throw Child.Failure(description: "the worker did not read all; it ended with \(usage.status):\n\(lines)")
        }
        return Reading(wall: wall, seconds: usage.seconds)
    }

    private func waits(_ application: String, _ log: String) throws -> Double? {
        let end = Clock.wall + Self.limit
        while Machine.text(of: log)?.contains("partitions assigned") != true {
            guard Clock.wall < end else { return nil }
            Thread.sleep(forTimeInterval: 0.01)
        }
        let start = Clock.wall
        let group = try Consumer(group: application, local(bootstrap))
        let partitions = (0..<Self.partitions).map { TopicPartition(topic, Int32($0)) }
        while Clock.wall < end {
            let committed = try group.committed(partitions, limit: 10_000)
            if committed.reduce(0, { $0 + Int($1.offset ?? 0) }) >= events { return Clock.wall - start }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return nil
    }
}
