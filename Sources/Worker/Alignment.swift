internal import Engine
internal import Kafka
internal import Lifecycle
internal import Synchronization

/// How far stage 0 has come in the input partitions, those of other workers too: one that is ahead of the slowest by
/// more than its share of `merge.memory` waits for it.
///
/// Why that bounds what stage 1 keeps: of events with a stream time up to that of all others, every other's word that
/// it has come as far stands before them in `<app>-events`. So of each input partition no more than its share, and
/// what one turn on its queue adds to it, comes into the merge before what it waits for. Nobody waits for stage 1, and
/// the slowest partition for nobody: all come on.
final class Alignment: Sendable {
    /// What is known of one input partition.
    private struct Reach {
        var stream: Int64
        var isIdle: Bool
    }

    private struct State {
        var reaches: [TopicPartition: Reach] = [:]
        /// Partitions of this worker, which tell of themselves.
        var own: Set<TopicPartition> = []
        var isAsking = false
        var lastAnswer: MonotonicTime?
    }

    private let options: WorkerOptions
    private let membership: Membership
    private let sources: Sources
    private let scheduler: any Scheduler
    private let queue: any SerialQueue
    private let state = Mutex(State())
    /// Longest wait for what others have committed, ms.
    private static let limit: Int32 = 2000

    init(_ options: WorkerOptions, membership: Membership, sources: Sources, scheduler: any Scheduler) {
        self.options = options
        self.membership = membership
        self.sources = sources
        self.scheduler = scheduler
        queue = scheduler.queue("phasefold.alignment", isBackground: true)
    }

    /// Bytes of packed events that one input partition may be ahead.
    var share: Int { options.mergeMemory / max(sources.inputs.count, 1) }

    /// An input partition of this worker has closed an epoch, or begins.
    func reached(_ stream: Int64, isIdle: Bool, in partition: TopicPartition) {
        state.withLock { state in
            state.own.insert(partition)
            state.reaches[partition] = Reach(stream: stream, isIdle: isIdle)
        }
    }

    /// The partition is another worker's from now on.
    func leave(_ partition: TopicPartition) { state.withLock { _ = $0.own.remove(partition) } }

    /// The stream time that all other input partitions have come to, but for idle ones.
    func floor(beside partition: TopicPartition) -> Int64 {
        let inputs = sources.inputs
        return state.withLock { state in
            var floor = Int64.max
            for input in inputs where input != partition {
                guard let reach = state.reaches[input] else { return Event.absent }
                if !reach.isIdle { floor = min(floor, reach.stream) }
            }
            return floor
        }
    }

    /// Asks how far other workers have come, at most once a commit interval. Does not wait.
    func ask() {
        let others = state.withLock { state -> [TopicPartition] in
            if state.isAsking { return [] }
            if let last = state.lastAnswer, scheduler.now.milliseconds(since: last) < options.commitInterval {
                return []
            }
            let others = sources.inputs.filter { !state.own.contains($0) }
            state.isAsking = !others.isEmpty
            return others
        }
        if !others.isEmpty { queue.async { self.ask(others) } }
    }

    private func ask(_ others: [TopicPartition]) {
        // What is in a transaction now is told the next time.
        let found = try? membership.committed(others, limit: Self.limit)
        state.withLock { state in
            for committed in found ?? [] where !state.own.contains(committed.partition) {
                guard let note = CommitNote(committed.metadata) else { continue }
                state.reaches[committed.partition] = Reach(stream: note.time, isIdle: note.isIdle)
            }
            state.isAsking = false
            state.lastAnswer = scheduler.now
        }
    }
}

/// Packed events of one input partition that others have not come to yet.
struct BytesAhead {
    private var epochs: ContiguousArray<(stream: Int64, bytes: Int)> = []
    private(set) var sum = 0

    /// - Parameter stream: that of the last of them.
    mutating func add(_ bytes: Int, upTo stream: Int64) {
        if bytes == 0 { return }
        sum += bytes
        epochs.append((stream, bytes))
    }

    /// All have come to a stream time.
    mutating func drop(upTo floor: Int64) {
        let count = epochs.firstIndex { $0.stream > floor } ?? epochs.count
        for epoch in epochs[..<count] { sum -= epoch.bytes }
        epochs.removeFirst(count)
    }
}
