internal import Aggregating
internal import Checkpointing
internal import Engine
internal import Fleet
internal import Lifecycle

/// What the checkpoint of devices costs: bytes and time a state, written and read back.
enum CheckpointBench {
    private static let source = CheckpointSource(topic: "bench", partition: 0, pass: 60)
    /// Of one commit: a tenth of the devices changes.
    private static let eventsOfCommit = 20_000

    private struct Written {
        var changed = 0
        var changedBytes = 0
        var told = 0
        var toldBytes = 0
        var seconds = 0.0
    }

    static func run(_ report: inout Report, full: Bool) throws {
        for devices in full ? [200_000, 1_000_000] : [200_000] {
            report.section("checkpoint, one core, \(devices) devices, \(eventsOfCommit) events a commit, pass of 60")
            try measure(&report, devices: devices)
        }
    }

    private static func measure(_ report: inout Report, devices: Int) throws {
        var feed = Feed(devices: devices)
        var settings = EngineSettings()
        settings.decoding = .simulated
        let engine = PartitionEngine(settings)
        engine.beginCheckpoint(source, epoch: 1, base: nil)
        // Every state is met, and a first pass is over.
        var log: [ContiguousArray<UInt8>] = []
        let warm = devices * 5 / 2 / eventsOfCommit + source.pass
        var last: SavedCommit?
        for _ in 0..<warm { last = commit(&feed, engine, &log).commit }
        var written = Written()
        for _ in 0..<(2 * source.pass) {
            let (saved, records, seconds) = commit(&feed, engine, &log)
            last = saved
            written.seconds += seconds
            for (index, value) in records.enumerated() {
                if index < saved.changes.blocks {
                    written.changedBytes += value.count
                } else {
                    written.toldBytes += value.count
                }
            }
            written.changed += saved.changes.states
            written.told += saved.states - saved.changes.states
        }
        tell(&report, written)
        try restore(&report, log, engine, last)
    }

    private static func commit(
        _ feed: inout Feed, _ engine: PartitionEngine, _ log: inout [ContiguousArray<UInt8>]
    ) -> (commit: SavedCommit, records: [ContiguousArray<UInt8>], seconds: Double) {
        var events = 0
        while events < eventsOfCommit {
            feed.next()
            Steady.ingest(feed.lines, into: engine)
            events += feed.lines.count
        }
        var partials = RecordBatch()
        engine.closeEpoch(source: SourcePartition(topic: "bench", partition: 0), into: &partials)
        var records = RecordBatch()
        let start = Clock.thread
        guard let saved = engine.saveCheckpoint(nextOffset: 0, into: &records) else {
            preconditionFailure("the engine writes a checkpoint")
        }
        let seconds = Clock.thread - start
        let values = (0..<records.count).map { number in
            records.withRecord(number) { _, value in unsafe value.withUnsafeBytes { unsafe ContiguousArray($0) } }
        }
        log += values
        return (saved, values, seconds)
    }

    private static func tell(_ report: inout Report, _ written: Written) {
        report.figure(
            "a state that changed", Double(written.changedBytes) / Double(written.changed), "B", digits: 1,
            floor: .atMost(32))
        report.figure("a state told by the pass", Double(written.toldBytes) / Double(written.told), "B", digits: 1)
        let states = written.changed + written.told
        report.figure("written", Double(states) / written.seconds / 1e6, "M states/CPU-s")
        report.figure("states a commit", Double(states) / Double(2 * source.pass), "", digits: 0)
    }

    /// From the last place in the log that is enough, as the worker leaves it.
    private static func restore(
        _ report: inout Report, _ log: [ContiguousArray<UInt8>], _ engine: PartitionEngine, _ last: SavedCommit?
    ) throws {
        let begins = log.indices.filter { number in
            let value = log[number]
            do throws(BlockError) {
                let header = try unsafe SealedBlock(value.span.bytes).header
                return header.slice.isFirst && header.part == 0
            } catch {
                return false
            }
        }
        guard let last, let begin = begins.dropLast().last else { return report.note("restore", "no pass is over") }
        let bench = RestoreBench(
            log: log[begin...], source: source, target: last.number, devices: engine.devices)
        bench.run(&report)
        try bench.runOnBroker(&report)
    }
}
