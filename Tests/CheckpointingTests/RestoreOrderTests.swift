import Testing

@testable import Checkpointing

/// Commits as letters would be too few: each is (epoch, commit), of a pass of two commits over two places.
@Suite struct RestoreOrderTests {
    private static func header(
        _ epoch: UInt64, _ commit: UInt64, part: UInt32 = 0, of parts: UInt32 = 1, changes: UInt32? = nil,
        base: (UInt64, UInt64)? = nil
    ) -> BlockHeader {
        var header = BlockHeader()
        header.number = CommitNumber(epoch: epoch, commit: commit)
        (header.part, header.parts, header.changes) = (part, parts, changes ?? parts)
        header.base = base.map { CommitNumber(epoch: $0.0, commit: $0.1) }
        header.nextOffset = Int64(epoch * 100 + commit)
        let isFirst = commit % 2 == 1
        header.slice = PassSlice(
            pass: (commit - 1) / 2, from: isFirst ? 0 : 1, to: isFirst ? 1 : 2, end: 2, isFirst: isFirst)
        return header
    }

    private func order(_ epoch: UInt64, _ commit: UInt64) -> RestoreOrder {
        RestoreOrder(target: CommitNumber(epoch: epoch, commit: commit), offset: 0)
    }

    private static func aim(_ order: inout RestoreOrder, _ epoch: UInt64, _ commit: UInt64) -> Bool {
        order.aim(at: CommitNumber(epoch: epoch, commit: commit))
    }

    @Test func aPassHasToBeWhole() {
        var order = order(1, 4)
        #expect(order.judge(Self.header(1, 2)) == .pass)
        #expect(order.judge(Self.header(1, 3)) == .begin)
        #expect(!order.isComplete)
        #expect(order.judge(Self.header(1, 4)) == .take)
        #expect(order.isComplete)
        #expect(order.judge(Self.header(1, 5)) == .beyond)
        #expect(order.isComplete)
        #expect(order.nextEpoch == 2)
    }

    /// Slices tell nothing new to whoever has a whole pass; but what has a gap before it tells nothing at all.
    @Test func behindAWholePassSlicesAreKnown() {
        var order = order(2, 2)
        for (commit, verdict): (UInt64, RestoreOrder.Verdict) in [(1, .begin), (2, .take), (3, .take)] {
            #expect(order.judge(Self.header(1, commit, part: 0, of: 2, changes: 1)) == verdict)
            let slice: RestoreOrder.Verdict = commit > 2 ? .known : .take
            #expect(order.judge(Self.header(1, commit, part: 1, of: 2, changes: 1)) == slice)
        }
        #expect(order.judge(Self.header(2, 1, part: 0, of: 2, changes: 1, base: (1, 3))) == .take)
        #expect(order.judge(Self.header(2, 1, part: 1, of: 2, changes: 1, base: (1, 3))) == .known)
        #expect(order.judge(Self.header(2, 2, changes: 0)) == .known)
        #expect(order.isComplete)
        var gap = self.order(2, 5)
        for commit: UInt64 in 1...2 { _ = gap.judge(Self.header(1, commit, changes: 0)) }
        #expect(gap.judge(Self.header(1, 4, changes: 0)) == .pass)
        // A life that goes on from nothing that was taken begins without states.
        #expect(gap.judge(Self.header(2, 1, changes: 0, base: (1, 4))) == .begin)
        #expect(gap.judge(Self.header(2, 2, changes: 0)) == .take)
    }

    @Test func whatIsSentTwiceCountsOnce() {
        var order = order(1, 2)
        #expect(order.judge(Self.header(1, 1, part: 0, of: 2)) == .begin)
        #expect(order.judge(Self.header(1, 1, part: 0, of: 2)) == .pass)
        #expect(order.judge(Self.header(1, 1, part: 1, of: 2)) == .take)
        #expect(order.judge(Self.header(1, 1, part: 0, of: 2)) == .pass)
        #expect(order.judge(Self.header(1, 2)) == .take)
        #expect(order.isComplete)
    }

    @Test func aGapIsNotBridged() {
        var order = order(1, 4)
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(1, 2)) == .take)
        #expect(order.judge(Self.header(1, 4)) == .pass)
        #expect(!order.isComplete)
    }

    @Test func aFollowerTakesWhatComesAndThenAims() {
        var order = RestoreOrder.following
        #expect(order.judge(Self.header(1, 2)) == .pass)
        for commit: UInt64 in 3...6 { #expect(order.judge(Self.header(1, commit)) != .pass) }
        var late = order
        #expect(!Self.aim(&late, 1, 5), "it went beyond")
        #expect(Self.aim(&order, 1, 7))
        #expect(!order.isComplete)
        #expect(order.judge(Self.header(1, 7)) == .take)
        #expect(order.isComplete)
        #expect(order.judge(Self.header(1, 8)) == .beyond)
    }

    @Test func aFollowerBeginsAnewBehindAGap() {
        var order = RestoreOrder.following
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(1, 4)) == .pass)
        #expect(!Self.aim(&order, 1, 4))
        #expect(order.judge(Self.header(1, 5)) == .begin)
        #expect(order.judge(Self.header(2, 1, base: (1, 5))) == .take)
        #expect(Self.aim(&order, 2, 2))
        #expect(order.judge(Self.header(2, 2)) == .take)
        #expect(order.isComplete)
    }

    @Test func whoHasTheStatesOfACommitGoesOnFromIt() {
        var order = RestoreOrder.following(from: Self.header(1, 4))
        var same = order
        #expect(Self.aim(&same, 1, 4))
        #expect(same.isComplete)
        #expect(order.judge(Self.header(1, 3)) == .pass)
        #expect(order.judge(Self.header(2, 1, base: (1, 4))) == .take)
        #expect(Self.aim(&order, 2, 1))
        #expect(order.isComplete)
        #expect(order.nextEpoch == 3)
    }

    @Test func aFollowerThatTookNothingHasNothing() {
        var order = RestoreOrder.following
        #expect(!Self.aim(&order, 1, 4))
    }

    @Test func anUnreadableBlockNeedsANewPass() {
        var order = order(1, 6)
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(1, 2)) == .take)
        order.lose()
        #expect(order.judge(Self.header(1, 4)) == .pass)
        #expect(order.judge(Self.header(1, 5)) == .begin)
        #expect(!order.isComplete)
        #expect(order.judge(Self.header(1, 6)) == .take)
        #expect(order.isComplete)
    }

    @Test func aNewLifeGoesOnFromItsBase() {
        var order = order(2, 1)
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(1, 2)) == .take)
        // Without effect, and told again by the life that goes on from the commit before.
        #expect(order.judge(Self.header(1, 3)) == .take)
        #expect(order.judge(Self.header(2, 1, base: (1, 2))) == .take)
        #expect(order.isComplete)
        // A zombie.
        #expect(order.judge(Self.header(1, 4)) == .pass)
        #expect(order.isComplete)
    }

    @Test func aLifeWhoseBaseIsNotThereBeginsAnew() {
        var order = order(3, 2)
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(3, 1, base: (2, 9))) == .begin)
        #expect(!order.isComplete)
        #expect(order.judge(Self.header(3, 2)) == .take)
        #expect(order.isComplete)
    }

    @Test func aLifeWithoutABaseBeginsAnew() {
        var order = order(2, 1)
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(2, 1)) == .begin)
    }

    @Test func withoutAMarkTheOffsetDecides() {
        var order = RestoreOrder(target: nil, offset: 102)
        #expect(order.judge(Self.header(1, 1)) == .begin)
        #expect(order.judge(Self.header(1, 2)) == .take)
        #expect(order.judge(Self.header(1, 3)) == .beyond)
        #expect(order.isComplete)
    }

    @Test func nothingIsNothing() {
        #expect(!order(1, 1).isComplete)
        #expect(order(5, 1).nextEpoch == 6)
    }
}
