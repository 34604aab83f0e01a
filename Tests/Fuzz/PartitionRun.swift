import Aggregating
import Decoding
import Engine
import Lifecycle
import Settings

/// One partition on its way from records to rows, and what has to hold at its end.
struct PartitionRun: ~Copyable {
    private let engine: PartitionEngine
    private var totals: WindowTotals
    private var partials = RecordBatch()
    private var rejected = 0

    static let source = SourcePartition(topic: "fuzz", partition: 0)

    init(_ values: [String: String]) {
        guard let settings = try? Settings(values) else { fatalError("the settings \(values) are wrong") }
        var engineSettings = EngineSettings(settings, replays: true)
        engineSettings.decoding.fileName = "-"
        engine = PartitionEngine(engineSettings)
        totals = WindowTotals(engineSettings.aggregating, sources: [Self.source])
    }

    mutating func ingest(_ record: [UInt8], timestamp: Int64) {
        rejected += engine.ingest(unsafe record.span.bytes, key: nil, timestamp: timestamp).count
    }

    mutating func advance(to time: Int64) {
        engine.advance(to: time)
    }

    mutating func closeEpoch() {
        partials.removeAll()
        engine.closeEpoch(source: Self.source, into: &partials)
        for index in 0..<partials.count {
            partials.withRecord(index) { _, value in
                let taken: Void? = try? { _ = try totals.take(value) }()
                check(taken != nil, "a partial of one's own cannot be read")
            }
        }
    }

    /// Ends the input.
    ///
    /// - Parameter events: how many came in, where that is known.
    /// - Returns: the final rows.
    consuming func finish(events: Int?) -> [[UInt8]] {
        engine.finish()
        closeEpoch()
        let counts = engine.counts
        check(engine.held == 0, "\(engine.held) events are held at the end of the input")
        check(counts.deadLettered == rejected, "\(rejected) rejections, counted as \(counts.deadLettered)")
        if let events { check(counts.events == events, "\(events) events in, \(counts) out") }
        var rows = RecordBatch()
        totals.finish(into: &rows)
        let texts = (0..<rows.count).map { index in
            rows.withRecord(index) { _, value in unsafe value.withUnsafeBytes { unsafe Array($0) } }
        }
        let folded = texts.map { Self.number(",\"events\":", of: $0) }.reduce(0, +)
        check(folded == counts.folded, "\(counts.folded) events folded, \(folded) in the rows")
        let other = texts.map { Self.number(",\"events_other\":", of: $0) }.reduce(0, +)
        check(other == counts.other, "\(counts.other) events of other names, \(other) in the rows")
        Self.checkJSON(texts)
        return texts
    }

    /// The integer behind the name of a field of the row itself: in the texts before it quotes are escaped.
    private static func number(_ name: String, of row: [UInt8]) -> Int {
        let mark = Array(name.utf8)
        let place = row.indices.first { row[$0] == mark[0] && row[$0...].starts(with: mark) }
        guard let place else { fatalError("a row without \(name)") }
        return row[(place + mark.count)...].prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func checkJSON(_ rows: [[UInt8]]) {
        var options = DecodingOptions()
        options.format = .json
        var decoder = RecordDecoder(options)
        var lexicon = Lexicon()
        var batch = EventBatch(capacity: 1)
        for row in rows {
            batch.removeAll()
            decoder.decode(
                unsafe row.span.bytes, key: nil, timestamp: Event.absent, lexicon: &lexicon, into: &batch)
            check(
                batch.rejections.map(\.code) == [.missing(field: "device_id")],
                "a row is no JSON: \(String(decoding: row, as: UTF8.self))")
        }
    }
}
