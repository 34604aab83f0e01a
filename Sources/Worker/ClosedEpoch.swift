internal import Aggregating
internal import Checkpointing
internal import Kafka
internal import Synchronization

/// Whether a worker still holds a partition. Once it is let go it is never held again: the same partition, when it
/// comes back, comes with a new lease.
final class Lease: Sendable {
    private let held = Atomic(true)

    var isHeld: Bool { held.load(ordering: .acquiring) }

    func release() { held.store(false, ordering: .releasing) }
}

/// What a task did between two commits: all that has to be durable before ``offset`` may be committed.
struct ClosedEpoch: Sendable {
    var lease: Lease
    /// For `<app>-events`; the route is the partition.
    var events = RecordBatch()
    /// For `<app>-partials`; the partition follows from the route.
    var partials = RecordBatch()
    /// For every partition of `<app>-partials`, after the partials.
    var watermark = RecordBatch()
    /// For the output topic.
    var rows = RecordBatch()
    var deadLetters: [DeadLetter] = []
    /// What a restart goes on from, for ``checkpointPlace``: durable before ``offset`` is committed.
    var checkpoint = RecordBatch()
    /// The task's own partition of `<app>-devices` (stage 1) or `<app>-totals` (stage 2); nil where
    /// ``checkpoint`` is empty.
    var checkpointPlace: TopicPartition?
    /// Where the task begins again after a restart, with what it must know then.
    var offset: PartitionOffset
}

/// What a task writes beside its committed offset: `v2 <ms> <epoch> <commit>`: the stream time (stage 1) or horizon
/// (stage 2) that must not go back over a restart, and the commit of the checkpoint that belongs to the offset.
/// `v1 <ms>` where no checkpoint was written. The delivery may add the name of its commit behind it: ``CommitMark``.
struct CommitNote: Equatable {
    /// ms since the epoch.
    var time: Int64
    /// The commit of the checkpoint whose state is that at the offset; nil where none was written.
    var mark: CommitNumber?

    var text: String {
        guard let mark else { return "v1 \(time)" }
        return "v2 \(time) \(mark.epoch) \(mark.commit)"
    }

    init(time: Int64, mark: CommitNumber? = nil) {
        self.time = time
        self.mark = mark
    }

    /// nil where nothing was written, or by another program.
    init?(_ text: String) {
        let parts = text.split(separator: " ").filter { !$0.hasPrefix(CommitMark.sign) }
        guard parts.count >= 2, let time = Int64(parts[1]) else { return nil }
        switch (parts[0], parts.count) {
        case ("v1", 2):
            mark = nil
        case ("v2", 4):
            guard let epoch = UInt64(parts[2]), let commit = UInt64(parts[3]) else { return nil }
            mark = CommitNumber(epoch: epoch, commit: commit)
        default:
            return nil
        }
        self.time = time
    }
}

/// The name of one commit, beside each of its offsets: what is read back tells whether it went through.
struct CommitMark: Equatable {
    static let sign = "#"

    /// Of one delivery, unlike those of any other.
    var run: UInt64
    /// Counts the commits of the delivery.
    var number: Int

    private var text: String { "\(Self.sign)\(String(run, radix: 36)).\(number)" }

    /// Adds it to a task's note.
    func marking(_ note: String) -> String { note.isEmpty ? text : "\(note) \(text)" }

    /// Whether it stands in what was read back.
    func stands(in metadata: String) -> Bool { metadata.split(separator: " ").contains { $0 == text } }
}
