internal import Aggregating
internal import Checkpointing
internal import Kafka
internal import Lifecycle
internal import Metering

/// Stage 2 of one partition of the partials: partials to rows.
///
/// How the totals of the open windows come over a restart depends on the guarantee.
///
/// `exactly_once`: what changed of them is written to `<app>-totals` in the transaction of the offset. A restart reads
/// it back and goes on at the offset; a record beside the totals tells the commit that they are of.
///
/// `at_least_once`: totals and offset could come apart, and what was between would count twice. So the totals are
/// made again from the partials themselves:
/// - The offset that is committed is that of the first partial of the oldest window that is still open (or the next
///   one, where none is open). So a reader that begins there meets every partial of every open window.
/// - Beside it stands the horizon: the watermark up to which windows were final, and their final rows acknowledged,
///   at that commit. Partials of those windows, of which only a part may lie behind the offset, are dropped; their
///   rows stand.
/// - Until it has read up to what was the end when it began (or met the end of the partition), it publishes nothing
///   and commits nothing: every row it then writes holds at least what the one before it held. Revisions begin again
///   at 1.
/// - The order of deeds is: rows acknowledged, then offset and horizon committed together. A crash between them makes
///   windows final again, with the same figures. The group's lag on the partials, seen from outside, reaches back to
///   the oldest open window.
///
/// Where the guarantee was changed, or `<app>-totals` is not whole, the partials are read from their beginning.
final class TotalWork: PartitionWork {
    private let partition: TopicPartition
    private let lease: Lease
    private let figures: TotalFigures
    private let position: ReadPosition
    private let grace: Int64
    private var totals: WindowTotals
    /// The offset of the first partial of each open window, by the window's end (ms since the epoch).
    private var firstOffsets: [Int64: Int64] = [:]
    /// Partials before it are in the totals that were restored: the group had forgotten where it was.
    private var known: Int64?
    private var committed: PartitionOffset
    /// Nothing is published before this offset is reached; nil once it was.
    private var restoreEnd: Int64?
    private var hasChanged = false
    private var taken = 0
    private let sources: [SourcePartition]
    private let plan: TotalCheckpoint
    private var number: CommitNumber
    private let reading: TotalRestoration?
    /// ``reading`` has not come to its end.
    private var isReading: Bool

    /// - Parameters:
    ///   - start: what the group committed last, with its horizon.
    ///   - end: the end of the partition now: what lies before it may have been published already.
    ///   - sources: all input partitions.
    init(
        _ partition: TopicPartition, lease: Lease, start: PartitionOffset, end: Int64,
        sources: [SourcePartition], settings: AggregateSettings, checkpoint: TotalCheckpoint, metrics: Metrics,
        position: ReadPosition, scheduler: any Scheduler
    ) {
        self.partition = partition
        self.lease = lease
        restoreEnd = nil
        self.position = position
        figures = TotalFigures(partition, metrics)
        grace = settings.windows.grace
        totals = WindowTotals(settings, sources: sources)
        committed = start
        self.sources = sources
        plan = checkpoint
        let note = CommitNote(start.metadata)
        number = CommitNumber(epoch: max((note?.mark?.epoch ?? 0) + 1, UInt64(max(scheduler.wallClock, 0))), commit: 0)
        // What a mark goes with was committed with all before it; without one the offset reaches back.
        if note?.mark != nil || (start.offset == nil && checkpoint.keepsTotals) {
            reading = TotalRestoration(settings, sources: sources, checkpoint, target: note?.mark)
        } else {
            reading = nil
            restoreEnd = end > (start.offset ?? 0) ? end : nil
        }
        isReading = reading != nil
        if let note { setHorizon(note.time, sources) }
    }

    var restoration: (any Restoration)? { reading }

    func restored() {
        isReading = false
        if let made = reading?.take() {
            totals = made
            guard committed.offset == nil, let found = reading?.found else { return }
            known = found.next
            number.epoch = max(number.epoch, found.number.epoch + 1)
            return
        }
        // Where nothing was committed the reading begins at the beginning anyway.
        if committed.offset == nil { return }
        // The horizon stands already.
        position.forget()
        restoreEnd = plan.rewind(lease)
    }

    /// Every source had passed the horizon when it was written: said again for each, it is the watermark again.
    private func setHorizon(_ horizon: Int64, _ sources: [SourcePartition]) {
        var marks = RecordBatch()
        for source in sources { Combiner.appendWatermark(source: source, watermark: horizon, to: &marks) }
        for index in 0..<marks.count {
            marks.withRecord(index) { _, value in take(partial: value, offset: nil) }
        }
        var (rows, checkpoint) = (RecordBatch(), RecordBatch())
        totals.emit(into: &rows, checkpoint: &checkpoint)
    }

    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
        if position.take(offset) { beginAnew() }
        taken += 1
        if isKnown(offset) { return }
        if let value { take(partial: value, offset: offset) }
        if let end = restoreEnd, offset + 1 >= end { restoreEnd = nil }
    }

    /// Whether it is in the totals already. A log that is still there from its first offset was made anew since; what
    /// stood there may have been in a transaction that was aborted, so that no record tells.
    private func isKnown(_ offset: Int64) -> Bool {
        guard let end = known else { return false }
        if position.isWhole || offset >= end { known = nil }
        return known != nil
    }

    /// The partials of the open windows are gone with their topic. Their totals go on; where these are in memory only,
    /// they are lost with the worker.
    private func beginAnew() {
        firstOffsets = [:]
        committed.offset = nil
    }

    private func take(partial: RawSpan, offset: Int64?) {
        hasChanged = true
        do throws(PackedError) {
            guard let end = try totals.take(partial), let offset else { return }
            if firstOffsets[end] == nil { firstOffsets[end] = offset }
        } catch {
            figures.unreadable(error)
        }
    }

    func reachedEnd(offset: Int64) {
        if position.reachEnd(offset) { beginAnew() }
        known = nil
        restoreEnd = nil
    }

    func failed(_ error: KafkaError) {
        figures.failed(error)
        position.fail(error)
    }

    func drained() {
        position.look()
        figures.partials.add(UInt64(taken))
        taken = 0
    }

    var isFull: Bool { false }

    /// Whether everything that may have been published before has been read again.
    var isRestored: Bool { restoreEnd == nil && !isReading }

    func close(isLast: Bool) -> ClosedEpoch? {
        figures.restored(isRestored)
        position.look()
        guard isRestored, hasChanged, !position.isGone, let next = position.next else { return nil }
        hasChanged = false
        var epoch = ClosedEpoch(lease: lease, offset: committed)
        var checkpoint = RecordBatch()
        totals.emit(into: &epoch.rows, checkpoint: &checkpoint)
        figures.update(totals.statistics)
        if plan.keepsTotals {
            number.commit += 1
            let mark = TotalsMark(number, next: next, cells: totals.statistics.cells)
            TotalRestoration.append(mark, to: &checkpoint)
            epoch.checkpoint = checkpoint
            epoch.checkpointPlace = plan.place
            let note = CommitNote(time: totals.watermark, mark: number)
            epoch.offset = PartitionOffset(partition, next, metadata: note.text)
            committed = epoch.offset
            return epoch
        }
        epoch.offset = offsetReachingBack(next)
        let isSame = epoch.offset == committed && epoch.rows.isEmpty
        committed = epoch.offset
        return isSame ? nil : epoch
    }

    /// The first partial of the oldest open window.
    private func offsetReachingBack(_ next: Int64) -> PartitionOffset {
        let horizon = totals.watermark
        firstOffsets = firstOffsets.filter { $0.key + grace >= horizon }
        let oldest = firstOffsets.values.min() ?? next
        let note = horizon == Int64.min ? "" : CommitNote(time: horizon).text
        let isRead = reading == nil
        return PartitionOffset(partition, isRead ? max(oldest, committed.offset ?? 0) : oldest, metadata: note)
    }
}
