internal import Aggregating
internal import Decoding
internal import Engine
internal import Lifecycle
internal import Settings

/// Folds the files of one run, one after the other, each with an engine of its own, into one set of totals.
struct Replay: ~Copyable {
    private let settings: EngineSettings
    private let inputs: ReplayInputs
    private var totals: WindowTotals
    private var outcome = ReplayOutcome()
    private var progress = Progress(counting: "events")
    private var bytesBefore = 0
    /// Of several files: each is a partition.
    private let splits: SplitWatch?

    init(_ settings: Settings, _ inputs: ReplayInputs) {
        self.settings = EngineSettings(settings, replays: true)
        self.inputs = inputs
        (outcome.groupLimit, outcome.instancesLimit) = (settings.groupLimit, settings.instancesLimit)
        splits = inputs.paths.count > 1 ? SplitWatch() : nil
        totals = WindowTotals(self.settings.aggregating, sources: inputs.paths.indices.map(Self.source))
    }

    /// Folds all of the input; called once.
    ///
    /// - Throws: ``CommandError`` with ``ExitStatus/unreadableInput``.
    mutating func fold() throws -> ReplayOutcome {
        for (number, path) in inputs.paths.enumerated() { try fold(path, number: number) }
        totals.finish(into: &outcome.rows)
        outcome.overGroupLimit += totals.statistics.overLimit
        progress.clear()
        return outcome
    }

    private static func source(number: Int) -> SourcePartition {
        SourcePartition(topic: "replay", partition: Int32(number))
    }

    private mutating func fold(_ path: String, number: Int) throws {
        var settings = settings
        settings.decoding.fileName = path
        let engine = PartitionEngine(settings, splits: splits, source: Self.source(number: number))
        var reader = try RecordReader(path, limit: settings.decoding.maxRecordBytes)
        var record = 0
        var goesOn = true
        while goesOn {
            goesOn = try reader.next { lines in
                var start = 0
                while start < lines.byteCount {
                    let (records, rejections) = engine.ingest(lines: lines, from: &start)
                    record += records
                    if !rejections.isEmpty { outcome.note(rejections, path: path, record: record) }
                }
            } frame: { bytes in
                record += 1
                let rejections = engine.ingest(bytes, key: nil, timestamp: Event.absent)
                if !rejections.isEmpty { outcome.note(rejections, path: path, record: record) }
            }
            if engine.isFull { engine.drain(into: &totals) }
            let done = Double(bytesBefore + reader.consumed)
            progress.update(
                count: outcome.counts.events + engine.counts.events,
                fraction: inputs.size.map { done / Double(max(1, $0)) })
            if Interrupt.isPending {
                progress.clear()
                Interrupt.obey()
            }
        }
        engine.finish()
        engine.drain(into: &totals)
        outcome.counts += engine.counts
        outcome.overGroupLimit += engine.overGroupLimit
        outcome.forgottenInstances += engine.forgottenInstances
        outcome.devices += engine.devices
        outcome.systemLaunches += engine.systemLaunchTimes.map { Double($0.milliseconds) }
        bytesBefore += reader.consumed
    }
}

/// What a run came to.
struct ReplayOutcome {
    /// What of one kind could not be read.
    struct Unreadable {
        var count = 0
        var path: String
        var record: Int
    }

    var counts = EngineCounts()
    /// Installations, counted in each file.
    var devices = 0
    /// Launch times, ms, as Android itself wrote them into event logs: in no figure.
    var systemLaunches: [Double] = []
    /// The final records, sorted by key.
    var rows = RecordBatch()
    /// Sums of groups for which a window had no room.
    var overGroupLimit = 0
    /// The most groups of a window.
    var groupLimit = 0
    /// Scenes, activities, views and resources that were forgotten for others of their installation.
    var forgottenInstances = 0
    /// The most of a kind that an installation has.
    var instancesLimit = 0
    private var unreadable: [String: Unreadable] = [:]

    mutating func note(_ rejections: [Rejection], path: String, record: Int) {
        for rejection in rejections {
            let first = Unreadable(path: path == "-" ? "standard input" : path, record: record)
            unreadable[rejection.code.code, default: first].count += 1
        }
    }

    /// What could not be read, one line for each code, the most frequent first; and what was beyond a limit.
    func complaints() -> String {
        let sorted = unreadable.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        var lines = sorted.map { code, found in
            let events = found.count == 1 ? "1 event or record" : "\(Figures.grouped(found.count)) events or records"
            return "phasefold: replay: \(events) not read: \(code), first in \(found.path), record \(found.record)\n"
        }.joined()
        if overGroupLimit > 0 {
            lines += "phasefold: replay: groups beyond \(groupLimit) a window are in __other__; raise group.limit\n"
        }
        if forgottenInstances > 0 {
            lines += "phasefold: replay: \(Figures.grouped(forgottenInstances)) scenes, activities, views or resources "
                + "beyond \(instancesLimit) of an installation are forgotten; raise instances.limit\n"
        }
        return lines
    }

    /// Prints the records to standard output, one a line.
    func printRows() throws {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(2 << 16)
        for index in 0..<rows.count {
            rows.withRecord(index) { _, value in
                unsafe value.withUnsafeBytes { bytes in unsafe buffer.append(contentsOf: bytes) }
            }
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count >= 1 << 16 {
                try Output.write(unsafe buffer.span.bytes)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        try Output.write(unsafe buffer.span.bytes)
    }
}
