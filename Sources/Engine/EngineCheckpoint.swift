import Aggregating
package import Checkpointing
import Folding
import Lifecycle

/// Whose checkpoint it is, and how it is written.
package struct CheckpointSource: Sendable {
    /// The input partition.
    package var topic: String
    package var partition: Int32
    /// Commits in which every state is written once.
    package var pass: Int

    package init(topic: String, partition: Int32, pass: Int) {
        self.topic = topic
        self.partition = partition
        self.pass = pass
    }

    /// Of the records of the checkpoint.
    var key: ContiguousArray<UInt8> { ContiguousArray("\(topic)/\(partition)".utf8) }
}

/// Writes the checkpoint of one engine, commit by commit.
struct CheckpointWriter {
    /// Of the last block that was written, once there is one.
    private(set) var header = BlockHeader()
    private var pass: RollingPass
    private let key: ContiguousArray<UInt8>

    /// - Parameter base: the commit whose states the engine begins with; nil where it begins without.
    init(_ source: CheckpointSource, epoch: UInt64, base: CommitNumber?) {
        header.topic = ContiguousArray(source.topic.utf8)
        header.partition = source.partition
        header.number = CommitNumber(epoch: epoch, commit: 0)
        header.base = base
        pass = RollingPass(length: source.pass, beginsEmpty: base == nil)
        key = source.key
    }

    /// Appends the blocks of one commit: states that changed, and the next slice of all.
    mutating func write(
        _ fold: InstallationFold, nextOffset: Int64, lexicon: borrowing Lexicon, into records: inout RecordBatch
    ) -> SavedCommit {
        header.number.commit += 1
        header.nextOffset = nextOffset
        header.stream = fold.stream
        header.watermark = fold.watermark
        header.places = fold.places
        header.slice = pass.next(places: fold.places)
        let changes = fold.saveChanges(pass: header.slice.pass, lexicon: lexicon)
        let slice = fold.saveSlice(header.slice.range, pass: header.slice.pass, lexicon: lexicon)
        // A commit without states has a block too: it tells the time, and that nothing is missing.
        let blocks = changes + slice
        header.parts = UInt32(max(blocks.count, 1))
        header.changes = UInt32(changes.count)
        for part in 0..<header.parts {
            header.part = part
            let content = blocks.isEmpty ? [] : blocks[Int(part)].bytes
            records.append(key: key, value: Block(header: header, content: content).bytes)
        }
        return SavedCommit(
            number: header.number, slice: header.slice, states: blocks.reduce(0) { $0 + $1.entries },
            changes: (changes.reduce(0) { $0 + $1.entries }, changes.count))
    }
}

/// One commit of a checkpoint, as it was written.
package struct SavedCommit: Sendable {
    package var number: CommitNumber
    package var slice: PassSlice
    /// States that it holds.
    package var states: Int
    /// Of them, those that had changed, and their blocks, which come first.
    package var changes: (states: Int, blocks: Int)
}

/// Reads the checkpoint of one partition back into a new engine.
package final class CheckpointReader {
    package let engine: PartitionEngine
    private let source: CheckpointSource
    private let topic: ContiguousArray<UInt8>
    private let partition: Int32
    private let key: ContiguousArray<UInt8>
    private var order: RestoreOrder
    private var suspects: Set<UInt32> = []
    private let blocks = BlockReader()
    /// Blocks that could not be read, and why the last one could not.
    package private(set) var unreadable = 0
    package private(set) var lastError: BlockError?
    /// States that were read, one that was read twice counted twice.
    package private(set) var states = 0

    /// Blocks of the partition were met, of use or not.
    package private(set) var hasMetBlocks = false
    /// The largest watermark that one of them told, ms since the epoch; ``Event/absent`` where none did.
    package private(set) var watermark = Event.absent

    /// All that is wanted has been taken; what else there is can only have come after it.
    package var isComplete: Bool { order.isComplete }
    /// The last block taken.
    package var last: BlockHeader? { order.last }

    /// - Parameters:
    ///   - engine: nothing has been ingested.
    ///   - target: the commit to be restored; nil takes the last one that is not beyond `offset`.
    ///   - offset: the first record of the input that will be folded.
    package convenience init(
        _ engine: PartitionEngine, _ source: CheckpointSource, target: CommitNumber?, offset: Int64
    ) {
        self.init(engine, source, RestoreOrder(target: target, offset: offset))
    }

    /// Goes along with a checkpoint that another task writes, until ``aim(at:)``.
    package convenience init(following source: CheckpointSource, into engine: PartitionEngine) {
        self.init(engine, source, .following)
    }

    /// The same, from a commit on whose states the engine has.
    package convenience init(
        following source: CheckpointSource, into engine: PartitionEngine, from last: BlockHeader
    ) {
        self.init(engine, source, .following(from: last))
    }

    private init(_ engine: PartitionEngine, _ source: CheckpointSource, _ order: RestoreOrder) {
        self.engine = engine
        self.source = source
        topic = ContiguousArray(source.topic.utf8)
        partition = source.partition
        key = source.key
        self.order = order
    }

    /// What is to be restored is known now.
    /// - Returns: false where what was taken is of no use for it.
    package func aim(at target: CommitNumber) -> Bool { order.aim(at: target) }

    /// Takes one record, in the order of the log.
    /// - Parameter key: tells whose it is where the value cannot be read; nil where there is none.
    package func take(_ value: RawSpan, key: RawSpan?) {
        do throws(BlockError) {
            let block = try SealedBlock(value)
            guard block.header.topic == topic, block.header.partition == partition else { return }
            hasMetBlocks = true
            watermark = max(watermark, block.header.watermark)
            let verdict = order.judge(block.header)
            if verdict == .pass || verdict == .known { return }
            if verdict == .begin { engine.forgetStates() }
            try blocks.withContent(of: block, in: value) { (content) throws(BlockError) in
                // A commit without states has a block too.
                if !content.isEmpty { try take(content, of: block.header, isBeyond: verdict == .beyond) }
            }
        } catch {
            // Partitions may share one of the checkpoint: what is another's is missed by that one.
            if let key, !isOwn(key) { return }
            unreadable += 1
            lastError = error
            order.lose()
        }
    }

    private func isOwn(_ key: RawSpan) -> Bool {
        unsafe key.withUnsafeBytes { unsafe $0.elementsEqual(self.key) }
    }

    /// What was taken is of no use: the engine is without states again.
    package func forget() { engine.forgetStates() }

    private func take(_ content: RawSpan, of header: BlockHeader, isBeyond: Bool) throws(BlockError) {
        do throws(UnreadableBytes) {
            if isBeyond {
                suspects.formUnion(try InstallationFold.places(in: content))
            } else {
                states += try engine.restore(header, content)
            }
        } catch {
            throw .malformed
        }
    }

    /// All records have been taken: the engine goes on from the commit that they told, or without states where they
    /// did not tell one whole.
    ///
    /// - Parameter now: ms since the epoch; the new life of the task is numbered by it.
    /// - Returns: the commit that was restored; nil where there was none.
    package func finish(now: Int64) -> CommitNumber? {
        var base: CommitNumber?
        if order.isComplete, let last = order.last {
            do throws(UnreadableBytes) {
                try engine.finishRestore(last, suspects: suspects)
                base = last.number
            } catch {
                unreadable += 1
                lastError = .malformed
            }
        }
        if base == nil { engine.forgetStates() }
        engine.beginCheckpoint(
            source, epoch: max(order.nextEpoch, UInt64(max(now, 0))), base: base)
        return base
    }
}
