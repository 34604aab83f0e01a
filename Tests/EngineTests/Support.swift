import Aggregating
import Engine
import Lifecycle
import Settings
import Testing

/// Folds partitions of records as `replay` does and gives the final records, sorted by key.
enum Folding {
    /// - Parameter cut: after how many records an epoch is closed and packed; nil hands over unpacked at the end.
    static func rows(
        _ partitions: [[[UInt8]]], settings: [String: String], cut: Int? = nil
    ) throws -> [[UInt8]] {
        let engineSettings = EngineSettings(try Settings(settings), replays: true)
        let sources = partitions.indices.map { SourcePartition(topic: "test", partition: Int32($0)) }
        var totals = WindowTotals(engineSettings.aggregating, sources: sources)
        for (index, records) in partitions.enumerated() {
            let engine = PartitionEngine(engineSettings)
            for (number, record) in records.enumerated() {
                unsafe engine.ingest(record.span.bytes, key: nil, timestamp: Event.absent)
                guard let cut, number % cut == cut - 1 else { continue }
                try handOver(engine, sources[index], to: &totals)
            }
            engine.finish()
            if cut != nil { try handOver(engine, sources[index], to: &totals) } else { engine.drain(into: &totals) }
            let counts = engine.counts
            #expect(counts.records == records.count)
        }
        var rows = RecordBatch()
        totals.finish(into: &rows)
        return (0..<rows.count).map { index in
            rows.withRecord(index) { _, value in
                var bytes: [UInt8] = []
                for place in 0..<value.byteCount {
                    bytes.append(unsafe value.unsafeLoad(fromByteOffset: place, as: UInt8.self))
                }
                return bytes
            }
        }
    }

    private static func handOver(
        _ engine: PartitionEngine, _ source: SourcePartition, to totals: inout WindowTotals
    ) throws {
        var partials = RecordBatch()
        engine.closeEpoch(source: source, into: &partials)
        for index in 0..<partials.count {
            _ = try partials.withRecord(index) { _, value throws(PackedError) in try totals.take(value) }
        }
    }
}
