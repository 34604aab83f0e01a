import Lifecycle
import Testing

@testable import Aggregating

@Suite struct WindowTotalsTests {
    private let settings = AggregateSettings(windows: WindowSettings(grace: 0), groupLimit: 2)
    private let sources = (0..<2).map { SourcePartition(topic: "lifecycle", partition: $0) }

    /// The partials of one epoch.
    private func partials(_ deeds: [Deed], from source: SourcePartition, watermark: Int64) -> RecordBatch {
        var lexicon = Lexicon()
        var combiner = Combiner(AggregateSettings(windows: settings.windows))
        let contributions = ContiguousArray(deeds.map { $0.contribution(&lexicon) })
        combiner.add(contributions.span, lexicon: lexicon)
        var records = RecordBatch()
        combiner.closeEpoch(source: source, watermark: watermark, lexicon: lexicon, into: &records)
        return records
    }

    private func event(at time: Int64, version: String = "1") -> Deed {
        Deed(kind: .event, value: time, time: time, stream: .min, group: ["app", "ios", version])
    }

    private func emitted(_ totals: inout WindowTotals) -> [(key: String, value: String)] {
        var rows = RecordBatch()
        var checkpoint = RecordBatch()
        totals.emit(into: &rows, checkpoint: &checkpoint)
        return rows.texts()
    }

    @Test func aWindowIsFinalWhenTheLastSourceHasPassedIt() throws {
        var totals = WindowTotals(settings, sources: sources)
        try totals.takeAll(partials([event(at: 0)], from: sources[0], watermark: 60_001))
        var rows = emitted(&totals)
        #expect(rows.count == 1 && rows[0].value.contains("\"revision\":1,\"final\":false"))
        let none = totals.watermark
        #expect(none == .min)
        try totals.takeAll(partials([event(at: 1)], from: sources[1], watermark: 60_000))
        rows = emitted(&totals)
        #expect(rows.count == 1 && rows[0].value.contains("\"revision\":2,\"final\":false"))
        #expect(emitted(&totals).isEmpty)
        var end = RecordBatch()
        Combiner.appendWatermark(source: sources[1], watermark: 60_001, to: &end)
        try totals.takeAll(end)
        rows = emitted(&totals)
        #expect(rows.count == 1 && rows[0].value.contains("\"revision\":3,\"final\":true"))
        #expect(rows[0].value.contains("\"events\":2,"))
        let (watermark, statistics) = (totals.watermark, totals.statistics)
        #expect(watermark == 60_001)
        #expect(statistics.finals == 1 && statistics.cells == 0 && statistics.windows == 0)
        #expect(emitted(&totals).isEmpty)
    }

    @Test func whatComesForAFinalWindowIsDroppedAndCounted() throws {
        var totals = WindowTotals(settings, sources: [sources[0]])
        try totals.takeAll(partials([event(at: 70_000)], from: sources[0], watermark: 60_001))
        _ = emitted(&totals)
        try totals.takeAll(partials([event(at: 59_999), event(at: 60_000)], from: sources[0], watermark: 60_001))
        let dropped = totals.statistics.droppedPartials
        #expect(dropped == 1)
        #expect(emitted(&totals).map(\.key) == ["1970-01-01T00:01:00Z/1m/app/ios/1"])
    }

    @Test func theWatermarkNeverGoesBack() throws {
        var totals = WindowTotals(settings, sources: [sources[0]])
        for watermark in [50_000, 40_000] as [Int64] {
            var records = RecordBatch()
            Combiner.appendWatermark(source: sources[0], watermark: watermark, to: &records)
            try totals.takeAll(records)
            _ = emitted(&totals)
            let watermark = totals.watermark
            #expect(watermark == 50_000)
        }
        totals.setSources(sources)
        _ = emitted(&totals)
        let watermark = totals.watermark
        #expect(watermark == 50_000)
    }

    @Test func aSourceThatIsNotKnownMovesNoWatermark() throws {
        var totals = WindowTotals(settings, sources: [sources[0]])
        try totals.takeAll(partials([event(at: 0)], from: sources[1], watermark: 60_001))
        #expect(emitted(&totals).map { $0.value.contains("\"final\":false") } == [true])
        let strangers = totals.statistics.strangers
        #expect(strangers == 1)
    }

    @Test func onlyFinalRowsWhereSoWanted() throws {
        var settings = settings
        settings.emission = .final
        var totals = WindowTotals(settings, sources: [sources[0]])
        try totals.takeAll(partials([event(at: 0)], from: sources[0], watermark: 0))
        #expect(emitted(&totals).isEmpty)
        try totals.takeAll(partials([event(at: 0)], from: sources[0], watermark: 60_001))
        #expect(emitted(&totals).map { $0.value.contains("\"revision\":1,\"final\":true") } == [true])
    }

    @Test(arguments: [1, 2, 3, 4])
    func groupsOverTheLimitFoldTogether(groups: Int) throws {
        var totals = WindowTotals(settings, sources: sources)
        for group in 0..<groups {
            try totals.takeAll(partials([event(at: 0, version: "\(group)")], from: sources[0], watermark: 0))
        }
        let rows = totals.finished()
        #expect(rows.count == min(groups, 3))
        let overLimit = totals.statistics.overLimit
        #expect(overLimit == max(0, groups - 2))
        let other = rows.filter { $0.key == "1970-01-01T00:00:00Z/1m/app/__other__/__other__" }
        #expect(other.count == (groups > 2 ? 1 : 0))
        if groups == 4 { #expect(other.allSatisfy { $0.value.contains("\"events\":2,") }) }
    }

    @Test func groupsOfOneWindowAndAppGoToOnePartition() {
        let deeds = ["1", "2", "3"].map { event(at: 0, version: $0) }
        let records = partials(deeds + [event(at: 60_000)], from: sources[0], watermark: 0)
        #expect(Set(records.records.map(\.route)).count == 2)
    }

    /// A reader may stop behind any record of an epoch: what follows must not be for a window that is final by then.
    @Test func theWatermarkIsHeldBelowWhatFollows() throws {
        let deeds = [300_000, 0, 120_000, 60_000].map { event(at: $0) }
        let records = partials(deeds, from: sources[0], watermark: 200_000)
        var totals = WindowTotals(settings, sources: [sources[0]])
        var watermarks: [Int64] = []
        for place in 0..<records.count {
            try totals.take(records, at: place)
            _ = emitted(&totals)
            watermarks.append(totals.watermark)
        }
        #expect(watermarks == [120_000, 180_000, 200_000, 200_000])
        let statistics = totals.statistics
        #expect(statistics.droppedPartials == 0)
        #expect(statistics.finals == 3)
    }

    @Test func aTombstoneForgetsTheWindow() throws {
        var totals = WindowTotals(settings, sources: [sources[0]])
        var rows = RecordBatch()
        var checkpoint = RecordBatch()
        try totals.takeAll(
            partials(["1", "2"].map { event(at: 0, version: $0) }, from: sources[0], watermark: 0))
        totals.emit(into: &rows, checkpoint: &checkpoint)
        var end = RecordBatch()
        Combiner.appendWatermark(source: sources[0], watermark: 60_001, to: &end)
        var restored = WindowTotals(settings, sources: [sources[0]])
        try restored.restoreAll(checkpoint)
        var statistics = restored.statistics
        #expect(statistics.cells == 2 && statistics.windows == 1)
        try totals.takeAll(end)
        totals.emit(into: &rows, checkpoint: &checkpoint)
        #expect(checkpoint.records.count { $0.isTombstone } == 2)
        restored = WindowTotals(settings, sources: [sources[0]])
        try restored.restoreAll(checkpoint)
        statistics = restored.statistics
        #expect(statistics.cells == 0 && statistics.windows == 0)
        _ = emitted(&restored)
        let watermark = restored.watermark
        #expect(watermark == 60_001)
    }
}

@Suite struct PackedFormTests {
    /// A partial with something in every part of the form.
    private func partial() -> [UInt8] {
        var lexicon = Lexicon()
        var combiner = Combiner(AggregateSettings())
        var deeds = (0..<80).map { number in
            Deed(kind: .event, value: 0, time: 0, stream: 0, installation: UInt64(number))
        }
        deeds += [0, 1, 900, 40_000].map { Deed(kind: .latency(.resume), value: $0, time: 0, stream: 0) }
        deeds += ["call", ""].map { Deed(kind: .inactive(.departure), value: 30, time: 0, stream: 0, text: $0) }
        deeds.append(Deed(kind: .exit, time: 0, stream: 0))
        let contributions = ContiguousArray(deeds.map { $0.contribution(&lexicon) })
        combiner.add(contributions.span, lexicon: lexicon)
        var records = RecordBatch()
        combiner.closeEpoch(source: source, watermark: 5, lexicon: lexicon, into: &records)
        return Array(records.bytes[records.records[0].value])
    }

    private func error(of bytes: [UInt8]) -> PackedError? {
        var totals = WindowTotals(AggregateSettings(), sources: [source])
        do throws(PackedError) {
            try totals.take(unsafe bytes.span.bytes)
            return nil
        } catch {
            let statistics = totals.statistics
            #expect(statistics == WindowTotals.Statistics(), "something was taken")
            return error
        }
    }

    @Test func everyChangedByteIsFound() {
        let whole = partial()
        #expect(error(of: whole) == nil)
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 0x10
            #expect(error(of: bytes) == (place == 0 ? .version(0x11) : .checksum), "byte \(place)")
        }
    }

    @Test func everyCutIsFound() {
        let whole = partial()
        for count in 0..<whole.count { #expect(error(of: Array(whole.prefix(count))) != nil, "\(count) bytes") }
    }

    /// With a right checksum around it nonsense is refused or read, and never stops the program.
    @Test(arguments: UInt64(1)...4)
    func nonsenseIsRefused(seed: UInt64) {
        var dice = Dice(seed: seed)
        let whole = partial()
        var refused = 0
        for _ in 0..<250 {
            var bytes = Array(whole.dropLast(4))
            for _ in 0..<(1 + dice.below(3)) {
                bytes[1 + dice.below(bytes.count - 1)] = UInt8(truncatingIfNeeded: dice.next())
            }
            if dice.below(4) == 0 { bytes.removeLast(dice.below(bytes.count - 2)) }
            let checksum = unsafe PackedForm.checksum(bytes.span.bytes)
            for place in 0..<4 { bytes.append(PackedForm.byte(place, ofChecksum: checksum)) }
            if error(of: bytes) != nil { refused += 1 }
        }
        #expect(refused > 0)
    }

    /// Places of numbers and summaries are part of the form: where this list changes, ``PackedForm/version`` must too.
    @Test func placesAreThoseOfTheVersion() {
        var places: [(String, UInt8)] = [("events", 0), ("events_other", 1), ("late_events", 2)]
        places += Counter.allCases.map { ($0.name, FigureSlot.counter($0).place) }
        places += InactiveClass.allCases.flatMap {
            [($0.name, FigureSlot.count($0).place), ("sum", FigureSlot.sum($0).place)]
        }
        places += IntervalKind.allCases.flatMap {
            [($0.name, FigureSlot.count($0).place), ("sum", FigureSlot.sum($0).place)]
        }
        places += Phase.allCases.flatMap {
            [($0.name, FigureSlot.count(inferred: $0).place), ("sum", FigureSlot.sum(inferred: $0).place)]
        }
        places += Anomaly.allCases.map { ($0.code, FigureSlot.anomaly($0).place) }
        #expect(places.map(\.1) == (0..<UInt8(FigureSlot.count)).map { $0 })
        let names = places.map(\.0) + Figures.SummaryKind.allCases.map(\.name)
        #expect(PackedForm.version == 1)
        #expect(StableHash.hash(names.joined(separator: ",")) == 14_127_214_795_930_853_274)
    }
}
