package import Aggregating
package import Checkpointing
internal import Decoding
package import Folding
package import Lifecycle

/// The way of one partition from records to figures: decode, fold, combine, without Kafka.
///
/// Owned by one task and touched on its queue alone. Records are decoded as they come; their events are folded and
/// combined in batches, at the latest when an epoch is closed.
package final class PartitionEngine {
    private var decoder: RecordDecoder
    private var merge = SourceMerge()
    /// Stream time of the packed events' sources, as far as the fold has been told.
    private var mergedStream = Event.absent
    private var fold: InstallationFold
    private var combiner: Combiner
    private var lexicon = Lexicon()
    private var batch = EventBatch(capacity: PartitionEngine.batchEvents * 2)
    private var contributions = ContributionBatch(capacity: PartitionEngine.batchEvents * 4)
    private var decoded = EngineCounts()
    private let limits: FoldingLimits
    private var checkpoint: CheckpointWriter?
    private let splits: SplitWatch?
    private let source: SourcePartition?

    /// Events that are gathered before they are folded together.
    package static let batchEvents = 512

    /// - Parameters:
    ///   - splits: shared with the other partitions of the input; nil where there is no other.
    ///   - source: the partition, as `splits` knows it.
    package init(_ settings: EngineSettings, splits: SplitWatch? = nil, source: SourcePartition? = nil) {
        self.splits = splits
        self.source = source
        decoder = RecordDecoder(settings.decoding)
        limits = settings.folding
        fold = InstallationFold(settings.folding, lexicon: &lexicon)
        combiner = Combiner(settings.aggregating)
    }

    /// A new engine with the states of one that has come to its end.
    package init(
        _ settings: EngineSettings, statesOf old: PartitionEngine, splits: SplitWatch? = nil,
        source: SourcePartition? = nil
    ) {
        self.splits = splits
        self.source = source
        decoder = RecordDecoder(settings.decoding)
        limits = settings.folding
        fold = old.fold
        fold.endLife()
        lexicon = old.lexicon
        combiner = Combiner(settings.aggregating)
    }

    /// Takes one record in.
    ///
    /// - Parameters:
    ///   - value: the record's value.
    ///   - key: the record's key, where it has one.
    ///   - timestamp: the record's timestamp, ms since the epoch; ``Event/absent`` where there is none.
    /// - Returns: what of it could not be read, for the dead-letter topic: mostly nothing.
    @discardableResult
    package func ingest(_ value: RawSpan, key: RawSpan?, timestamp: Int64) -> [Rejection] {
        decoder.decode(value, key: key, timestamp: timestamp, lexicon: &lexicon, into: &batch)
        return takeRejections()
    }

    /// Takes records in that are the lines of a text, without keys and timestamps, from `start` on, which it moves: to
    /// the end of the text or of a record that could not be read, or sooner.
    ///
    /// - Parameter lines: each ends with a line feed, before which a carriage return may stand; the last one may end
    ///   without.
    /// - Returns: how many records were taken in, and what of the last one could not be read: mostly nothing.
    package func ingest(lines: RawSpan, from start: inout Int) -> (records: Int, rejections: [Rejection]) {
        let before = batch.records
        start = decoder.decode(
            lines: lines, from: start, enough: Self.batchEvents, lexicon: &lexicon, into: &batch)
        let records = batch.records - before
        return (records, takeRejections())
    }

    /// What of the last record could not be read; folds what has been gathered where it is enough.
    @inline(__always)
    private func takeRejections() -> [Rejection] {
        var rejections: [Rejection] = []
        if !batch.rejections.isEmpty {
            swap(&rejections, &batch.rejections)
            decoded.deadLettered += rejections.count
        }
        if batch.events.count >= Self.batchEvents { process() }
        return rejections
    }

    // MARK: Packed events

    /// The input partitions whose packed events come. Before the first; where they are not told, events are folded as
    /// they come.
    package func expect(_ sources: [SourcePartition]) { merge.expect(sources) }

    /// Goes on where another engine's ``mergePlace(end:)`` was. Before the first packed events.
    package func resume(_ place: MergePlace) { merge.resume(place) }

    /// The log is another one from here on: its offsets begin anew, and what waits stands in it nowhere.
    package func beginAnew() { merge.beginAnew() }

    /// Takes one record of stage 0 in, and folds what is now known to be next over all sources.
    ///
    /// - Parameter offset: of the record in its log.
    /// - Returns: records that could not be read, of which some may have waited: what is behind the place in them that
    ///   cannot be is lost.
    package func ingest(packed value: RawSpan, offset: Int64) -> Int {
        guard var cursor = try? PackedCursor(value) else { return 1 }
        var unreadable = 0
        merge.hear(cursor.header, at: offset)
        while !cursor.isEmpty, merge.isNext(cursor, at: offset) { unreadable += take(&cursor, value, offset) }
        if !cursor.isEmpty { merge.keep(cursor, value, at: offset) }
        while var record = merge.takeNext() {
            let bytes = record.bytes
            repeat {
                unreadable += unsafe take(&record.cursor, bytes.span.bytes, record.offset)
            } while !record.cursor.isEmpty && merge.isNext(record.cursor, at: record.offset)
            if !record.cursor.isEmpty { merge.keep(record) }
        }
        if merge.stream > mergedStream {
            mergedStream = merge.stream
            var tick = Event.tick(received: mergedStream)
            tick.record = .max
            batch.events.append(tick)
        }
        return unreadable
    }

    /// - Returns: 1 where the events cannot be read, else 0.
    private func take(_ cursor: inout PackedCursor, _ bytes: RawSpan, _ offset: Int64) -> Int {
        let wasFolded = merge.wasFolded(cursor.stream, offset)
        let (events, records) = (batch.events.count, batch.records)
        guard (try? cursor.take(bytes, lexicon: &lexicon, into: &batch)) != nil else { return 1 }
        if wasFolded {
            batch.events.removeLast(batch.events.count - events)
            batch.records = records
        }
        if batch.events.count >= Self.batchEvents { process() }
        return 0
    }

    /// Where the merge stands.
    /// - Parameter end: the first record of the log that was not taken in.
    package func mergePlace(end: Int64) -> MergePlace { merge.place(end: end) }

    /// The log's first record of which events wait; nil where none does.
    package var firstWaiting: Int64? { merge.firstWaiting }
    /// Bytes of the records of which events wait.
    package var waitingBytes: Int { merge.byteCount }
    /// All sources are idle, and nothing waits.
    package var isIdle: Bool { merge.isIdle }

    /// Folds and combines what has been taken in.
    package func process() {
        decoded.otherTelemetry += batch.otherTelemetry
        decoded.records += batch.records
        fold.learn(lexicon)
        fold.fold(batch, into: &contributions)
        combine()
        batch.removeAll()
    }

    /// Moves stream time and watermark to the wall clock, as an idle partition that is caught up does.
    ///
    /// - Parameter time: ms since the epoch.
    package func advance(to time: Int64) {
        process()
        fold.advance(to: time, into: &contributions)
        combine()
    }

    /// The input has ended: what was held back is folded.
    package func finish() {
        process()
        fold.finish(into: &contributions)
        combine()
    }

    /// Launch times in ms, with their apps, that the system itself wrote into event logs: to compare, in no figure.
    package var systemLaunchTimes: [(app: String, milliseconds: Int64)] {
        decoder.logcat.context.launchTimes.map { (lexicon.texts[$0.app], $0.duration) }
    }

    /// Closes the epoch: appends what was gathered since the last one to `partials`, and clears it.
    package func closeEpoch(source: SourcePartition, into partials: inout RecordBatch) {
        process()
        combiner.closeEpoch(source: source, watermark: fold.watermark, lexicon: lexicon, into: &partials)
    }

    // MARK: The checkpoint

    /// From here on states are written: the engine's life has a number of its own.
    ///
    /// - Parameters:
    ///   - epoch: larger than that of any life before.
    ///   - base: the commit whose states it goes on from; nil where it begins without.
    package func beginCheckpoint(_ source: CheckpointSource, epoch: UInt64, base: CommitNumber?) {
        checkpoint = CheckpointWriter(source, epoch: epoch, base: base)
        fold.noteChanges()
    }

    /// Appends the checkpoint of the epoch that was closed just now to `records`.
    ///
    /// - Parameter nextOffset: the first record of the input that was not taken in.
    /// - Returns: what was written; nil before ``beginCheckpoint(_:epoch:base:)``.
    package func saveCheckpoint(nextOffset: Int64, into records: inout RecordBatch) -> SavedCommit? {
        checkpoint?.write(fold, nextOffset: nextOffset, lexicon: lexicon, into: &records)
    }

    /// The last block of the checkpoint that was written; nil before the first commit.
    package var lastSaved: BlockHeader? {
        guard let header = checkpoint?.header, header.number.commit > 0 else { return nil }
        return header
    }

    /// Whether a state has changed, or time gone on, since the last commit of the checkpoint.
    package var hasUnsaved: Bool { checkpoint != nil && fold.hasChanges }

    /// All states in one form, the same for equal states: to compare.
    package var stateSnapshot: ContiguousArray<UInt8> { fold.snapshot(lexicon: lexicon) }

    /// - Parameter content: of a block.
    /// - Returns: how many states it told of.
    func restore(_ header: BlockHeader, _ content: RawSpan) throws(UnreadableBytes) -> Int {
        try fold.restore(content, stream: header.stream, places: header.places, lexicon: &lexicon)
    }

    func finishRestore(_ last: BlockHeader, suspects: Set<UInt32>) throws(UnreadableBytes) {
        try fold.finishRestore(stream: last.stream, watermark: last.watermark, suspects: suspects)
    }

    func forgetStates() {
        fold = InstallationFold(limits, lexicon: &lexicon)
    }

    /// Hands what was gathered to totals in the same process, without packing it.
    package func drain(into totals: inout WindowTotals) {
        process()
        totals.take(&combiner, lexicon: lexicon)
    }

    private func combine() {
        noteSplits()
        contributions.withSpan { combiner.add($0, lexicon: lexicon) }
        contributions.removeAll()
    }

    /// Counts installations that came in another partition, too.
    private func noteSplits() {
        let found = fold.takeSightings { sightings -> [Sighting] in
            guard let splits, let source, !sightings.isEmpty else { return [] }
            return splits.look(sightings, of: source)
        }
        for sighting in found {
            contributions.append(
                Contribution(
                    .anomaly(.splitKey), time: sighting.time, stream: fold.watermark, group: sighting.group))
        }
    }

    // MARK: What it has come to

    /// So much was gathered that the epoch should be closed before its time.
    package var isFull: Bool { combiner.isFull }
    /// The largest receive time that a record told, ms since the epoch; ``Event/absent`` before the first.
    package var watermark: Int64 { fold.watermark }
    /// Installations whose state is kept.
    package var devices: Int { fold.devices }
    /// Bytes of their states, without what only some of them need.
    package var deviceBytes: Int { fold.byteCount }
    /// Bytes of all that is known of them.
    package var stateBytes: Int { fold.byteCount + fold.partByteCount }

    /// What is known of an installation; nil where it has no state.
    package func state(_ device: String, app: String) -> InstallationState? {
        var device = device
        let key = device.withUTF8 { bytes in
            unsafe InstallationKey(device: RawSpan(_unsafeElements: bytes), app: StableHash.hash(app))
        }
        return fold.state(of: key)
    }

    /// Scenes, activities, views and resources that were forgotten so far, beyond `instances.limit`.
    package var forgottenInstances: Int { fold.counts.forgotten }

    /// Groups that are known.
    package var groups: Int { lexicon.groups.count }

    /// Sums of groups beyond `group.limit` so far, which went to `__other__`.
    package var overGroupLimit: Int { combiner.statistics.overLimit }

    /// Events that wait in memory for older ones: a position behind them is not done with.
    package var held: Int {
        let folded = fold.counts
        return folded.arrived - folded.folded - folded.duplicates - folded.late
    }

    /// What became of every event so far; those in hand or held back are not in it yet.
    package var counts: EngineCounts {
        var counts = decoded
        let folded = fold.counts
        let (expired, expiredOther) = (combiner.statistics.late, combiner.statistics.lateOther)
        counts.other = folded.other - expiredOther
        counts.folded = folded.folded - folded.other - (expired - expiredOther)
        counts.duplicates = folded.duplicates
        counts.late = folded.late + expired
        return counts
    }
}

/// What became of the events of a partition: none is dropped in silence.
package struct EngineCounts: Sendable, Equatable {
    package var records = 0
    /// Folded, with a known name.
    package var folded = 0
    /// Folded, with an unknown name.
    package var other = 0
    /// Records of other telemetry.
    package var otherTelemetry = 0
    package var duplicates = 0
    package var late = 0
    package var deadLettered = 0

    package init() {}

    /// Every event that came in.
    package var events: Int { folded + other + otherTelemetry + duplicates + late + deadLettered }

    package static func += (total: inout EngineCounts, part: EngineCounts) {
        total.records += part.records
        total.folded += part.folded
        total.other += part.other
        total.otherTelemetry += part.otherTelemetry
        total.duplicates += part.duplicates
        total.late += part.late
        total.deadLettered += part.deadLettered
    }
}
