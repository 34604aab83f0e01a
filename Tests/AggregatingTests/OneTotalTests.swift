import Lifecycle
import Testing

@testable import Aggregating

/// The final rows are the same bytes however the input was cut, interleaved, packed, merged and restarted.
@Suite struct OneTotalTests {
    static let groups = [
        ["com.example.app", "ios", "1.0"], ["com.example.app", "android", "1.0"], ["a/b%c", "", "\"q\"\\\n\u{1}"],
        ["com.example.größe", "ios", "__other__"],
    ]
    static let kinds: [Contribution.Kind] =
        [.event, .event, .event, .otherEvent, .lateEvent, .exit]
        + Counter.allCases.map { .count($0) } + InactiveClass.allCases.map { .inactive($0) }
        + Latency.allCases.map { .latency($0) } + IntervalKind.allCases.map { .interval($0) }
        + Phase.allCases.map { .inferred($0) } + Anomaly.allCases.map { .anomaly($0) }

    /// The deeds of one source, stream time ascending.
    private func deeds(_ dice: inout Dice, from base: Int64, devices: Int) -> [Deed] {
        var stream = base
        return (0..<(100 + dice.below(600))).map { _ in
            stream += Int64(dice.pick([0, 0, 500, 20_000]))
            let kind = dice.pick(Self.kinds)
            var deed = Deed(kind: kind, time: stream - Int64(dice.below(dice.pick([1_000, 400_000]))), stream: stream)
            deed.group = dice.pick(Self.groups)
            deed.installation = UInt64(dice.below(devices))
            deed.text = dice.pick(["", "call", "r\(dice.below(60))", "__other__", "unknown"])
            switch kind {
            case .event, .otherEvent, .lateEvent: deed.value = stream - Int64(dice.below(2_000))
            case .count, .anomaly: deed.value = Int64(1 + dice.below(5))
            case .exit: deed.value = 1
            default: deed.value = Int64(dice.next() >> UInt64(64 - dice.below(32)))
            }
            return deed
        }
    }

    private func settings(_ dice: inout Dice) -> AggregateSettings {
        AggregateSettings(
            windows: WindowSettings(
                sizes: dice.pick([[60_000], [60_000, 3_600_000]]), grace: dice.pick([0, 30_000, 300_000])),
            maxBuckets: dice.pick([20, 320]), emission: dice.pick([.updates, .final]))
    }

    private func expectSame(
        _ got: [(key: String, value: String)], _ wanted: [(key: String, value: String)], seed: UInt64
    ) {
        #expect(got.map(\.key) == wanted.map(\.key), "seed \(seed)")
        for (a, b) in zip(got, wanted) where a.value != b.value {
            Issue.record("seed \(seed)\n got \(a.value)\nnot \(b.value)")
            return
        }
    }

    @Test(arguments: UInt64(1)...10)
    func withoutPacking(seed: UInt64) {
        var dice = Dice(seed: seed)
        let settings = settings(&dice)
        var naive = NaiveTotals(settings)
        var totals = WindowTotals(settings, sources: [])
        for _ in 0..<(1 + dice.below(3)) {
            let base = dice.pick([moment, 0, -9_000_000])
            var lexicon = Lexicon()
            var combiner = Combiner(settings)
            for deed in deeds(&dice, from: base, devices: dice.pick([5, 400])) {
                naive.add(deed)
                let one: ContiguousArray<Contribution> = [deed.contribution(&lexicon)]
                combiner.add(one.span, lexicon: lexicon)
                if dice.below(200) == 0 { totals.take(&combiner, lexicon: lexicon) }
            }
            totals.take(&combiner, lexicon: lexicon)
        }
        expectSame(totals.finished(), naive.rows(), seed: seed)
    }

    /// Folds each source in random cuts, closes epochs at random, and gives the partials back one by one.
    private func epochs(
        of deeds: [Deed], from source: SourcePartition, _ settings: AggregateSettings, _ dice: inout Dice
    ) -> [RecordBatch] {
        var lexicon = Lexicon()
        var combiner = Combiner(settings)
        var rest = deeds.map { $0.contribution(&lexicon) }[...]
        var batches: [RecordBatch] = []
        while !rest.isEmpty {
            let part = ContiguousArray(rest.prefix(1 + dice.below(80)))
            rest = rest.dropFirst(part.count)
            combiner.add(part.span, lexicon: lexicon)
            guard dice.below(3) == 0 || rest.isEmpty else { continue }
            var records = RecordBatch()
            combiner.closeEpoch(
                source: source, watermark: part.last?.stream ?? .min, lexicon: lexicon, into: &records)
            if dice.below(2) == 0 {
                Combiner.appendWatermark(source: source, watermark: part.last?.stream ?? .min, to: &records)
            }
            batches.append(records)
        }
        var end = RecordBatch()
        Combiner.appendWatermark(source: source, watermark: .max, to: &end)
        return batches + [end]
    }

    @Test(arguments: UInt64(1)...14)
    func packedCutInterleavedAndRestarted(seed: UInt64) throws {
        var dice = Dice(seed: seed &+ 1000)
        let settings = settings(&dice)
        var naive = NaiveTotals(settings)
        let base = dice.pick([moment, 0, -9_000_000])
        let sources = (0..<Int32(1 + dice.below(3))).map { SourcePartition(topic: "t", partition: $0) }
        var queues: [(batches: [RecordBatch], next: Int)] = []
        for source in sources {
            let deeds = deeds(&dice, from: base, devices: dice.pick([5, 400]))
            for deed in deeds { naive.add(deed) }
            queues.append((epochs(of: deeds, from: source, settings, &dice), 0))
        }
        var totals = WindowTotals(settings, sources: sources)
        var rows = RecordBatch()
        var checkpoint = RecordBatch()
        while let source = queues.indices.filter({ !queues[$0].batches.isEmpty }).randomElement(&dice) {
            if let batch = queues[source].batches.first, queues[source].next < batch.count {
                try totals.take(batch, at: queues[source].next)
                queues[source].next += 1
            } else {
                queues[source].batches.removeFirst()
                queues[source].next = 0
            }
            guard dice.below(10) == 0 else { continue }
            totals.emit(into: &rows, checkpoint: &checkpoint)
            guard dice.below(4) == 0 else { continue }
            let dropped = totals.statistics.droppedPartials
            #expect(dropped == 0, "seed \(seed)")
            totals = WindowTotals(settings, sources: sources)
            try totals.restoreAll(checkpoint)
        }
        totals.emit(into: &rows, checkpoint: &checkpoint)
        let statistics = totals.statistics
        #expect(statistics.droppedPartials == 0, "seed \(seed)")
        #expect(statistics.cells == 0, "seed \(seed)")
        expectSame(finals(rows, seed: seed), naive.rows(), seed: seed)
    }

    /// The final rows in the order of their keys, with revision 1; each key's revisions must be 1, 2, … to the final.
    private func finals(_ rows: RecordBatch, seed: UInt64) -> [(key: String, value: String)] {
        var revisions: [String: Int] = [:]
        var finals: [String: String] = [:]
        for (key, value) in rows.texts() {
            #expect(finals[key] == nil, "seed \(seed): \(key) after its final row")
            let revision = revisions[key, default: 0] + 1
            revisions[key] = revision
            let parts = value.split(separator: "\"revision\":\(revision),", maxSplits: 1)
            #expect(parts.count == 2, "seed \(seed): \(key) is not revision \(revision)")
            guard parts.count == 2, parts[1].hasPrefix("\"final\":true") else { continue }
            finals[key] = parts[0] + "\"revision\":1," + parts[1]
        }
        return finals.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
            .map { (key: $0.key, value: $0.value) }
    }
}

extension Collection {
    /// One element, or nil where there is none.
    func randomElement(_ dice: inout Dice) -> Element? {
        isEmpty ? nil : self[index(startIndex, offsetBy: dice.below(count))]
    }
}
