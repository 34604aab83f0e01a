internal import Aggregating
internal import Engine
internal import Kafka
internal import Lifecycle
internal import Metering

/// Stage 0 of one input partition, where `input.keyed` is false: records to packed events, each installation's in one
/// partition of `<app>-events`.
///
/// It keeps nothing from record to record: a restart goes on at the committed offset. Dead letters are its own, with
/// the source's offset; stage 1 meets none.
final class RekeyWork: PartitionWork {
    private let partition: TopicPartition
    private let lease: Lease
    private let options: WorkerOptions
    private let figures: InputFigures
    private let position: PositionGauge
    private let router: EventRouter
    private var letters: [DeadLetter] = []
    private var next: Int64?
    private var committed: PartitionOffset
    private var records = 0
    private var bytes = 0

    /// - Parameter partitions: of `<app>-events`.
    init(
        _ partition: TopicPartition, lease: Lease, start: PartitionOffset, partitions: Int, options: WorkerOptions,
        metrics: Metrics, tally: EventTally, position: PositionGauge
    ) {
        self.partition = partition
        self.lease = lease
        self.options = options
        self.position = position
        figures = InputFigures(partition, metrics, tally)
        router = EventRouter(options.engine, partitions: partitions)
        next = start.offset
        committed = start
    }

    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
        if let next, offset > next { figures.skipped.add(UInt64(offset - next)) }
        next = offset + 1
        records += 1
        guard let value else { return }
        bytes += value.byteCount
        let rejections = router.ingest(value, key: key, timestamp: timestamp < 0 ? Event.absent : timestamp)
        if rejections.isEmpty { return }
        let origin = DeadLetter.Origin(
            partition: partition, offset: offset, timestamp: timestamp, worker: options.name)
        letters += DeadLetter.letters(of: rejections, value: value, key: key, origin: origin)
        figures.rejected(rejections)
    }

    func reachedEnd(offset: Int64) {
        next = max(next ?? offset, offset)
    }

    func failed(_ error: KafkaError) {
        figures.failed(error)
    }

    func drained() {
        if let next { position.offset = next }
        figures.records.add(UInt64(records))
        figures.bytes.add(UInt64(bytes))
        (records, bytes) = (0, 0)
    }

    var isFull: Bool { router.isFull || letters.count >= FoldWork.letterLimit }

    func close(isLast: Bool) -> ClosedEpoch? {
        var epoch = ClosedEpoch(lease: lease, offset: committed)
        router.closeEpoch(into: &epoch.events)
        swap(&epoch.deadLetters, &letters)
        figures.update(router.counts)
        if let next { epoch.offset = PartitionOffset(partition, next) }
        let isSame = epoch.offset.offset == committed.offset && epoch.events.isEmpty && epoch.deadLetters.isEmpty
        committed = epoch.offset
        return isSame ? nil : epoch
    }
}
