internal import Aggregating
internal import Decoding
internal import Engine
internal import Kafka
internal import Lifecycle
internal import Metering

/// Stage 1 of one input partition: records to partials.
///
/// At least once: the state of the devices is in memory alone. After a crash the task begins at its committed offset
/// with no state: events from there on are folded again (doubled where their partials had gone out already), none is
/// lost, intervals open at the crash are not measured. Two things make "none is lost" true:
/// - the offset of an epoch is committed after the epoch's partials and dead letters are acknowledged;
/// - an offset behind an event that is still held back is not committed (``HoldMarks``).
final class FoldWork: PartitionWork {
    private let partition: TopicPartition
    private let lease: Lease
    private let source: SourcePartition
    private let options: WorkerOptions
    private let figures: FoldFigures
    private let position: PositionGauge
    private let clock: @Sendable () -> Int64
    private let engine: PartitionEngine
    /// Records are those of stage 0.
    private let isPacked: Bool
    private var marks: HoldMarks
    private var letters: [DeadLetter] = []
    private var next: Int64?
    private var committed: PartitionOffset
    private var sentWatermark = Event.absent
    /// Wall clock, ms, since when the partition is caught up and silent; nil while it is not.
    private var silentSince: Int64?
    /// Each step of a silent partition's stream time goes out to every partition of the partials, ms.
    private static let idleStep: Int64 = 5000
    private var records = 0
    private var bytes = 0

    /// - Parameters:
    ///   - start: what the group committed last, with the stream time then, which must not go back.
    ///   - clock: wall clock, ms since the epoch.
    init(
        _ partition: TopicPartition, lease: Lease, start: PartitionOffset, options: WorkerOptions,
        metrics: Metrics, tally: EventTally, position: PositionGauge, clock: @escaping @Sendable () -> Int64
    ) {
        self.partition = partition
        self.lease = lease
        self.options = options
        self.position = position
        self.clock = clock
        source = SourcePartition(topic: partition.topic, partition: partition.partition)
        figures = FoldFigures(partition, metrics, tally)
        marks = HoldMarks(span: options.holdSpan)
        engine = PartitionEngine(options.engine)
        isPacked = partition.topic == options.eventsTopic && !options.isKeyed
        next = start.offset
        committed = start
        if let note = CommitNote(start.metadata) { engine.advance(to: note.time) }
    }

    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
        silentSince = nil
        if let next, offset > next { figures.skipped.add(UInt64(offset - next)) }
        next = offset + 1
        records += 1
        // A record without a value holds no event, like a blank line.
        guard let value else { return }
        bytes += value.byteCount
        let received = timestamp < 0 ? Event.absent : timestamp
        if isPacked { return take(packed: value) }
        let rejections = engine.ingest(value, key: key, timestamp: received)
        if !rejections.isEmpty { reject(rejections, value, key, offset, timestamp) }
    }

    private func take(packed value: RawSpan) {
        do throws(PackedEventsError) {
            try engine.ingest(packed: value)
        } catch {
            figures.unreadable(error)
        }
    }

    private func reject(
        _ rejections: [Rejection], _ value: RawSpan, _ key: RawSpan?, _ offset: Int64, _ timestamp: Int64
    ) {
        let origin = DeadLetter.Origin(
            partition: partition, offset: offset, timestamp: timestamp, worker: options.name)
        letters += DeadLetter.letters(of: rejections, value: value, key: key, origin: origin)
        figures.rejected(rejections)
    }

    func reachedEnd(offset: Int64) {
        if silentSince == nil { silentSince = clock() }
        next = max(next ?? offset, offset)
    }

    func failed(_ error: KafkaError) {
        figures.failed(error)
    }

    func drained() {
        engine.process()
        if let next {
            position.offset = next
            if engine.watermark != Event.absent { marks.reached(next, stream: engine.watermark) }
        }
        figures.records.add(UInt64(records))
        figures.bytes.add(UInt64(bytes))
        (records, bytes) = (0, 0)
    }

    /// Dead letters of one epoch, beyond which it is closed before its time.
    static let letterLimit = 10_000

    var isFull: Bool { engine.isFull || letters.count >= Self.letterLimit }

    func close(isLast: Bool) -> ClosedEpoch? {
        let now = clock()
        if let silentSince, now - silentSince >= options.idleTimeout, now - Self.idleStep >= engine.watermark {
            engine.advance(to: now)
        }
        if isLast { engine.finish() }
        var epoch = ClosedEpoch(lease: lease, offset: committed)
        engine.closeEpoch(source: source, into: &epoch.partials)
        figures.update(engine)
        if engine.watermark > sentWatermark {
            sentWatermark = engine.watermark
            Combiner.appendWatermark(source: source, watermark: sentWatermark, to: &epoch.watermark)
        }
        swap(&epoch.deadLetters, &letters)
        if let offset = safeOffset() {
            let note = engine.watermark == Event.absent ? "" : CommitNote(time: engine.watermark).text
            epoch.offset = PartitionOffset(partition, offset, metadata: note)
        }
        let isSame =
            epoch.offset == committed && epoch.partials.isEmpty && epoch.watermark.isEmpty
            && epoch.deadLetters.isEmpty
        committed = epoch.offset
        return isSame ? nil : epoch
    }

    /// Never behind what was committed before.
    private func safeOffset() -> Int64? {
        guard let next else { return nil }
        if engine.held == 0 {
            marks.clear()
            return next
        }
        return marks.safe(at: engine.watermark).map { max($0, committed.offset ?? 0) }
    }
}
