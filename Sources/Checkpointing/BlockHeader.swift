internal import Lifecycle

/// One commit of one task's checkpoint, in the order in which they were made.
package struct CommitNumber: Equatable, Comparable, Sendable {
    /// Each life of a task has one of its own, larger than those of the lives before.
    package var epoch: UInt64
    /// Counts from 1 within the epoch.
    package var commit: UInt64

    package init(epoch: UInt64, commit: UInt64) {
        self.epoch = epoch
        self.commit = commit
    }

    package static func < (a: CommitNumber, b: CommitNumber) -> Bool {
        (a.epoch, a.commit) < (b.epoch, b.commit)
    }
}

/// What a block of a checkpoint tells of itself: whose it is, and where in the order of things it stands.
package struct BlockHeader: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// States of devices.
        case states = 1
    }

    package var kind = Kind.states
    /// The input partition whose states these are.
    package var topic: ContiguousArray<UInt8> = []
    package var partition: Int32 = 0
    /// The first record of the input that is not in the states.
    package var nextOffset: Int64 = 0
    package var number = CommitNumber(epoch: 0, commit: 0)
    /// This block of the commit's ``parts``, from 0.
    package var part: UInt32 = 0
    package var parts: UInt32 = 1
    /// Of the commit's blocks the first so many tell states that changed; those behind them tell states of the pass's
    /// slice, which are as they were told last.
    package var changes: UInt32 = 1
    /// The commit that this one goes on from; nil where it begins without states.
    package var base: CommitNumber?
    /// Stream time and watermark of the partition, ms since the epoch; ``Event/absent`` before the first record.
    package var stream = Event.absent
    package var watermark = Event.absent
    /// Places of the writer's table: every state stands below.
    package var places: UInt32 = 0
    package var slice = PassSlice(pass: 0, from: 0, to: 0, end: 0, isFirst: true)

    package init() {}
}

/// What one commit writes of a pass over all states.
package struct PassSlice: Equatable, Sendable {
    /// Counts the passes of an epoch.
    package var pass: UInt64
    /// The places that the commit has written, beside those of states that changed.
    package var from: UInt32
    package var to: UInt32
    /// The places that the pass goes over: those beyond were taken after it began, and so written as changes.
    package var end: UInt32
    /// The pass begins with this commit.
    package var isFirst: Bool

    package init(pass: UInt64, from: UInt32, to: UInt32, end: UInt32, isFirst: Bool) {
        self.pass = pass
        self.from = from
        self.to = to
        self.end = end
        self.isFirst = isFirst
    }

    package var isLast: Bool { to >= end }
    package var range: Range<UInt32> { from..<max(from, to) }
}

/// Divides all states over the commits of a pass; when one is over the next begins.
package struct RollingPass: Sendable {
    /// Commits of a pass.
    private let length: UInt64
    private var pass: UInt64 = 0
    private var step: UInt64 = 0
    private var end: UInt32 = 0
    private let beginsEmpty: Bool

    /// - Parameters:
    ///   - length: commits in which a pass goes over all states; at least 1.
    ///   - beginsEmpty: there is no state before the first commit: all are changes of the first pass, which has
    ///     nothing to go over.
    package init(length: Int, beginsEmpty: Bool) {
        precondition(length > 0, "a pass takes at least one commit")
        self.length = UInt64(length)
        self.beginsEmpty = beginsEmpty
    }

    /// What the next commit writes.
    /// - Parameter places: of the table now.
    package mutating func next(places: UInt32) -> PassSlice {
        if step == 0 { end = beginsEmpty && pass == 0 ? 0 : places }
        let from = UInt32(UInt64(end) * step / length)
        let to = UInt32(UInt64(end) * (step + 1) / length)
        let slice = PassSlice(pass: pass, from: from, to: to, end: end, isFirst: step == 0)
        step += 1
        if step == length {
            step = 0
            pass += 1
        }
        return slice
    }
}
