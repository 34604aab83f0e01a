internal import Checkpointing
internal import Engine
internal import Kafka
internal import Lifecycle
internal import Metering

/// What takes the records of a checkpoint, in the order of the log.
protocol RestoreSink {
    func take(key: RawSpan?, value: RawSpan?)
    /// All that is wanted has been taken; what else there is can only have come after it.
    var isComplete: Bool { get }
    /// How many things were restored, for people.
    var count: Int { get }
    /// What they are, for the metrics.
    var kind: String { get }
}

/// Reads the checkpoint of one task back, on a queue beside the task's own, before the task takes a record.
///
/// It ends early, without a result, as soon as the lease is gone. The group is polled meanwhile.
struct Restorer: Sendable {
    let options: WorkerOptions
    let platform: Platform
    /// The task's partition of the checkpoint.
    let place: TopicPartition
    let source: TopicPartition
    let observer: any ClientObserver
    let metrics: Metrics
    let log: Log

    /// Longest wait of one call, ms.
    private static let slice: Int32 = 200
    /// How long the broker waits for more before it says that there is no more, ms: each restoration waits for it.
    private static let endWait = 10
    /// How long records of transactions that are not over are waited for, ms.
    private static let patience = 90_000
    private static let lineInterval = 5000

    /// What was read so far.
    private struct Progress {
        let begin: MonotonicTime
        var lastLine: MonotonicTime
        var records = 0
        var bytes = 0
        var first: Int64?
        var next: Int64 = 0
        /// The partition's end when the reading began.
        var end: Int64 = 0

        init(begin: MonotonicTime) {
            self.begin = begin
            lastLine = begin
        }
    }

    var now: MonotonicTime { platform.scheduler.now }

    /// - Parameter start: what stands before it `sink` has taken already.
    /// - Returns: the end of the checkpoint when it was read; nil where the lease was let go before all was.
    func read(into sink: some RestoreSink, from start: StartOffset = .beginning, lease: Lease) -> Int64? {
        var progress = Progress(begin: now)
        var attempt = 0
        while lease.isHeld {
            do throws(KafkaError) {
                // After a failure what was read is known; the reader passes over it.
                let records = try platform.cluster.reader(
                    of: place, from: attempt == 0 ? start : .beginning,
                    options.reader(endsWithin: Self.endWait), observer: observer)
                let ends = try records.watermarks(limit: 5000)
                progress.end = ends.high
                if ends.low >= ends.high { return ends.high }
                return try read(records, into: sink, lease, &progress) ? ends.high : nil
            } catch {
                if attempt % 25 == 0 {
                    log.warning(
                        "restore", "the checkpoint cannot be read yet",
                        ["partition": .text(source.description), "error": .text(error.description)])
                }
                attempt += 1
                platform.scheduler.sleep(milliseconds: 200)
            }
        }
        return nil
    }

    /// - Returns: false where the lease was let go.
    private func read(
        _ records: any PartitionReader, into sink: some RestoreSink, _ lease: Lease, _ progress: inout Progress
    ) throws(KafkaError) -> Bool {
        var waitingSince: MonotonicTime?
        while lease.isHeld {
            let outcome = try records.read(timeout: Self.slice) { key, value, offset in
                waitingSince = nil
                note(value, offset, &progress)
                metrics.counter(\.restoredRecords, sink.kind).add()
                sink.take(key: key, value: value)
            }
            tell(&progress, sink.count)
            if case .record = outcome { continue }
            if case .end(let offset) = outcome {
                // What a transaction that is not over yet has written is not needed once all wanted is there.
                if offset >= progress.end || sink.isComplete { return true }
            }
            let since = waitingSince ?? now
            waitingSince = since
            if now.milliseconds(since: since) > Self.patience, progress.records > 0 { return true }
        }
        return false
    }

    private func note(_ value: RawSpan?, _ offset: Int64, _ progress: inout Progress) {
        if progress.first == nil { progress.first = offset }
        progress.next = offset + 1
        progress.records += 1
        progress.bytes += value?.byteCount ?? 0
        metrics.counter(\.restoredBytes).add(UInt64(value?.byteCount ?? 0))
    }

    /// How far it is, every few seconds.
    private func tell(_ progress: inout Progress, _ count: Int) {
        guard now.milliseconds(since: progress.lastLine) >= Self.lineInterval, let first = progress.first
        else { return }
        progress.lastLine = now
        let done = Double(progress.next - first)
        let left = Double(max(progress.end - progress.next, 0))
        let seconds = now.seconds(since: progress.begin)
        log.info(
            "restore", "reading the checkpoint",
            [
                "partition": .text(source.description), "restored": .integer(count),
                "bytes": .integer(progress.bytes), "left_s": .decimal((left * seconds / max(done, 1)).rounded()),
            ])
    }
}

/// What a task reads before it takes records. Runs on a queue beside the task's own.
protocol Restoration: Sendable {
    /// - Returns: false where the lease was let go before all was read: the task does not begin.
    func run(_ lease: Lease) -> Bool
}

/// Brings the devices of one input partition back into the engine that goes on with them.
///
/// The engine is touched here alone until ``run(_:)`` has returned, and by its task alone from then on.
final class FoldRestoration: Restoration, RestoreSink, @unchecked Sendable {
    private let engine: PartitionEngine
    private var reader: CheckpointReader
    /// The reader goes on with what was kept.
    private var standby: Standby?
    /// States that it had taken before.
    private var before: Int
    private let restorer: Restorer
    private let start: PartitionOffset
    private let trimmer: CheckpointTrimmer?

    /// - Parameters:
    ///   - start: what the group committed last: the states are those at its offset.
    ///   - trimmer: told of the checkpoint's end; nil where several partitions share one of the checkpoint.
    init(
        _ engine: PartitionEngine, _ restorer: Restorer, start: PartitionOffset, trimmer: CheckpointTrimmer?,
        standby: Standby?
    ) {
        self.engine = engine
        self.restorer = restorer
        self.start = start
        self.trimmer = trimmer
        self.standby = standby
        before = standby?.reader.states ?? 0
        reader = standby?.reader ?? Self.makeReader(engine, restorer, start)
    }

    private static func makeReader(
        _ engine: PartitionEngine, _ restorer: Restorer, _ start: PartitionOffset
    ) -> CheckpointReader {
        let source = CheckpointSource(
            topic: restorer.source.topic, partition: restorer.source.partition, pass: restorer.options.checkpointPass)
        let target = CommitNote(start.metadata)?.mark
        // Without an offset there is nothing that states could belong to.
        return CheckpointReader(engine, source, target: target, offset: start.offset ?? -1)
    }

    func take(key: RawSpan?, value: RawSpan?) {
        guard let value else { return }
        reader.take(value, key: key)
    }

    var isComplete: Bool { reader.isComplete }
    var count: Int { reader.states - before }
    let kind = "states"

    func run(_ lease: Lease) -> Bool {
        let begin = restorer.now
        let gauge = restorer.metrics.gauge(\.restoring, restorer.source.label)
        gauge.set(1)
        defer { gauge.set(0) }
        guard var end = restorer.read(into: self, from: standby?.reached ?? .beginning, lease: lease) else {
            return false
        }
        if standby != nil, !reader.isComplete {
            // What was kept does not lead there.
            reader.forget()
            before = 0
            reader = Self.makeReader(engine, restorer, start)
            guard let again = restorer.read(into: self, lease: lease) else { return false }
            end = again
        }
        standby = nil
        trimmer?.note(end: end, of: restorer.place)
        let base = reader.finish(now: restorer.platform.scheduler.wallClock)
        let seconds = restorer.now.seconds(since: begin)
        restorer.metrics.counter(\.restoredStates).add(UInt64(count))
        restorer.metrics.histogram(\.restoreSeconds).observe(seconds)
        if base == nil { beginWithoutStates() } else { tell(seconds) }
        return lease.isHeld
    }

    private func tell(_ seconds: Double) {
        let rate = Double(count) / max(seconds, 0.001)
        restorer.log.info(
            "restore", "states restored",
            [
                "partition": .text(restorer.source.description), "devices": .integer(engine.devices),
                "states_read": .integer(count), "seconds": .decimal((seconds * 1000).rounded() / 1000),
                "states_per_s": .integer(Int(rate)),
            ])
        guard let told = reader.last?.nextOffset, let offset = start.offset, told != offset else { return }
        restorer.log.warning(
            "restore", "the states are not those at the committed offset: the events between are not in them",
            [
                "partition": .text(restorer.source.description), "states_at": .integer(told),
                "committed": .integer(offset),
            ])
    }

    /// Nothing is committed. Where there are states all the same the brokers have forgotten the offset with its topic,
    /// which was made anew, or by age: nothing tells what of the input the states hold, so they are of no use, be they
    /// of another version or not.
    private func beginAgain() {
        guard reader.hasMetBlocks || reader.unreadable > 0 else { return }
        if reader.watermark != Event.absent { engine.advance(to: reader.watermark) }
        restorer.metrics.counter(\.checkpointsLost).add()
        restorer.log.error(
            "restore", "no offset is committed and there are states: devices begin unknown",
            [
                "partition": .text(restorer.source.description), "unreadable_blocks": .integer(reader.unreadable),
                "error": .text(reader.lastError?.description ?? "none"),
                "remedy": "nothing to do where the input topic was made anew; else the committed offsets have expired",
            ])
    }

    /// Nothing was committed yet, or its checkpoint is not there.
    private func beginWithoutStates() {
        guard start.offset != nil else { return beginAgain() }
        let note = CommitNote(start.metadata)
        // Stream time must not go back.
        if let note, note.time != Event.absent { engine.advance(to: note.time) }
        if note?.mark == nil {
            return restorer.log.info(
                "restore", "no states go with the committed offset: devices begin unknown",
                ["partition": .text(restorer.source.description)])
        }
        restorer.metrics.counter(\.checkpointsLost).add()
        restorer.log.error(
            "restore", "the checkpoint does not hold the states at the committed offset: devices begin unknown",
            [
                "partition": .text(restorer.source.description), "unreadable_blocks": .integer(reader.unreadable),
                "error": .text(reader.lastError?.description ?? "none"),
            ])
    }
}
