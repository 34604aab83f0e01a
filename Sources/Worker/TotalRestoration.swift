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
    /// Goes back to the beginning of the partials; gives their end. Blocks.
    var rewind: @Sendable () -> Int64
}

/// Brings the totals of the open windows back.
final class TotalRestoration: Restoration, RestoreSink, @unchecked Sendable {
    private let checkpoint: TotalCheckpoint
    private let target: CommitNumber
    private var totals: WindowTotals?
    private var found: CommitNumber?
    private var unreadable = 0
    private(set) var count = 0
    let kind = "windows"

    private static let key: [UInt8] = Array("commit".utf8)

    /// - Parameter target: the commit whose totals are wanted.
    init(
        _ settings: AggregateSettings, sources: [SourcePartition], _ checkpoint: TotalCheckpoint, target: CommitNumber
    ) {
        self.checkpoint = checkpoint
        self.target = target
        totals = WindowTotals(settings, sources: sources)
    }

    /// Appends the record that tells which commit the totals before it are of.
    static func append(_ number: CommitNumber, to records: inout RecordBatch) {
        records.append(
            key: ContiguousArray(key), value: ContiguousArray("v1 \(number.epoch) \(number.commit)".utf8))
    }

    private static func number(_ value: RawSpan) -> CommitNumber? {
        let text = unsafe value.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        let parts = text.split(separator: " ")
        guard parts.count == 3, parts[0] == "v1", let epoch = UInt64(parts[1]), let commit = UInt64(parts[2])
        else { return nil }
        return CommitNumber(epoch: epoch, commit: commit)
    }

    // MARK: Reading

    func take(key: RawSpan?, value: RawSpan?) {
        guard let key else { return }
        if unsafe key.withUnsafeBytes({ unsafe $0.elementsEqual(Self.key) }) {
            found = nil
            if let value { found = Self.number(value) }
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

    var isComplete: Bool { found == target }

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
        if isComplete, unreadable == 0 {
            totals?.finishRestore()
            checkpoint.restorer.metrics.histogram(\.restoreSeconds).observe(seconds)
            checkpoint.restorer.log.info(
                "restore", "open windows restored",
                ["partition": partition, "records": .integer(count), "seconds": .decimal(seconds)])
        } else {
            totals = nil
            checkpoint.restorer.log.warning(
                "restore", "open windows are made again from their partials",
                ["partition": partition, "unreadable": .integer(unreadable)])
        }
        return lease.isHeld
    }

    /// The totals, once; nil where they are not there.
    func take() -> WindowTotals? {
        var taken: WindowTotals?
        swap(&taken, &totals)
        return taken
    }
}
