internal import Checkpointing
internal import Kafka
internal import Metering
internal import Synchronization

/// Deletes what is behind the last whole pass of each checkpoint.
///
/// An offset is known only once a record has it. So the ends of the checkpoint's partitions are asked for now and
/// then: an end that was seen before a pass began is no later than the pass's first record.
final class CheckpointTrimmer: @unchecked Sendable {
    private struct Place {
        /// The last end seen.
        var end: Int64?
        var seen: MonotonicTime?
        /// Nothing before this is there any more.
        var low: Int64 = 0
        /// Counts the logs that the partition was found to be.
        var log = 0
    }

    private let admin: any Administrator
    private let scheduler: any Scheduler
    private let log: Log
    private let places = Mutex<[TopicPartition: Place]>([:])
    private let isRefused = Atomic(false)
    private let queue: any SerialQueue

    /// ms between two looks at one partition.
    private static let interval = 5000
    private static let limit: Int32 = 5000

    init(
        _ options: WorkerOptions, _ platform: Platform, observer: any ClientObserver, log: Log
    ) throws(KafkaError) {
        admin = try platform.cluster.administrator(options.admin, observer: observer)
        scheduler = platform.scheduler
        queue = scheduler.queue("phasefold.trim", isBackground: true)
        self.log = log
    }

    /// An end that the partition has reached, and perhaps gone past.
    func end(of place: TopicPartition) -> CheckpointEnd? {
        places.withLock { places in
            places[place].flatMap { known in known.end.map { CheckpointEnd(offset: $0, log: known.log) } }
        }
    }

    /// An end that goes back is that of a topic that was made anew.
    func note(end: Int64, of place: TopicPartition) {
        places.withLock { places in
            var known = places[place] ?? Place()
            if end < known.end ?? 0 {
                known.log += 1
                known.low = 0
            }
            known.end = end
            places[place] = known
        }
    }

    /// Has the end asked for, where that was some time ago. Does not wait.
    func look(at place: TopicPartition) {
        let now = scheduler.now
        let isDue = places.withLock { places in
            if let seen = places[place]?.seen, now.milliseconds(since: seen) < Self.interval {
                return false
            }
            places[place, default: Place()].seen = now
            return true
        }
        guard isDue else { return }
        queue.async {
            guard let ends = try? self.admin.watermarks(of: place, limit: Self.limit) else { return }
            self.note(end: ends.high, of: place)
        }
    }

    /// Has the records before an end deleted that was seen before. Does not wait. Of another log nothing is deleted.
    func trim(_ place: TopicPartition, before end: CheckpointEnd) {
        let isNew = places.withLock { places in
            guard var known = places[place], known.log == end.log, end.offset > known.low else { return false }
            known.low = end.offset
            places[place] = known
            return true
        }
        let offset = end.offset
        guard isNew, !isRefused.load(ordering: .relaxed) else { return }
        queue.async {
            do throws(KafkaError) {
                try self.admin.deleteRecords(before: [PartitionOffset(place, offset)], limit: Self.limit)
            } catch {
                // The topic's retention does it, later; a restore reads more until then.
                guard error.retry != .retriable, error.name != "OFFSET_OUT_OF_RANGE",
                    !self.isRefused.exchange(true, ordering: .relaxed)
                else { return }
                self.log.info(
                    "checkpoint", "old parts of the checkpoint are left to the topic's retention",
                    ["topic": .text(place.topic), "error": .text(error.description)])
            }
        }
    }
}

/// An end of a checkpoint's partition, in one of the logs that the partition has been.
struct CheckpointEnd: Equatable {
    var offset: Int64
    var log = 0
}

/// From where on one task's checkpoint is needed, as its passes come to their ends.
struct TrimPlan {
    /// An end of the checkpoint before the running pass began.
    private var begin: CheckpointEnd?
    /// The begin of a pass that is over.
    private var whole: CheckpointEnd?
    private var wait = 0

    /// Commits that may be under way: a pass counts when its last one is certainly through.
    private static let delay = 4

    /// A commit has been closed.
    ///
    /// - Parameter end: one that the checkpoint had reached before; nil where none is known.
    /// - Returns: what no restore will need lies before this offset; nil where nothing new is known.
    mutating func closed(_ slice: PassSlice, end: CheckpointEnd?) -> CheckpointEnd? {
        var done: CheckpointEnd?
        if wait > 0 {
            wait -= 1
            if wait == 0 { done = whole }
        }
        if slice.isFirst { begin = end }
        if slice.isLast, wait == 0 {
            whole = begin
            wait = Self.delay
        }
        return done
    }
}
