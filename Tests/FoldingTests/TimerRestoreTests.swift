import Lifecycle
import Testing

@testable import Folding

@Suite struct TimerRestoreTests {
    /// A partition goes and comes back later: of a device that nobody heard of meanwhile no entry of before is left,
    /// and it is looked at in time none the less.
    @Test func whatWasLookedOutForBeforeIsLookedOutForAfter() {
        let (fold, epoch, minute) = (Fold { _ in }, 1_698_000_000_000 as Int64, 60_000 as Int64)
        fold.take([Fold.event(.activate, of: 1, at: epoch)])
        fold.take([Fold.event(.resign, of: 1, at: epoch + minute)])
        fold.take([Fold.event(.enterBackground, of: 1, at: epoch + minute + 500)])
        fold.core.forgetTold()
        let time = epoch + 40 * minute
        let held = fold.core.finishRestore(stream: time, watermark: time)
        #expect(held == 0)
        fold.take([Fold.event(.activate, of: 1, at: time + minute)])
        #expect(fold.core.table[0].state == .active)
        fold.take([Fold.event(.heartbeat, of: 2, at: time + 40 * minute)])
        #expect(fold.core.table[0].state == .unknown, "silent for longer than silence.timeout")
    }
}
