internal import Aggregating
internal import CAllocationCount
internal import CReferenceCount
internal import Decoding
internal import Engine
internal import Fleet
internal import Lifecycle

/// Counts that are the same on every machine: what an event costs in steady state.
enum Steady {
    /// Allocations are allowed for a batch, not for an event: this many an event are about five a batch.
    private static let allowed = 0.01

    @inline(never)
    static func ingest(_ lines: borrowing LineBatch, into engine: PartitionEngine) {
        for line in lines.lines {
            lines.withRecord(line) { value, _ in
                _ = engine.ingest(value, key: nil, timestamp: Event.absent)
            }
        }
        engine.process()
    }

    private static func engine() -> PartitionEngine {
        var settings = EngineSettings()
        settings.decoding = .simulated
        // A window is made once for all of its events: with long ones it is no part of what each of them costs.
        settings.aggregating = AggregateSettings(windows: WindowSettings(sizes: [100 * 86_400_000]), groupBy: [.app])
        return PartitionEngine(settings)
    }

    /// What runs under callgrind.
    ///
    /// - Returns: events taken in.
    static func underCallgrind(batches: Int) -> Int {
        var feed = Feed(devices: 1000)
        let engine = engine()
        var events = 0
        for _ in 0..<batches {
            feed.next()
            events += measuredIngest(feed.lines, into: engine)
        }
        return events
    }

    /// As ``ingest(_:into:)``, under a name by which callgrind tells it from its closure and from the feed.
    @inline(never)
    private static func measuredIngest(_ lines: borrowing LineBatch, into engine: PartitionEngine) -> Int {
        ingest(lines, into: engine)
        return lines.count
    }

    static func run(_ report: inout Report) {
        report.section("counts an event, whole engine, 10000 devices")
        var feed = Feed(devices: 10_000)
        let engine = engine()
        for _ in 0..<500 {
            feed.next()
            ingest(feed.lines, into: engine)
        }
        var (events, allocations) = (0, UInt64(0))
        for _ in 0..<500 {
            feed.next()
            let before = allocation_count()
            ingest(feed.lines, into: engine)
            allocations += allocation_count() - before
            events += feed.lines.count
        }
        report.figure(
            "allocations", Double(allocations) / Double(events), "an event", digits: 5, floor: .atMost(allowed))
        references(&report, &feed, engine)
        instructions(&report)
    }

    private static func references(_ report: inout Report, _ feed: inout Feed, _ engine: PartitionEngine) {
        var (events, references) = (0, UInt64(0))
        for _ in 0..<50 {
            feed.next()
            guard reference_count_begin() != 0 else { return report.note("retains and releases", "not counted") }
            ingest(feed.lines, into: engine)
            references += reference_count_end()
            events += feed.lines.count
        }
        report.figure("retains and releases", Double(references) / Double(events), "an event", digits: 3)
    }

    /// The difference of two runs, so that warming up is not in it.
    private static func instructions(_ report: inout Report) {
        guard let short = collected(batches: 8), let long = collected(batches: 24) else {
            return report.note("instructions", "not counted: needs valgrind and strip")
        }
        let events = long.events - short.events
        report.figure("instructions", (long.instructions - short.instructions) / Double(events), "an event", digits: 0)
    }

    private static func collected(batches: Int) -> (events: Int, instructions: Double)? {
        let tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*measuredIngest*"]
        let (output, errors) = (Scratch.path("callgrind.out"), Scratch.path("callgrind.err"))
        // Valgrind stumbles over this compiler's line tables, and needs none but the names.
        let bare = Scratch.path("benchmarks")
        _ = try? Child.output(of: "strip", ["--strip-debug", "-o", bare, Child.own])
        let child = try? Child(
            "valgrind", tool + [bare, "--steady", String(batches)], seconds: 120, output: output, errors: errors)
        guard child?.wait().status == 0, let events = Machine.text(of: output).flatMap({ Int($0.trimmed) }),
            let found = Machine.text(of: errors)?.firstMatch(of: /Collected : ([0-9]+)/), let count = Double(found.1)
        else { return nil }
        return (events, count)
    }
}

extension String {
    fileprivate var trimmed: Substring { prefix { $0.isNumber } }
}
