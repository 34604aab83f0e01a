import Testing

@testable import Checkpointing

@Suite struct RollingPassTests {
    @Test(arguments: [(1, 10), (3, 10), (7, 3), (600, 100_000), (5, 0)])
    func aPassGoesOverAllPlacesOnce(length: Int, places: UInt32) {
        var pass = RollingPass(length: length, beginsEmpty: false)
        for number in 0..<3 as Range<UInt64> {
            var next: UInt32 = 0
            for step in 0..<length {
                let slice = pass.next(places: places + UInt32(step))
                #expect(slice.pass == number)
                #expect(slice.isFirst == (step == 0))
                #expect(slice.from == next)
                #expect(slice.end == places)
                next = slice.to
                if step == length - 1 { #expect(slice.isLast) }
            }
            #expect(next == places)
        }
    }

    @Test func withoutStatesAPassIsOverAtOnce() {
        var pass = RollingPass(length: 2, beginsEmpty: true)
        for _ in 0..<2 { #expect(pass.next(places: 5).isLast) }
        #expect(!pass.next(places: 5).isLast)
    }
}
