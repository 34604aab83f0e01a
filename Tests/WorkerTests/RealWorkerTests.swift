import BrokerSupport
import Foundation
import Kafka
import Testing

@testable import Worker

/// `phasefold run` as a process of its own, on a real broker, with other clients at both ends.
@Suite(.serialized, .enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct RealWorkerTests {
    static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    static let program = products.appending(path: "phasefold").path
    static let tools = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Support")
    /// A Python that has the other client, or nil.
    static let python: String? = {
        let package = tools.deletingLastPathComponent().deletingLastPathComponent()
        let places = [package.appending(path: ".build/venv/bin/python").path, "/usr/bin/python3"]
        return places.first { (try? RealBroker.run($0, ["-c", "import confluent_kafka"])) != nil }
    }()
    static var hasPeer: Bool { python != nil }

    let bootstrap: String

    init() throws {
        bootstrap = try RealBroker.shared().bootstrap
    }

    private func temporary(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "phasefold-\(UUID().uuidString)-\(name)")
    }

    private func peer(_ arguments: String..., input: URL? = nil) throws -> String {
        try RealBroker.run(
            Self.python ?? "", [Self.tools.appending(path: "kafka_peer.py").path] + arguments, input: input)
    }

    private func properties(_ name: String, _ more: [String: String] = [:]) throws -> URL {
        var values = [
            "application.id": name, "input.topic": "\(name)-in", "output.topic": "\(name)-out",
            "kafka.bootstrap.servers": bootstrap, "commit.interval": "200ms", "idle.timeout": "1h",
            "window.grace": "10m", "http.listen": "127.0.0.1:0",
        ]
        values.merge(more) { _, new in new }
        let file = temporary("worker.properties")
        try Data(values.map { "\($0)=\($1)\n" }.sorted().joined().utf8).write(to: file)
        return file
    }

    private func createInput(_ name: String, partitions: Int) throws {
        let admin = try Admin(local(bootstrap))
        let topic = NewTopic(
            "\(name)-in", partitions: partitions, replicas: 1, configuration: ["retention.ms": "-1"])
        try admin.create([topic], limit: 10_000)
    }

    private func log(of properties: URL) -> URL {
        properties.deletingPathExtension().appendingPathExtension("log")
    }

    private func remove(_ files: URL...) {
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    /// Starts `phasefold run`; its log goes to a file, ``log(of:)``.
    private func startWorker(_ properties: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["run", "-c", properties.path]
        let log = log(of: properties)
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: log)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func rows(_ topic: String) throws -> [String: [String: Any]] {
        var rows: [String: [String: Any]] = [:]
        for line in try peer("consume", bootstrap, topic).split(separator: "\n") {
            let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let key = record?["key"] as? String, let text = record?["value"] as? String else { continue }
            rows[key] = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        }
        return rows
    }

    /// The rows once they account for `count` events.
    private func rows(_ topic: String, accountingFor count: Int) throws -> [String: [String: Any]] {
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end {
            let rows = try rows(topic)
            if rows.values.reduce(0, { $0 + accounted($1) }) >= count { return rows }
            Thread.sleep(forTimeInterval: 0.5)
        }
        return try rows(topic)
    }

    private func accounted(_ row: [String: Any]) -> Int {
        let anomalies = row["anomalies"] as? [String: Int]
        let counts = ["events", "events_other", "late_events"].map { row[$0] as? Int ?? 0 }
        return counts.reduce(anomalies?["duplicate_event"] ?? 0, +)
    }

    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func rowsEqualThoseOfReplay() throws {
        let name = fresh("same")
        try createInput(name, partitions: 1)
        let events = temporary("events.ndjson")
        let file = try properties(name)
        defer { remove(events, file, log(of: file)) }
        let simulated = try RealBroker.run(
            Self.program, ["simulate", "--devices", "200", "--seconds", "1800", "--seed", "7"])
        try Data((simulated + "\n").utf8).write(to: events)
        let produced = Int(try peer("produce", bootstrap, "\(name)-in", input: events)) ?? 0
        let worker = try startWorker(file)
        defer { if worker.isRunning { worker.terminate() } }

        var wanted: [String: [String: Any]] = [:]
        let text = try RealBroker.run(Self.program, ["replay", "--set", "window.grace=10m", events.path])
        for line in text.split(separator: "\n") {
            guard let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
            wanted[key(of: row)] = row
        }
        #expect(wanted.count > 50)
        let found = try rows("\(name)-out", accountingFor: produced)
        #expect(Set(found.keys) == Set(wanted.keys))
        for (key, row) in wanted { expectSame(found[key], row, key) }

        worker.terminate()
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 0)
    }

    private func key(of row: [String: Any]) -> String {
        let names = ["app_id", "platform", "app_version"].map { row[$0] as? String ?? "" }
        return ([row["window_start"] as? String ?? "", "1m"] + names).joined(separator: "/")
    }

    /// Every field but those that tell how far a stream is.
    private func expectSame(_ found: [String: Any]?, _ wanted: [String: Any], _ key: String) {
        for (name, value) in wanted where name != "revision" && name != "final" {
            let other = found?[name] as? NSObject
            #expect(other == value as? NSObject, "\(key) \(name): \(other ?? NSNull()) instead of \(value)")
        }
    }

    @Test func topicsThatAreOtherwiseAreSaidAtTheStart() throws {
        let name = fresh("odd")
        try createInput(name, partitions: 1)
        let odd = NewTopic(
            "\(name)-totals", partitions: 1, replicas: 1, configuration: ["cleanup.policy": "delete"])
        try Admin(local(bootstrap)).create([odd], limit: 10_000)
        let file = try properties(name)
        defer { remove(file, log(of: file)) }
        let worker = try startWorker(file)
        defer { if worker.isRunning { worker.terminate() } }
        let wanted = "the topic \(name)-totals has cleanup.policy=delete: set it to compact"
        let end = Date(timeIntervalSinceNow: 60)
        var text = ""
        while !text.contains(wanted), Date() < end {
            Thread.sleep(forTimeInterval: 0.2)
            text = try String(contentsOf: log(of: file), encoding: .utf8)
        }
        #expect(text.contains(wanted), "\(text)")
        worker.terminate()
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 0)
    }

    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func whatCannotBeReadIsADeadLetter() throws {
        let name = fresh("bad")
        try createInput(name, partitions: 2)
        let lines = temporary("lines")
        let file = try properties(name)
        defer { remove(lines, file, log(of: file)) }
        try Data("key\t{\"device_id\":\"d\",\"app_id\":\"a\",\"event\":\"heartbeat\"}\nkey\t{nonsense\n".utf8)
            .write(to: lines)
        let kcat = ["-P", "-b", bootstrap, "-t", "\(name)-in", "-K", "\t", "-l", lines.path]
        _ = try RealBroker.run("/usr/bin/kcat", kcat)
        let worker = try startWorker(file)
        defer { if worker.isRunning { worker.terminate() } }
        _ = try rows("\(name)-out", accountingFor: 1)
        worker.terminate()
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 0)

        let letters = try peer("consume", bootstrap, "\(name)-dead-letter").split(separator: "\n")
        #expect(letters.count == 1)
        let letter = try JSONSerialization.jsonObject(with: Data((letters.first ?? "{}").utf8)) as? [String: Any]
        #expect(letter?["key"] as? String == "key")
        #expect(letter?["value"] as? String == "{nonsense")
        let headers = letter?["headers"] as? [String: String]
        #expect(headers?["phasefold.error.code"] == "invalid_json")
        #expect(headers?["phasefold.source.topic"] == "\(name)-in")
        #expect(headers?["phasefold.source.offset"] == "1")
        #expect(headers?.count == 8)
    }

    /// Runs the endurance test in its short form; its long form is for people.
    private func endure(_ broker: RealBroker, _ signal: String, _ more: String...) throws {
        let text = try RealBroker.run(
            Self.python ?? "",
            [
                Self.tools.appending(path: "endurance.py").path, "--phasefold", Self.program, "--bootstrap",
                broker.bootstrap, "--signal", signal, "--commit", "200ms", "--events", "10000",
            ] + more)
        print(text)
        #expect(text.contains(" 0 missing"))
    }

    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func nothingIsLostUnderLoad() throws {
        try endure(
            RealBroker.shared(), "TERM", "--rounds", "2", "--seconds", "2", "--guarantee", "at_least_once")
    }

    /// A worker is killed, another frozen for longer than its session, the broker killed; partitions are added.
    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func nothingIsLostAndNothingCountsTwice() throws {
        let broker = try RealBroker()
        defer { broker.stop() }
        try endure(
            broker, "MIXED", "--every-figure", "--rounds", "3", "--seconds", "3", "--workers", "2",
            "--broker", broker.script, "--broker-folder", broker.directory.path)
    }

    /// A worker is killed, and its successors in the middle of reading the checkpoint back.
    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func aKillWithinARestoreLosesNothing() throws {
        try endure(
            RealBroker.shared(), "RESTORE", "--every-figure", "--rounds", "1", "--seconds", "8",
            "--commit", "50ms")
    }

    /// Records without a key and of many devices each, the events of a device in every partition: every figure is that
    /// of one fold of all by receive time.
    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func recordsWithoutAKeyAreFoldedInTheirOrder() throws {
        try endure(RealBroker.shared(), "KILL", "--every-figure", "--rounds", "2", "--seconds", "4", "--unkeyed")
    }

    /// The same where all of it is there before the workers are, which read the partitions as fast as each can be read.
    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func aBacklogWithoutKeysIsFoldedInItsOrder() throws {
        try endure(
            RealBroker.shared(), "KILL", "--every-figure", "--rounds", "2", "--seconds", "4", "--unkeyed", "--backlog",
            "--workers", "2")
    }

    /// Of one partition the order is that of its records, whoever is killed.
    @Test(.enabled(if: hasPeer, "skipped: no confluent-kafka"))
    func recordsWithoutAKeyKeepTheirOrder() throws {
        try endure(
            RealBroker.shared(), "KILL", "--every-figure", "--rounds", "2", "--seconds", "4", "--unkeyed",
            "--partitions", "1")
    }

    @Test func nobodyThereEndsWith69() throws {
        let file = try properties(fresh("away"), ["kafka.bootstrap.servers": "127.0.0.1:1"])
        defer { remove(file, log(of: file)) }
        let worker = try startWorker(file)
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 69)
    }
}

/// A worker in this process and the real broker: rebalances, and a broker that goes away.
@Suite(.serialized, .enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct RealClusterTests {
    @Test func twoWorkersShareAndHandOver() throws {
        let bench = try WorkerBench(on: RealBroker.shared().bootstrap, name: fresh("share"), partitions: 4)
        try bench.produce(users: 20, from: 0, count: 20)
        bench.start()
        #expect(bench.waits { $0.accounted >= 400 })
        bench.start()
        try bench.produce(users: 20, from: 20, count: 20)
        #expect(bench.waits(seconds: 60) { $0.accounted >= 800 })
        try bench.stop()
        try bench.produce(users: 20, from: 40, count: 20)
        #expect(bench.waits(seconds: 60) { $0.accounted >= 1200 })
        try bench.stop()
        // No process died: nothing is counted twice, and no reader ever saw a row shrink.
        #expect(bench.rows.accounted == 1200)
        #expect(bench.rows.shrunk == [])
    }

    /// More workers than partitions: whoever has none is ready, and takes over when another goes.
    @Test func aWorkerWithoutAPartitionStandsBy() throws {
        let bench = try WorkerBench(on: RealBroker.shared().bootstrap, name: fresh("idle"), partitions: 1)
        try bench.produce(users: 10, from: 0, count: 10)
        let first = bench.start()
        #expect(bench.waits { $0.accounted >= 100 })
        let second = bench.start()
        #expect(bench.waits { _ in first.readiness.isReady && second.readiness.isReady })
        try bench.stop()
        try bench.produce(users: 10, from: 10, count: 10)
        #expect(bench.waits(seconds: 60) { $0.accounted >= 200 })
        try bench.stop()
        #expect(bench.rows.accounted == 200)
        #expect(bench.rows.shrunk == [])
    }

    /// What no restore will read is deleted, and what is left is enough.
    @Test func theCheckpointIsTrimmed() throws {
        let broker = try RealBroker.shared()
        let name = fresh("trim")
        let bench = try WorkerBench(on: broker.bootstrap, name: name, partitions: 1, ["checkpoint.pass": "5"])
        let admin = try Admin(local(broker.bootstrap))
        let place = TopicPartition("\(name)-devices", 0)
        bench.start()
        var low: Int64 = 0
        var count = 0
        let end = Date(timeIntervalSinceNow: 60)
        while low == 0, Date() < end {
            try bench.produce(users: 10, from: count, count: 1)
            count += 1
            Thread.sleep(forTimeInterval: 0.1)
            low = (try? admin.watermarks(of: place, limit: 5000))?.low ?? 0
        }
        #expect(low > 0)
        #expect(bench.waits { $0.accounted >= count * 10 })
        try bench.stop()
        // What was seen before is known: the same events again are in no row.
        try bench.produce(users: 10, from: count - 1, count: 2)
        let restarted = bench.start()
        #expect(bench.waits { $0.accounted >= count * 10 + 10 })
        // It says so the next time that it looks.
        #expect(bench.waits { _ in restarted.readiness.isReady })
        try bench.stop()
        #expect(bench.rows.accounted == count * 10 + 10)
        #expect(bench.lostCheckpoints == 0)
    }

    /// Whoever comes after a worker that died within a commit does not wait for its transaction's time to be over.
    @Test func whatADeadMemberLeftOpenIsEnded() throws {
        let broker = try RealBroker.shared()
        let name = fresh("dead")
        let bench = try WorkerBench(on: broker.bootstrap, name: name, partitions: 1)
        let dead = try TransactionalProducer(local(broker.bootstrap), identity: "\(name)-gone", timeout: 120_000)
        try dead.initialize(limit: 20_000)
        let group = try Consumer(group: name, local(broker.bootstrap)).groupMetadata()
        let mark = CommitMark(run: 1, number: 1).marking("", by: "gone")
        let offset = PartitionOffset(TopicPartition("\(name)in", 0), 0, metadata: mark)
        try dead.begin()
        try dead.send([offset], of: group, limit: 20_000)
        try dead.commit()
        try dead.begin()
        try dead.send([offset], of: group, limit: 20_000)
        try bench.produce(users: 10, from: 0, count: 10)
        bench.start()
        #expect(bench.waits(seconds: 40) { $0.accounted >= 100 })
        try bench.stop()
        #expect(bench.rows.accounted == 100)
        #expect(throws: KafkaError.self) { try dead.commit(limit: 10_000) }
    }

    @Test func aBrokerThatIsKilledIsWaitedFor() throws {
        let broker = try RealBroker()
        defer { broker.stop() }
        let bench = try WorkerBench(on: broker.bootstrap, name: fresh("away"), partitions: 2)
        try bench.produce(users: 10, from: 0, count: 10)
        bench.start()
        #expect(bench.waits { $0.accounted >= 100 })
        try broker.kill()
        Thread.sleep(forTimeInterval: 3)
        try broker.restart()
        try bench.produce(users: 10, from: 10, count: 10)
        #expect(bench.waits(seconds: 90) { $0.accounted >= 200 })
        try bench.stop()
        #expect(bench.rows.accounted >= 200)
        #expect(bench.rows.shrunk == [])
    }
}
