internal import Aggregating
internal import Checkpointing
internal import Engine
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
/// `v3 <ms> <epoch> <commit> <end> <frontier>` where stage 1 merges what stage 0 wrote: the offset is that of the
/// first record that is not folded wholly, and ``MergePlace`` tells what behind it is. `v1 <ms>` where no checkpoint
/// was written, `v1 <ms> idle` where nobody waits for the partition (stage 0). The delivery may add the name of its
/// commit behind it: ``CommitMark``.
struct CommitNote: Equatable {
    /// ms since the epoch.
    var time: Int64
    /// The commit of the checkpoint whose state is that at the offset; nil where none was written.
    var mark: CommitNumber?
    /// Only beside a mark; nil where nothing is merged.
    var merge: MergePlace?
    /// Only without a mark.
    var isIdle = false

    var text: String {
        guard let mark else { return "v1 \(time)" + (isIdle ? " \(Self.idle)" : "") }
        guard let merge else { return "v2 \(time) \(mark.epoch) \(mark.commit)" }
        return "v3 \(time) \(mark.epoch) \(mark.commit) \(merge.end) \(merge.frontier)"
    }

    private static let idle = "idle"

    init(time: Int64, mark: CommitNumber? = nil, merge: MergePlace? = nil) {
        self.time = time
        self.mark = mark
        self.merge = merge
    }

    init(time: Int64, isIdle: Bool) {
        self.time = time
        self.isIdle = isIdle
    }

    /// nil where nothing was written, or by another program.
    init?(_ text: String) {
        let parts = text.split(separator: " ").filter { !CommitMark.isPart($0) }
        guard parts.count >= 2, let time = Int64(parts[1]) else { return nil }
        switch (parts[0], parts.count) {
        case ("v1", 2):
            break
        case ("v1", 3):
            guard parts[2] == Self.idle else { return nil }
            isIdle = true
        case ("v2", 4), ("v3", 6):
            guard let epoch = UInt64(parts[2]), let commit = UInt64(parts[3]) else { return nil }
            mark = CommitNumber(epoch: epoch, commit: commit)
            if parts.count == 4 { break }
            guard let end = Int64(parts[4]), let frontier = Int64(parts[5]) else { return nil }
            merge = MergePlace(end: end, frontier: frontier)
        default:
            return nil
        }
        self.time = time
    }
}

/// The name of one commit and of the member that made it, beside each of its offsets: what is read back tells whether
/// it went through, and whose transactions there may be.
struct CommitMark: Equatable {
    private static let sign = "#"
    private static let memberSign = "@"

    /// Of one delivery, unlike those of any other.
    var run: UInt64
    /// Counts the commits of the delivery.
    var number: Int

    private var text: String { "\(Self.sign)\(String(run, radix: 36)).\(number)" }

    /// Adds it to a task's note.
    func marking(_ note: String, by member: String) -> String {
        (note.isEmpty ? text : "\(note) \(text)") + " \(Self.memberSign)\(member)"
    }

    /// Whether a word of what stands beside an offset is of a mark.
    static func isPart(_ word: Substring) -> Bool { word.hasPrefix(sign) || word.hasPrefix(memberSign) }

    /// Who made the commit; nil where that was not written.
    static func member(in metadata: String) -> String? {
        metadata.split(separator: " ").first { $0.hasPrefix(memberSign) }.map { String($0.dropFirst()) }
    }

    /// Whether it stands in what was read back.
    func stands(in metadata: String) -> Bool { metadata.split(separator: " ").contains { $0 == text } }
}
