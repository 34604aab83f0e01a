internal import BrokerSupport
internal import CAllocationCount
internal import Checkpointing
internal import Engine
internal import Kafka
internal import Lifecycle

/// What it takes to bring the devices of one partition back: from memory, by part, and from a real broker.
struct RestoreBench {
    /// Blocks of a checkpoint, from the beginning of a pass on, and the commit that they lead to.
    let log: ArraySlice<ContiguousArray<UInt8>>
    let source: CheckpointSource
    let target: CommitNumber
    /// Devices that the commit has.
    let devices: Int

    /// Blocks need some, devices none.
    private static let allocationsAllowed = 0.01
    /// The best of so many counts: the system may have to fetch the memory from elsewhere first.
    private static let turns = 3

    private struct Reading {
        /// Seconds of CPU.
        var taking = 0.0
        var finishing = 0.0
        var states = 0
        var allocations = UInt64(0)

        var seconds: Double { taking + finishing }
    }

    func run(_ report: inout Report) {
        let readings = (0..<Self.turns).compactMap { _ in read() }
        guard let first = readings.first, let best = readings.min(by: { $0.seconds < $1.seconds }) else {
            return report.figure("devices restored", 0, "", floor: .atLeast(Double(devices)))
        }
        let count = Double(devices)
        report.figure("read back", Double(best.states) / best.seconds / 1e6, "M states/CPU-s")
        report.figure("devices restored", count / best.seconds / 1e6, "M devices/CPU-s")
        report.figure("in memory that was not used before", count / first.seconds / 1e6, "M devices/CPU-s")
        report.figure("a device is told", Double(best.states) / count, "times")
        report.figure("read for a device", Double(log.reduce(0) { $0 + $1.count }) / count, "B", digits: 1)
        let (checked, unpacked) = unpack()
        for (what, seconds) in [
            ("of it checksums", checked), ("unpacking", unpacked), ("states", best.taking - checked - unpacked),
            ("index and timers", best.finishing),
        ] { report.figure(what, seconds * 1e9 / count, "ns/device", digits: 0) }
        report.figure(
            "allocations", Double(best.allocations) / count, "a device", digits: 4,
            floor: .atMost(Self.allocationsAllowed))
    }

    /// - Returns: nil where not all came back.
    private func read() -> Reading? {
        var reading = Reading()
        let (engine, reader) = make()
        let (begin, before) = (Clock.thread, allocation_count())
        for value in log { unsafe reader.take(value.span.bytes, key: nil) }
        reading.taking = Clock.thread - begin
        let found = reader.finish(now: 0)
        reading.finishing = Clock.thread - begin - reading.taking
        reading.allocations = allocation_count() - before
        reading.states = reader.states
        return found != nil && engine.devices == devices ? reading : nil
    }

    private func make() -> (PartitionEngine, CheckpointReader) {
        var settings = EngineSettings()
        settings.decoding = .simulated
        let engine = PartitionEngine(settings)
        return (engine, CheckpointReader(engine, source, target: target, offset: 0))
    }

    /// Seconds of CPU that go into checksums, and into unpacking.
    private func unpack() -> (Double, Double) {
        let reader = BlockReader()
        var (checked, unpacked) = (0.0, 0.0)
        for value in log {
            let begin = Clock.thread
            guard let block = try? unsafe SealedBlock(value.span.bytes) else { continue }
            let middle = Clock.thread
            try? unsafe reader.withContent(of: block, in: value.span.bytes) { _ in }
            checked += middle - begin
            unpacked += Clock.thread - middle
        }
        return (checked, unpacked)
    }

    // MARK: On a broker

    /// Longest wait for a record of the log, ms.
    private static let patience: Int32 = 10_000

    /// As a worker reads its checkpoint; the CPU of the client's own threads is in it.
    func runOnBroker(_ report: inout Report) throws {
        guard RealBroker.isPresent else {
            return report.note("from a real broker", "skipped: no Kafka in ../shared/kafka or KAFKA_HOME")
        }
        let broker = try RealBroker.shared()
        let place = TopicPartition(fresh("restore"), 0)
        try fill(place, broker.bootstrap)
        var best: (wall: Double, used: Double)?
        for _ in 0..<Self.turns {
            let (wall, used) = (Clock.wall, Clock.process)
            guard try read(place, broker.bootstrap) else {
                return report.figure("devices restored", 0, "", floor: .atLeast(Double(devices)))
            }
            let reading = (wall: Clock.wall - wall, used: Clock.process - used)
            if reading.used < best?.used ?? .infinity { best = reading }
        }
        guard let best else { return }
        report.figure("from a real broker", Double(devices) / best.used / 1e6, "M devices/CPU-s")
        report.figure("", Double(devices) / best.wall / 1e6, "M devices/s")
    }

    private func fill(_ place: TopicPartition, _ bootstrap: String) throws {
        let wanted = NewTopic(place.topic, partitions: 1, replicas: 1, configuration: ["retention.ms": "-1"])
        try Admin(local(bootstrap)).create([wanted], limit: 10_000)
        let producer = try Producer(local(bootstrap))
        for value in log {
            while unsafe try producer.produce(
                topic: place.topic, partition: place.partition, key: nil, value: value.span.bytes) == .queueFull
            { producer.poll(timeout: 10) }
        }
        guard producer.flush(limit: 60_000), producer.takeDeliveries().failed == 0 else {
            throw Child.Failure(description: "the checkpoint could not be written")
        }
    }

    /// - Returns: whether all came back.
    private func read(_ place: TopicPartition, _ bootstrap: String) throws -> Bool {
        let records = try LogReader(
            place, from: .beginning,
            local(bootstrap, ["fetch.wait.max.ms": "10", "enable.partition.eof": "true"]))
        let (engine, reader) = make()
        var taken = 0
        while taken < log.count {
            let outcome = try records.read(timeout: Self.patience) { _, value, _ in
                guard let value else { return }
                reader.take(value, key: nil)
                taken += 1
            }
            guard case .record = outcome else { break }
        }
        return reader.finish(now: 0) != nil && engine.devices == devices
    }
}
