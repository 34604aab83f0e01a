internal import Aggregating
internal import Decoding
internal import Engine
internal import Fleet
internal import Folding
internal import Lifecycle

/// Fold and combine alone on decoded batches, and the whole engine from memory, on simulated events.
enum EngineBench {
    static func run(_ report: inout Report, full: Bool) {
        for devices in [1_000_000, 10_000] {
            report.section("engine from memory, one core, \(devices) devices")
            let warm = max(500_000, devices * 5 / 2)
            let measured = full ? 8_000_000 : 2_000_000
            // First, so that no memory is there to be used again, which the growth would lack.
            whole(&report, devices: devices, warm: warm, measured: measured)
            stages(&report, devices: devices, warm: warm, measured: measured)
        }
    }

    /// Each stage by itself on the same batches.
    private static func stages(_ report: inout Report, devices: Int, warm: Int, measured: Int) {
        var feed = Feed(devices: devices)
        var lexicon = Lexicon()
        var decoder = RecordDecoder(.simulated)
        let fold = InstallationFold(FoldingLimits(), lexicon: &lexicon)
        var combiner = Combiner(AggregateSettings())
        var batch = EventBatch(capacity: feed.lines.capacity)
        var contributions = ContributionBatch()
        var (folding, combining) = (0.0, 0.0)
        var (seen, events, given, bytes) = (0, 0, 0, 0)
        while events < measured {
            feed.next()
            batch.removeAll()
            for line in feed.lines.lines {
                bytes += Int(line.length)
                feed.lines.withRecord(line) { value, _ in
                    decoder.decode(value, key: nil, timestamp: Event.absent, lexicon: &lexicon, into: &batch)
                }
            }
            let start = Clock.thread
            fold.fold(batch, into: &contributions)
            let folded = Clock.thread
            contributions.withSpan { combiner.add($0, lexicon: lexicon) }
            let combined = Clock.thread
            seen += batch.events.count
            if seen > warm {
                events += batch.events.count
                given += contributions.count
                folding += folded - start
                combining += combined - folded
            }
            contributions.removeAll()
            if combiner.isFull || seen % 1_000_000 < batch.events.count { close(&combiner, lexicon) }
        }
        report.figure("event size", Double(bytes) / Double(seen), "B", digits: 0)
        report.speed("fold", events: events, seconds: folding)
        report.speed("combine", events: events, seconds: combining)
        report.figure("contributions", Double(given) / Double(events), "an event")
    }

    private static func close(_ combiner: inout Combiner, _ lexicon: Lexicon) {
        var partials = RecordBatch()
        let source = SourcePartition(topic: "bench", partition: 0)
        combiner.closeEpoch(source: source, watermark: Event.absent, lexicon: lexicon, into: &partials)
    }

    /// Decode, fold, combine, and closing an epoch each million events.
    private static func whole(_ report: inout Report, devices: Int, warm: Int, measured: Int) {
        var feed = Feed(devices: devices)
        feed.next()
        let before = Clock.resident
        var settings = EngineSettings()
        settings.decoding = .simulated
        let engine = PartitionEngine(settings)
        var (seen, events, seconds) = (0, 0, 0.0)
        while events < measured {
            let start = Clock.thread
            Steady.ingest(feed.lines, into: engine)
            if seen % 1_000_000 < feed.lines.count {
                var partials = RecordBatch()
                engine.closeEpoch(source: SourcePartition(topic: "bench", partition: 0), into: &partials)
            }
            let taken = Clock.thread - start
            seen += feed.lines.count
            if seen > warm {
                events += feed.lines.count
                seconds += taken
            }
            feed.next()
        }
        report.speed("decode, fold, combine", events: events, seconds: seconds)
        report.figure("devices met", Double(engine.devices), "", digits: 0)
        let isLarge = devices >= 1_000_000
        report.figure(
            "states and index", Double(engine.deviceBytes) / Double(engine.devices), "B a device", digits: 1,
            floor: isLarge ? .atMost(200) : nil)
        if isLarge {
            let growth = Double(Clock.resident - before)
            report.figure("growth of resident memory", growth / Double(engine.devices), "B a device", digits: 1)
        }
    }
}
