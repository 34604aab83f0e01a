import Aggregating
import BrokerModel
import Checkpointing
import Engine
import Lifecycle
import Settings

/// What the input must come to, folded one record after another beside the workers.
final class Truth {
    /// The way of one partition that stage 1 reads, up to some offset of it.
    final class Fold {
        fileprivate(set) var engine: PartitionEngine
        let source: SourcePartition
        let name: PartitionName
        fileprivate(set) var next: Int64 = 0
        fileprivate var toldWatermark = Event.absent
        /// Letters by offset, as they must be in the dead-letter topic.
        fileprivate(set) var letters: [Int64: Int] = [:]
        /// Events that came to engines before this one.
        fileprivate(set) var eventsBefore = 0

        /// Packed events that were read and are not to be folded yet.
        fileprivate var waiting: [PackedUnit] = []

        fileprivate init(_ name: PartitionName, _ settings: EngineSettings) {
            self.name = name
            engine = PartitionEngine(settings)
            source = SourcePartition(topic: name.topic, partition: name.index)
        }
    }

    /// Totals, which cannot be copied.
    final class Totals {
        var totals: WindowTotals
        var next: [PartitionName: Int64] = [:]

        init(_ settings: AggregateSettings, _ sources: [SourcePartition]) {
            totals = WindowTotals(settings, sources: sources)
        }

        func take(_ bytes: [UInt8]) throws(PackedError) { unsafe try totals.take(bytes.span.bytes) }

        func take(_ batch: RecordBatch) throws(PackedError) {
            for index in 0..<batch.count {
                _ = try batch.withRecord(index) { _, value throws(PackedError) in try totals.take(value) }
            }
        }

        func rows() -> [(key: [UInt8], value: [UInt8])] {
            var (rows, checkpoint) = (RecordBatch(), RecordBatch())
            totals.emit(into: &rows, checkpoint: &checkpoint)
            return (0..<rows.count).map { index in
                rows.withRecord(index) { key, value in (Truth.bytes(key), Truth.bytes(value)) }
            }
        }
    }

    let settings: EngineSettings
    private let isPacked: Bool
    private(set) var folds: [Fold] = []

    init(_ settings: Settings, isPacked: Bool) {
        self.settings = EngineSettings(settings)
        self.isPacked = isPacked
    }

    var sources: [SourcePartition] { folds.map(\.source) }

    func add(_ partition: PartitionName) { folds.append(Fold(partition, settings)) }

    static func bytes(_ span: RawSpan) -> [UInt8] { unsafe span.withUnsafeBytes { unsafe Array($0) } }

    /// Folds records before what is committed, and gives what stage 1 must have said of them.
    /// - Parameters:
    ///   - time: up to which the partition was silent; nil where it was not.
    ///   - gaps: of offsets that nobody could read.
    func fold(
        _ fold: Fold, _ records: some Sequence<StoredRecord>, upTo committed: CommittedOffset,
        time: Int64? = nil, without gaps: [Range<Int64>]
    ) throws -> RecordBatch {
        let note = Note(committed.metadata)
        let end = note.end ?? committed.offset
        for stored in records where stored.offset >= fold.next && stored.offset < end {
            if gaps.contains(where: { $0.contains(stored.offset) }) { continue }
            guard let value = stored.record.value else { continue }
            if isPacked {
                fold.waiting += try PackedUnit.all(in: value, at: stored.offset)
                continue
            }
            let key = stored.record.key
            let rejections = unsafe fold.engine.ingest(
                value.span.bytes, key: key?.span.bytes, timestamp: stored.record.timestamp)
            if !rejections.isEmpty { fold.letters[stored.offset] = rejections.count }
        }
        fold.next = max(fold.next, end)
        if isPacked { try foldWaiting(fold, note) }
        fold.engine.process()
        if let time, time > fold.engine.watermark { fold.engine.advance(to: time) }
        var partials = RecordBatch()
        fold.engine.closeEpoch(source: fold.source, into: &partials)
        if fold.engine.watermark > fold.toldWatermark {
            fold.toldWatermark = fold.engine.watermark
            Combiner.appendWatermark(source: fold.source, watermark: fold.toldWatermark, to: &partials)
        }
        return partials
    }

    /// Folds what waits as far as all that is older has come, by what is written beside the offset.
    private func foldWaiting(_ fold: Fold, _ note: Note) throws {
        guard let frontier = note.frontier else { return }
        fold.waiting.sort { $0.place < $1.place }
        let ready = fold.waiting.prefix { $0.place.stream < frontier }
        fold.waiting.removeFirst(ready.count)
        for unit in ready {
            let unreadable = unsafe fold.engine.ingest(packed: unit.bytes.span.bytes, offset: 0)
            if unreadable > 0 { throw Violation("I1", "packed events at \(unit.place.offset) cannot be read") }
        }
        if let time = note.time, time != Event.absent { fold.engine.advance(to: time) }
    }

    /// The partition is another log: the states go on with it.
    func rewind(_ fold: Fold) {
        fold.next = 0
        fold.letters = [:]
    }

    /// The partition is another log, and whoever reads it knows nothing but the time of the one before.
    func begin(_ fold: Fold, at watermark: Int64?) {
        rewind(fold)
        fold.eventsBefore += fold.engine.counts.events + fold.engine.held
        fold.engine = PartitionEngine(settings)
        if let watermark, watermark != Event.absent { fold.engine.advance(to: watermark) }
    }

    /// The states that a restart would go on from.
    /// - Returns: nil where the checkpoint does not hold them.
    func restored(
        _ fold: Fold, _ checkpoint: [StoredRecord], target: CommitNumber, offset: Int64, pass: Int
    ) -> ContiguousArray<UInt8>? {
        let engine = PartitionEngine(settings)
        let source = CheckpointSource(topic: fold.name.topic, partition: fold.name.index, pass: pass)
        let reader = CheckpointReader(engine, source, target: target, offset: offset)
        for stored in checkpoint {
            let value = stored.record.value ?? []
            let key = stored.record.key
            unsafe reader.take(value.span.bytes, key: key?.span.bytes)
        }
        return reader.finish(now: 0) == target ? engine.stateSnapshot : nil
    }
}

/// A row of the output, as a reader has it.
struct Row {
    /// All before its revision, and all that comes after the flag.
    var figures: [UInt8]
    var revision: Int
    var isFinal: Bool

    init?(_ value: [UInt8]) {
        guard let revisionAt = Self.place("\"revision\":", in: value),
            let flagAt = Self.place("\"final\":", in: value), flagAt > revisionAt
        else { return nil }
        let digits = value[revisionAt...].prefix { (48...57).contains($0) }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        revision = number
        isFinal = value[flagAt] == UInt8(ascii: "t")
        figures = Array(value[..<revisionAt] + value[(flagAt + (isFinal ? 4 : 5))...])
    }
}

extension Row {
    /// The first number of this name.
    func number(_ name: String) -> Int64? {
        guard let start = Self.place("\"\(name)\":", in: figures) else { return nil }
        return Int64(String(decoding: figures[start...].prefix { (48...57).contains($0) }, as: UTF8.self))
    }

    /// Where a text ends that stands in a value.
    private static func place(_ text: String, in value: [UInt8]) -> Int? {
        let text = Array(text.utf8)
        return value.indices.first { value[$0] == text[0] && value[$0...].starts(with: text) }.map { $0 + text.count }
    }
}

/// What a task wrote beside its offset, read as the specification has it.
struct Note {
    var time: Int64?
    var mark: CommitNumber?
    /// Up to where packed events were read, and up to which stream time they are folded (stage 1).
    var end: Int64?
    var frontier: Int64?

    init(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count > 1 else { return }
        time = Int64(words[1])
        if words[0] == "v3", words.count > 5 { (end, frontier) = (Int64(words[4]), Int64(words[5])) }
        if words[0] != "v1", words.count > 3, let epoch = UInt64(words[2]), let commit = UInt64(words[3]) {
            mark = CommitNumber(epoch: epoch, commit: commit)
        }
    }
}

extension Truth {
    func transactionTimeout(_ plan: Plan) -> Int64 { plan.settings["transaction.timeout"] == "5s" ? 5000 : 10_000 }
}
