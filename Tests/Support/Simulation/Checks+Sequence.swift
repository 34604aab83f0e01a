import Aggregating
import BrokerModel
import Engine
import Lifecycle

/// One fold of all that is in an input whose devices are in every partition.
extension Checks {
    /// I1 where stage 0 goes before: the rows are those of all records one after another, by the stream time of their
    /// partition, then by partition, then by offset; however fast workers have read them.
    func compareSequence() throws {
        guard !plan.spoilsCheckpoints, !hasLostStates, !hasLostInput, !hasLostPartials else { return }
        let entries = sequence()
        // What was idle went on by the clock of a worker: timers have fired, and what was held for others was let go.
        let end = entries.last?.stream ?? Event.absent
        if truth.folds.contains(where: { offsets[$0.name]?.note.time ?? Event.absent > end }) { return }
        let engine = PartitionEngine(truth.settings)
        for entry in entries { Self.ingest(entry.record, into: engine) }
        engine.process()
        var totals = WindowTotals(truth.settings.aggregating, sources: [])
        engine.drain(into: &totals)
        var batch = RecordBatch()
        totals.finish(into: &batch)
        var wanted: [[UInt8]: [UInt8]] = [:]
        for index in 0..<batch.count {
            let (key, value) = batch.withRecord(index) { key, value in (Truth.bytes(key), Truth.bytes(value)) }
            wanted[key] = Row(value)?.figures
        }
        for (key, row) in rows where wanted[key] != row.figures {
            let text = wanted[key].map(Self.text) ?? "nothing"
            throw Violation(
                "I1", "not that of a sequential fold at \(Self.text(key)):\n\(text)\n\(Self.text(row.figures))")
        }
        if plan.settings["emit"] == "updates", rows.count != wanted.count {
            throw Violation("I1", "\(rows.count) rows, a sequential fold has \(wanted.count)")
        }
    }

    private struct Entry {
        var stream: Int64
        var record: Record
    }

    /// All records of the input, in order.
    private func sequence() -> [Entry] {
        var all: [Entry] = []
        for partition in inputs {
            // What a fold of the partition alone takes for its stream time.
            let engine = PartitionEngine(truth.settings)
            for stored in records(of: partition) {
                Self.ingest(stored.record, into: engine)
                engine.process()
                all.append(Entry(stream: engine.watermark, record: stored.record))
            }
        }
        // Partitions and offsets are in order already.
        let order = all.indices.sorted { (all[$0].stream, $0) < (all[$1].stream, $1) }
        return order.map { all[$0] }
    }

    private static func ingest(_ record: Record, into engine: PartitionEngine) {
        guard let value = record.value else { return }
        unsafe _ = engine.ingest(value.span.bytes, key: record.key?.span.bytes, timestamp: record.timestamp)
    }
}

extension Checks {
    /// Windows are final in time, though a partition has nothing to say.
    func lookForFinals(at now: Int64) throws {
        let spare: Int64 = 20_000 + 60_000 + 30_000
        for (key, row) in rows where !row.isFinal {
            guard let begin = row.number("window_start_ms"), begin + spare < SimulatedScheduler.epoch + now else {
                continue
            }
            throw Violation("I9", "\(Self.text(key)) is held back at \(now) ms")
        }
    }
}
