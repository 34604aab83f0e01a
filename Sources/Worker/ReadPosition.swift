internal import Kafka
internal import Metering

/// Where a task is in its partition, and what of it there never was to be taken.
///
/// The library is told to go on at the earliest record that is there when the one wanted is not: it says so to nobody.
/// So every offset is held to the one before it:
/// - A gap that reaches below the partition's first offset was deleted before it was read: the topic's retention has
///   passed the reader. The offsets in it are counted and told; marks of transactions are among them, so that there
///   were at most so many records.
/// - An offset that goes back is of another log: the topic was deleted and made anew, or the brokers have lost its
///   end. All that is there is taken. What was known of the old log and not taken from it is counted as lost.
/// - A new log that had grown beyond the position before anybody looked cannot be told from the old one by offsets,
///   and the library (before 2.8) does not know the ids of topics. Where the partition's end was seen to be further on
///   before, it is told that the records before the position are not read.
///
/// Touched on its task's queue alone.
final class ReadPosition {
    private let partition: TopicPartition
    private let ends: () -> Watermarks?
    private let gauge: PositionGauge
    private let scheduler: any Scheduler
    private let log: Log
    private let lost: Metering.Counter
    private let skipped: Metering.Counter
    private let anew: Metering.Counter
    /// Lost and not in the log yet.
    private var untold: Int64 = 0
    private var lastLine: MonotonicTime?
    /// The largest end seen of this log.
    private var end: Int64 = -1
    /// Since when the end is before one that was seen.
    private var shorterSince: MonotonicTime?
    /// The offset that is wanted next; nil where any will do.
    private(set) var next: Int64?
    /// When the cluster said that it has no such topic; nil since a fetch went through.
    private var goneSince: MonotonicTime?

    /// Lines of the log on one partition are at least so many ms apart.
    private static let lineInterval = 30_000
    /// A leader that is new may know an end that is some moments old, ms.
    private static let patience = 2000
    /// A topic that is gone for longer is taken from its members, ms.
    private static let goneLimit = 15_000

    /// - Parameters:
    ///   - start: the first offset that is wanted; nil where any will do.
    ///   - ends: as the last fetch told them; nil before it. Does not wait.
    init(
        _ partition: TopicPartition, from start: Int64?, ends: @escaping () -> Watermarks?, gauge: PositionGauge,
        metrics: Metrics, log: Log, scheduler: any Scheduler
    ) {
        self.partition = partition
        self.ends = ends
        self.gauge = gauge
        self.scheduler = scheduler
        self.log = log
        next = start
        lost = metrics.counter(\.recordsLost, partition.label)
        skipped = metrics.counter(\.offsetsSkipped, partition.label)
        anew = metrics.counter(\.logsAnew, partition.label)
    }

    /// A record has come.
    /// - Returns: whether it is of another log than the ones before it.
    func take(_ offset: Int64) -> Bool {
        goneSince = nil
        let isAnew = advance(to: offset)
        next = offset + 1
        return isAnew
    }

    /// There is no record at `offset` yet.
    /// - Returns: as ``take(_:)``.
    func reachEnd(_ offset: Int64) -> Bool {
        goneSince = nil
        let isAnew = advance(to: offset)
        next = offset
        return isAnew
    }

    /// Nothing of the log was ever deleted. Known once a record has come.
    var isWhole: Bool { ends()?.low == 0 }

    /// From here on any offset will do: the caller has gone elsewhere by itself.
    func forget() { next = nil }

    func fail(_ error: KafkaError) {
        if error.domain == .topic, error.retry == .retriable { goneSince = scheduler.now }
    }

    /// The cluster has no such topic just now: offsets of it can be committed nowhere. Where it was only a broker that
    /// had not heard of it yet, and nothing comes to tell so, that is forgotten after a while.
    var isGone: Bool { goneSince.map { scheduler.now.milliseconds(since: $0) < Self.goneLimit } ?? false }

    /// A drain has ended, or an epoch is closed.
    func look() {
        guard let next else { return }
        gauge.offset = next
        guard let ends = ends() else { return }
        if ends.high >= end {
            (end, shorterSince) = (ends.high, nil)
            return
        }
        // Where the position lies beyond it, too, the library goes back by itself, and an offset will tell.
        guard next <= ends.high else { return }
        let since = shorterSince ?? scheduler.now
        shorterSince = since
        guard scheduler.now.milliseconds(since: since) >= Self.patience else { return }
        tellShorter(ends, next)
    }

    private func advance(to offset: Int64) -> Bool {
        guard let next, offset != next else { return false }
        if offset < next {
            beginAnew(at: offset, insteadOf: next)
            return true
        }
        let deleted = min(max((ends()?.low ?? next) - next, 0), offset - next)
        skipped.add(UInt64(offset - next - deleted))
        if deleted > 0 { lose(deleted) }
        return false
    }

    private func lose(_ count: Int64) {
        lost.add(UInt64(count))
        untold += count
        if let lastLine, scheduler.now.milliseconds(since: lastLine) < Self.lineInterval { return }
        lastLine = scheduler.now
        log.error(
            "input", "records were deleted before they were read: what they told is in no figure",
            [
                "partition": .text(partition.description), "offsets": .integer(Int(untold)),
                "remedy": "lengthen the topic's retention, or add workers or partitions",
            ])
        untold = 0
    }

    private func beginAnew(at offset: Int64, insteadOf next: Int64) {
        anew.add()
        let unread = max(end - next, 0)
        lost.add(UInt64(unread))
        end = ends()?.high ?? -1
        shorterSince = nil
        log.error(
            "input", "the partition begins anew: its topic was deleted and made again, or brokers lost records",
            [
                "partition": .text(partition.description), "was_at": .integer(Int(next)),
                "goes_on_at": .integer(Int(offset)), "offsets_lost": .integer(Int(unread)),
                "remedy": "nothing to do where that was meant; else look at the brokers",
            ])
    }

    private func tellShorter(_ ends: Watermarks, _ next: Int64) {
        log.error(
            "input", "the partition's end went back: where its topic was made anew, what is before us is not read",
            [
                "partition": .text(partition.description), "end_was": .integer(Int(end)),
                "end": .integer(Int(ends.high)), "first": .integer(Int(ends.low)), "goes_on_at": .integer(Int(next)),
                "remedy": "stop the workers, run phasefold reset, and start them again, where the topic is a new one",
            ])
        (end, shorterSince) = (ends.high, nil)
        anew.add()
    }
}
