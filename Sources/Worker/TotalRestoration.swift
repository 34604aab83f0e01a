internal import Aggregating
internal import Checkpointing
internal import Kafka
internal import Metering

/// Where the totals of one partition of the partials are written, and read back.
struct TotalCheckpoint: Sendable {
    /// The partition of `<app>-totals`.
    var place: TopicPartition
    var restorer: Restorer
    /// Totals are written with each commit.
    var keepsTotals: Bool
    /// Goes back to the beginning of the partials; gives their end, or one that is never reached where the lease is
    /// gone meanwhile. Blocks.
    var rewind: @Sendable (Lease) -> Int64
}

/// What a commit of the totals tells of itself, in a record beside them.
///
/// Totals are written as they change, so a topic that was made anew holds a part of them only: their number tells.
struct TotalsMark: Equatable {
    var number: CommitNumber
    /// The next offset of the partials.
    var next: Int64
    /// Windows, times their groups, that were open.
    var cells: Int

    static let key: [UInt8] = Array("commit".utf8)

    var text: String { "v2 \(number.epoch) \(number.commit) \(next) \(cells)" }

    init(_ number: CommitNumber, next: Int64, cells: Int) {
        self.number = number
        self.next = next
        self.cells = cells
    }

    /// nil where another version wrote it.
    init?(_ value: RawSpan) {
        let text = unsafe value.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        let parts = text.split(separator: " ")
        guard parts.count == 5, parts[0] == "v2", let epoch = UInt64(parts[1]), let commit = UInt64(parts[2]),
            let next = Int64(parts[3]), let cells = Int(parts[4])
        else { return nil }
        self.init(CommitNumber(epoch: epoch, commit: commit), next: next, cells: cells)
    }
}

/// Brings the totals of the open windows back.
final class TotalRestoration: Restoration, RestoreSink, @unchecked Sendable {
    private let checkpoint: TotalCheckpoint
    private let target: CommitNumber?
    private var totals: WindowTotals?
    /// The last commit that was read.
    private(set) var found: TotalsMark?
    private var unreadable = 0
    private(set) var count = 0
    let kind = "windows"

    /// - Parameter target: the commit whose totals are wanted; nil takes the last one there is: brokers forget
    ///   committed offsets with their topic, and totals outlive the partials that they are of.
    init(
        _ settings: AggregateSettings, sources: [SourcePartition], _ checkpoint: TotalCheckpoint, target: CommitNumber?
    ) {
        self.checkpoint = checkpoint
        self.target = target
        totals = WindowTotals(settings, sources: sources)
    }

    /// Appends the record that tells which commit the totals before it are of.
    static func append(_ mark: TotalsMark, to records: inout RecordBatch) {
        records.append(key: ContiguousArray(TotalsMark.key), value: ContiguousArray(mark.text.utf8))
    }

    // MARK: Reading

    func take(key: RawSpan?, value: RawSpan?) {
        guard let key else { return }
        if unsafe key.withUnsafeBytes({ unsafe $0.elementsEqual(TotalsMark.key) }) {
            found = nil
            if let value { found = TotalsMark(value) }
            return
        }
        count += 1
        do throws(PackedError) {
            if let value {
                try totals?.restore(key: key, value: value)
            } else {
                try totals?.restore(key: key, value: RawSpan())
            }
        } catch {
            unreadable += 1
        }
    }

    var isComplete: Bool { target != nil && found?.number == target }

    func run(_ lease: Lease) -> Bool {
        let begin = checkpoint.restorer.now
        let gauge = checkpoint.restorer.metrics.gauge(\.restoring, checkpoint.restorer.source.label)
        gauge.set(1)
        defer { gauge.set(0) }
        // Written under another guarantee: what is there is not of any commit of now.
        if checkpoint.keepsTotals {
            guard checkpoint.restorer.read(into: self, lease: lease) != nil else { return false }
        }
        let seconds = checkpoint.restorer.now.seconds(since: begin)
        let partition = LogValue.text(checkpoint.restorer.source.description)
        if unreadable == 0, isWhole() {
            checkpoint.restorer.metrics.histogram(\.restoreSeconds).observe(seconds)
            checkpoint.restorer.log.info(
                "restore", "open windows restored",
                ["partition": partition, "records": .integer(count), "seconds": .decimal(seconds)])
        } else {
            totals = nil
            // Nothing was committed, and there is nothing: the first start.
            if target == nil, count == 0, found == nil { return lease.isHeld }
            checkpoint.restorer.log.warning(
                "restore", "open windows are made again from their partials",
                ["partition": partition, "unreadable": .integer(unreadable)])
        }
        return lease.isHeld
    }

    /// Whether what was read are all totals of the commit wanted. Once.
    private func isWhole() -> Bool {
        guard let found, target == nil || found.number == target else { return false }
        totals?.finishRestore()
        return totals?.statistics.cells == found.cells
    }

    /// The totals, once; nil where they are not there.
    func take() -> WindowTotals? {
        var taken: WindowTotals?
        swap(&taken, &totals)
        return taken
    }
}
