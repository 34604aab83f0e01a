internal import Aggregating
internal import Engine
internal import Folding
internal import Kafka
internal import Lifecycle
internal import Metering

/// Stage 0 of one input partition, where `input.keyed` is false: records to packed events, each installation's in one
/// partition of `<app>-events`, each with the stream time that stage 1 orders it by.
///
/// It keeps nothing from record to record but stream time, which stands beside the committed offset: a restart goes
/// on there. Dead letters are its own, with the source's offset; stage 1 meets none.
final class RekeyWork: PartitionWork {
    private let partition: TopicPartition
    private let lease: Lease
    private let options: WorkerOptions
    private let figures: InputFigures
    private let bytesAhead: Gauge
    private let position: ReadPosition
    private let scheduler: any Scheduler
    private let alignment: Alignment
    private let router: EventRouter
    private var letters: [DeadLetter] = []
    private var committed: PartitionOffset
    /// Since when the partition is caught up and silent; nil while it is not.
    private var silentSince: MonotonicTime?
    /// Nobody waits for the partition.
    private var isIdle = false
    /// Until more than that is known, it is as idle as when its offset was committed.
    private var wasIdle: Bool
    private var lastTold: MonotonicTime?
    private var ahead = BytesAhead()
    private var records = 0
    private var bytes = 0

    /// How far the partition is goes out again after so many ms, for those who have begun to read since.
    private static let tellInterval = 5000

    /// - Parameters:
    ///   - start: what the group committed last, with the stream time there.
    ///   - partitions: of `<app>-events`.
    init(
        _ partition: TopicPartition, lease: Lease, start: PartitionOffset, partitions: Int, alignment: Alignment,
        options: WorkerOptions, metrics: Metrics, tally: EventTally, position: ReadPosition,
        scheduler: any Scheduler
    ) {
        self.partition = partition
        self.lease = lease
        self.options = options
        self.position = position
        self.scheduler = scheduler
        self.alignment = alignment
        figures = InputFigures(partition, metrics, tally)
        bytesAhead = metrics.gauge(\.bytesAhead, partition.label)
        let note = CommitNote(start.metadata)
        wasIdle = note?.isIdle ?? false
        let source = SourcePartition(topic: partition.topic, partition: partition.partition)
        router = EventRouter(
            options.engine, source: source, stream: note?.time ?? Event.absent, partitions: partitions)
        committed = start
        alignment.reached(router.stream, isIdle: false, in: partition)
    }

    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
        (silentSince, isIdle, wasIdle) = (nil, false, false)
        _ = position.take(offset)
        records += 1
        guard let value else { return }
        bytes += value.byteCount
        if timestamp > router.latest || router.latest == .max {
            router.latest = scheduler.wallClock + options.engine.folding.futureTolerance
        }
        let rejections = router.ingest(value, key: key, timestamp: timestamp < 0 ? Event.absent : timestamp)
        if rejections.isEmpty { return }
        let origin = DeadLetter.Origin(
            partition: partition, offset: offset, timestamp: timestamp, worker: options.name)
        letters += DeadLetter.letters(of: rejections, value: value, key: key, origin: origin)
        figures.rejected(rejections)
    }

    func reachedEnd(offset: Int64) {
        if silentSince == nil { silentSince = scheduler.now }
        // Nothing has come since that was written.
        if wasIdle { isIdle = true }
        _ = position.reachEnd(offset)
    }

    func failed(_ error: KafkaError) {
        figures.failed(error)
        position.fail(error)
    }

    func drained() {
        position.look()
        figures.records.add(UInt64(records))
        figures.bytes.add(UInt64(bytes))
        (records, bytes) = (0, 0)
    }

    var isFull: Bool { router.isFull || letters.count >= FoldWork.letterLimit }

    func isAhead() -> Bool {
        let share = alignment.share
        guard ahead.sum + router.byteCount > share / 4 else { return false }
        let floor = alignment.floor(beside: partition)
        ahead.drop(upTo: floor)
        let sum = ahead.sum + (router.stream > floor ? router.byteCount : 0)
        if sum > share / 4 { alignment.ask() }
        return sum > share
    }

    func close(isLast: Bool) -> ClosedEpoch? {
        if position.isGone { return nil }
        position.look()
        let now = scheduler.now
        if let silentSince, now.milliseconds(since: silentSince) >= options.idleTimeout { isIdle = true }
        let tellsAgain = lastTold.map { now.milliseconds(since: $0) >= Self.tellInterval } ?? true
        if tellsAgain { lastTold = now }
        var epoch = ClosedEpoch(lease: lease, offset: committed)
        let gathered = router.byteCount
        router.closeEpoch(isIdle: isIdle, tellsAgain: tellsAgain, into: &epoch.events)
        let isPassedOver = isIdle || router.isPassedOver
        ahead.add(gathered, upTo: router.stream)
        alignment.reached(router.stream, isIdle: isPassedOver, in: partition)
        ahead.drop(upTo: alignment.floor(beside: partition))
        bytesAhead.set(ahead.sum)
        swap(&epoch.deadLetters, &letters)
        figures.update(router.counts, packed: router.packed)
        if let next = position.next {
            let note = CommitNote(time: router.stream, isIdle: isPassedOver)
            epoch.offset = PartitionOffset(partition, next, metadata: note.text)
        }
        let isSame = epoch.offset == committed && epoch.events.isEmpty && epoch.deadLetters.isEmpty
        committed = epoch.offset
        return isSame ? nil : epoch
    }
}
