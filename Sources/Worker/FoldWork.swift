internal import Aggregating
internal import Checkpointing
internal import Engine
internal import Kafka
internal import Lifecycle
internal import Metering

/// Stage 1 of one input partition: records to partials.
///
/// The states of the devices are written to the checkpoint with each epoch, and the epoch's offset names the commit of
/// the checkpoint that goes with it. So a restart, here or elsewhere, goes on with the states at the committed offset,
/// events that wait for older ones among them. What makes it right: the offset of an epoch is committed after, or
/// together with, its partials, dead letters and checkpoint.
///
/// Where the records are those of stage 0 they are merged: some wait until all input partitions have come as far. The
/// offset is then that of the first record that is not folded wholly, and its note tells what behind it is.
final class FoldWork: PartitionWork {
    private let partition: TopicPartition
    private let lease: Lease
    private let source: SourcePartition
    private let options: WorkerOptions
    private let input: InputFigures
    private let figures: FoldFigures
    private let position: ReadPosition
    private let scheduler: any Scheduler
    private let engine: PartitionEngine
    /// Records are those of stage 0.
    private let isPacked: Bool
    private let checkpoint: FoldCheckpoint
    private let saved: (states: Metering.Counter, bytes: Metering.Counter)
    private var trim = TrimPlan()
    private var isRestored = false
    let restoration: (any Restoration)?
    private var letters: [DeadLetter] = []
    private var committed: PartitionOffset
    /// As it was committed; nil where nothing is merged.
    private var merged: MergePlace?
    private var sentWatermark = Event.absent
    /// Since when the partition is caught up and silent; nil while it is not. A step of the wall clock is no silence.
    private var silentSince: MonotonicTime?
    /// Each step of a silent partition's stream time goes out to every partition of the partials, ms.
    private static let idleStep: Int64 = 5000
    private var records = 0
    private var bytes = 0

    /// - Parameters:
    ///   - start: what the group committed last, with the commit of the checkpoint that goes with it.
    ///   - checkpoint: where states are written, and read back.
    ///   - inputs: the partitions that stage 0 reads.
    init(
        _ partition: TopicPartition, lease: Lease, start: PartitionOffset, checkpoint: FoldCheckpoint,
        inputs: [TopicPartition], options: WorkerOptions, metrics: Metrics, tally: EventTally, splits: SplitWatch,
        position: ReadPosition,
        scheduler: any Scheduler
    ) {
        self.partition = partition
        self.lease = lease
        self.options = options
        self.position = position
        self.scheduler = scheduler
        source = SourcePartition(topic: partition.topic, partition: partition.partition)
        figures = FoldFigures(partition, metrics)
        self.checkpoint = checkpoint
        saved = (metrics.counter(\.savedStates), metrics.counter(\.savedBytes))
        engine = checkpoint.standby?.engine ?? PartitionEngine(options.engine, splits: splits, source: source)
        isPacked = partition.topic == options.eventsTopic && !options.isKeyed
        input = InputFigures(partition, metrics, isPacked ? nil : tally)
        committed = start
        if isPacked {
            engine.expect(inputs.map { SourcePartition(topic: $0.topic, partition: $0.partition) })
            merged = CommitNote(start.metadata)?.merge
            if let merged { engine.resume(merged) }
        }
        restoration = FoldRestoration(
            engine, checkpoint.restorer, start: start, trimmer: checkpoint.trimmer, standby: checkpoint.standby)
    }

    func restored() {
        isRestored = true
        input.update(engine.counts)
        figures.update(engine)
    }

    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
        // Stage 0 tells again and again that all is silent.
        if !isPacked || !engine.isIdle { silentSince = nil }
        // The states stay: a log that was made anew goes on with the same devices.
        if position.take(offset) { engine.beginAnew() }
        records += 1
        // A record without a value holds no event, like a blank line.
        guard let value else { return }
        bytes += value.byteCount
        let received = timestamp < 0 ? Event.absent : timestamp
        if isPacked { return input.unreadable(engine.ingest(packed: value, offset: offset)) }
        let rejections = engine.ingest(value, key: key, timestamp: received)
        if !rejections.isEmpty { reject(rejections, value, key, offset, timestamp) }
    }

    private func reject(
        _ rejections: [Rejection], _ value: RawSpan, _ key: RawSpan?, _ offset: Int64, _ timestamp: Int64
    ) {
        let origin = DeadLetter.Origin(
            partition: partition, offset: offset, timestamp: timestamp, worker: options.name)
        letters += DeadLetter.letters(of: rejections, value: value, key: key, origin: origin)
        input.rejected(rejections)
    }

    func reachedEnd(offset: Int64) {
        if silentSince == nil { silentSince = scheduler.now }
        if position.reachEnd(offset) { engine.beginAnew() }
    }

    func failed(_ error: KafkaError) {
        input.failed(error)
        position.fail(error)
    }

    func drained() {
        engine.process()
        position.look()
        input.records.add(UInt64(records))
        input.bytes.add(UInt64(bytes))
        (records, bytes) = (0, 0)
    }

    /// Dead letters of one epoch, beyond which it is closed before its time.
    static let letterLimit = 10_000

    var isFull: Bool { engine.isFull || letters.count >= Self.letterLimit }

    func close(isLast: Bool) -> ClosedEpoch? {
        // The engine is the restoration's until then. The offset of a topic that is not there can be committed nowhere,
        // and would hold up all the others of the transaction.
        guard isRestored, !position.isGone else { return nil }
        position.look()
        let now = scheduler.wallClock
        // Of packed events stage 0 has waited so long already.
        let isIdle = silentSince.map { isPacked ? engine.isIdle : hasWaited(since: $0) } ?? false
        if isIdle, now - Self.idleStep >= engine.watermark { engine.advance(to: now) }
        var epoch = ClosedEpoch(lease: lease, offset: committed)
        engine.closeEpoch(source: source, into: &epoch.partials)
        input.update(engine.counts)
        figures.update(engine)
        if engine.watermark > sentWatermark {
            sentWatermark = engine.watermark
            Combiner.appendWatermark(source: source, watermark: sentWatermark, to: &epoch.watermark)
        }
        swap(&epoch.deadLetters, &letters)
        let isSame =
            isCommitted && epoch.partials.isEmpty && epoch.watermark.isEmpty
            && epoch.deadLetters.isEmpty && !engine.hasUnsaved
        if isSame { return nil }
        save(&epoch)
        committed = epoch.offset
        return epoch
    }

    private func hasWaited(since time: MonotonicTime) -> Bool {
        scheduler.now.milliseconds(since: time) >= options.idleTimeout
    }

    /// The first record that is not folded wholly.
    private var foldedUpTo: Int64? { engine.firstWaiting ?? position.next }

    /// Where the merge stands, for a restart; nil where nothing is merged.
    private var mergePlace: MergePlace? { isPacked ? position.next.map { engine.mergePlace(end: $0) } : nil }

    /// A restart would find itself where this is.
    private var isCommitted: Bool {
        foldedUpTo == committed.offset && mergePlace?.frontier == merged?.frontier
    }

    func handOver() -> KeptStates? {
        guard isRestored, !engine.hasUnsaved, let last = engine.lastSaved,
            CommitNote(committed.metadata)?.mark == last.number
        else { return nil }
        return KeptStates(engine: engine, last: last)
    }

    /// Adds the checkpoint, and the offset that names it.
    private func save(_ epoch: inout ClosedEpoch) {
        guard let offset = foldedUpTo, let commit = engine.saveCheckpoint(nextOffset: offset, into: &epoch.checkpoint)
        else { return }
        epoch.checkpointPlace = checkpoint.place
        saved.states.add(UInt64(commit.states))
        saved.bytes.add(UInt64(epoch.checkpoint.bytes.count))
        merged = mergePlace
        let note = CommitNote(time: engine.watermark, mark: commit.number, merge: merged)
        epoch.offset = PartitionOffset(partition, offset, metadata: note.text)
        guard let trimmer = checkpoint.trimmer else { return }
        trimmer.look(at: checkpoint.place)
        if let end = trim.closed(commit.slice, end: trimmer.end(of: checkpoint.place)) {
            trimmer.trim(checkpoint.place, before: end)
        }
    }
}

/// Where the states of one input partition are written, and read back.
struct FoldCheckpoint: Sendable {
    /// The partition of `<app>-devices`.
    var place: TopicPartition
    var restorer: Restorer
    /// Deletes what is not needed any more; nil where several input partitions share ``place``.
    var trimmer: CheckpointTrimmer?
    /// What this worker has kept of them; nil where it has nothing.
    var standby: Standby?
}
