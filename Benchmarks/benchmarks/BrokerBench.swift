internal import BrokerSupport
internal import Foundation
internal import Fleet
internal import Kafka

/// The worker from end to end on a real broker, in turns with a bare consumer of the same topic.
struct BrokerBench {
    private static let partitions = 4
    private static let topic = "lifecycle"
    /// Seconds that one reading of the topic may take.
    private static let limit = 90.0

    private let bootstrap: String
    private let events: Int

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
        report.section("end to end on a real broker, \(events) events, \(partitions) partitions, lz4")
        let broker = try RealBroker()
        defer { broker.stop() }
        let bench = BrokerBench(bootstrap: broker.bootstrap, events: events)
        let bytes = try bench.fill()
        report.figure("event size", Double(bytes) / Double(events), "B", digits: 0)
        var (bare, worker): ([Reading], [Reading]) = ([], [])
        for turn in 0..<(full ? 5 : 3) {
            bare.append(try bench.readBare())
            worker.append(try bench.readWithWorker(turn))
        }
        bench.tell(&report, bare, worker)
        report.section("delivery on a real broker")
        let delivery = DeliveryBench(bootstrap: broker.bootstrap, topic: Self.topic)
        try delivery.compareGuarantees(&report, events: events, turns: full ? 4 : 2)
    }

    private func tell(_ report: inout Report, _ bare: [Reading], _ worker: [Reading]) {
        let count = Double(events)
        for (name, readings) in [("bare consumer", bare), ("worker", worker)] {
            let rates = readings.map { Report.number(count / $0.wall / 1e6, digits: 2) }
            report.note(name, "\(rates.joined(separator: ", ")) M events/s in turn")
            let seconds = readings.map(\.seconds).min() ?? 0
            report.figure("", seconds * 1e6 / count, "µs of CPU an event")
        }
        guard let best = bare.map(\.wall).min(), let own = worker.map(\.wall).min() else { return }
        report.figure("worker over bare consumer, best of each", best / own, "", floor: .atLeast(0.6))
    }

    /// Makes the topic and fills it.
    ///
    /// - Returns: bytes of all values.
    private func fill() throws -> Int {
        // The events are of the past: by their time they would be deleted.
        let topic = NewTopic(
            Self.topic, partitions: Self.partitions, replicas: 1, configuration: ["retention.ms": "-1"])
        try Admin(local(bootstrap)).create([topic], limit: 10_000)
        let producer = try Producer(
            local(
                bootstrap,
                [
                    "compression.type": "lz4", "linger.ms": "50", "batch.size": "1000000",
                    "batch.num.messages": "100000", "queue.buffering.max.messages": "1000000",
                ]))
        var options = FleetOptions()
        options.devices = 1_000_000
        options.duration = 10 * 86_400_000
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
                        topic: Self.topic, key: key, value: value, timestamp: line.received) == .queueFull
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

    private func readBare() throws -> Reading {
        let consumer = try BareConsumer(bootstrap)
        let (start, used) = (Clock.wall, Clock.process)
        let count = consumer.read(
            Self.topic, partitions: Int32(Self.partitions), count: events, seconds: Self.limit)
        guard count == events else {
            throw Child.Failure(description: "the bare consumer read \(count) of \(events) messages")
        }
        return Reading(wall: Clock.wall - start, seconds: Clock.process - used)
    }

    /// From its assignment to the commit of the last offset.
    private func readWithWorker(_ turn: Int) throws -> Reading {
        let application = "bench-\(turn)"
        let configuration = Scratch.path("\(application).properties")
        let log = Scratch.path("\(application).log")
        let text = """
            application.id=\(application)
            input.topic=\(Self.topic)
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
        let partitions = (0..<Self.partitions).map { TopicPartition(Self.topic, Int32($0)) }
        while Clock.wall < end {
            let committed = try group.committed(partitions, limit: 10_000)
            if committed.reduce(0, { $0 + Int($1.offset ?? 0) }) >= events { return Clock.wall - start }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return nil
    }
}
