/// Decides, block by block in the order of the log, what of a checkpoint makes up the state at one commit.
///
/// What must stay true:
/// - A state that a pass has told is told by its changes from then on, so a block counts only where every block
///   between the beginning of its pass and itself has been taken, each once.
/// - A life of a task goes on from a commit of one before (``BlockHeader/base``). Commits of the earlier life after
///   that one are without effect: the new life's first commit tells their places again. So they may be taken too.
/// - A slice of a pass tells states that did not change, for readers to come: whoever has taken a whole pass before
///   it, and every change since, knows them.
/// - Blocks of an earlier life that come after those of a later one are a zombie's: nobody takes them.
package struct RestoreOrder: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// Add it to what was taken.
        case take
        /// Drop what was taken, then take it: states begin with it.
        case begin
        /// It goes with what was taken, and tells no more than that: states that every reader of a whole pass has.
        case known
        /// It was written after the commit that is restored: of use are only the places that it tells of.
        case beyond
        /// Taken already, or nothing goes before it.
        case pass
    }

    private var target: CommitNumber?
    private var offset: Int64
    /// Another task still writes the checkpoint: which commit will be restored is not known yet.
    private var isFollowing = false
    /// The last commit of each life that was taken whole, oldest life first.
    private var lives: [CommitNumber] = []
    /// The header of the last block taken.
    package private(set) var last: BlockHeader?
    private var isCollecting = false
    private var isWhole = false
    /// Larger than the epoch of any block met.
    package private(set) var nextEpoch: UInt64 = 1

    /// - Parameters:
    ///   - target: the commit to be restored; nil takes the last one that is not beyond `offset`.
    ///   - offset: the first record of the input that will be folded.
    package init(target: CommitNumber?, offset: Int64) {
        self.target = target
        self.offset = offset
        if let target { nextEpoch = target.epoch + 1 }
    }

    /// Goes along with a checkpoint that is being written, commit by commit, until ``aim(at:)``.
    package static var following: RestoreOrder {
        var order = RestoreOrder(target: nil, offset: .max)
        order.isFollowing = true
        return order
    }

    /// Goes along from a commit on whose states are there, whole.
    package static func following(from last: BlockHeader) -> RestoreOrder {
        var order = following
        (order.isCollecting, order.isWhole) = (true, true)
        order.note(last)
        order.nextEpoch = last.number.epoch + 1
        return order
    }

    /// The commit to be restored is known now: what comes after it counts no more.
    ///
    /// - Returns: false where what was taken is of no use for it, since it went beyond, or nothing was.
    package mutating func aim(at target: CommitNumber) -> Bool {
        guard isFollowing, isCollecting, let last, last.number <= target else { return false }
        isFollowing = false
        self.target = target
        nextEpoch = max(nextEpoch, target.epoch + 1)
        return true
    }

    /// What was taken is the whole state at the commit wanted.
    package var isComplete: Bool {
        guard let last, isCollecting, isWhole, last.part + 1 == last.parts else { return false }
        return target == nil || last.number == target
    }

    /// A block between cannot be read: what was taken is good for nothing.
    package mutating func lose() {
        (isCollecting, isWhole, last, lives) = (false, false, nil, [])
    }

    package mutating func judge(_ header: BlockHeader) -> Verdict {
        nextEpoch = max(nextEpoch, header.number.epoch + 1)
        if let target {
            if header.number > target { return .beyond }
        } else if header.nextOffset > offset {
            return .beyond
        }
        // What was missed on the way never comes again.
        if isFollowing, isCollecting, let last, header.number > last.number, next(header) == .pass { lose() }
        var verdict = isCollecting ? next(header) : header.slice.isFirst && header.part == 0 ? .begin : .pass
        if verdict == .begin {
            (lives, isWhole, isCollecting) = ([], false, true)
        }
        if verdict == .take, isWhole, header.part >= header.changes { verdict = .known }
        if verdict != .pass { note(header) }
        return verdict
    }

    private func next(_ header: BlockHeader) -> Verdict {
        guard let last, header.number.epoch >= last.number.epoch else { return .pass }
        if header.number.epoch > last.number.epoch {
            guard header.number.commit == 1, header.part == 0 else { return .pass }
            guard let base = header.base, lives.contains(where: { $0.epoch == base.epoch && $0 >= base }) else {
                return .begin
            }
            return .take
        }
        if header.number == last.number {
            return header.part == last.part + 1 ? .take : .pass
        }
        let follows = last.part + 1 == last.parts && header.number.commit == last.number.commit + 1
        return follows && header.part == 0 ? .take : .pass
    }

    private mutating func note(_ header: BlockHeader) {
        last = header
        guard header.part + 1 == header.parts else { return }
        if lives.last?.epoch == header.number.epoch { lives.removeLast() }
        lives.append(header.number)
        if header.slice.isLast { isWhole = true }
    }
}
