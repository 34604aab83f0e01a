import Checkpointing
import Testing

@testable import Worker

@Suite struct TrimPlanTests {
    /// Passes of so many commits, each ten records long, whose ends are seen at once.
    private func trimmed(passLength: UInt32, commits: Int) -> [Int: Int64] {
        var plan = TrimPlan()
        var found: [Int: Int64] = [:]
        for number in 0..<commits {
            let step = UInt32(number) % passLength
            let pass = UInt64(number) / UInt64(passLength)
            let slice = PassSlice(pass: pass, from: step, to: step + 1, end: passLength, isFirst: step == 0)
            let end = CheckpointEnd(offset: Int64(number) * 10)
            if let trimmed = plan.closed(slice, end: end) { found[number] = trimmed.offset }
        }
        return found
    }

    @Test func whatIsBehindAWholePassIsTrimmedOnceThePassIsThrough() {
        // The first pass ends with commit 5, the second begins with commit 6: four commits later is commit 9.
        #expect(trimmed(passLength: 6, commits: 22) == [9: 0, 15: 60, 21: 120])
    }

    @Test func shortPassesAreTrimmedToo() {
        #expect(trimmed(passLength: 2, commits: 11) == [5: 0, 9: 40])
    }

    @Test func withoutAnEndNothingIsTrimmed() {
        var plan = TrimPlan()
        let slice = PassSlice(pass: 0, from: 0, to: 1, end: 1, isFirst: true)
        for _ in 0..<20 { #expect(plan.closed(slice, end: nil) == nil) }
    }
}
