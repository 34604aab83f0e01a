import Testing

@testable import Fleet

@Suite struct RandomTests {
    @Test func isTheSameEverywhere() {
        var random = Random(seed: 42, index: 7)
        let words = (0..<3).map { _ in random.next() }
        #expect(words == [0x1512_3876_D5A3_E17E, 0xD2FF_8D96_597A_867B, 0xB9BC_0A68_B6D5_B903])
    }

    @Test func powersOfTwoAreClose() {
        #expect(Random.powerOfTwo(0) == 1)
        #expect(Random.powerOfTwo(10) == 1024)
        #expect(abs(Random.powerOfTwo(0.5) - 1.41421356) < 1e-6)
        #expect(abs(Random.powerOfTwo(-1.5) - 0.35355339) < 1e-6)
    }

    @Test func halfIsBelowTheMedian() {
        var random = Random(seed: 1)
        let below = (0..<10_000).filter { _ in random.draw(Spread(1000, 1)) < 1000 }.count
        #expect((4800...5200).contains(below))
    }

    @Test func rangesAreReachedAndKept() {
        var random = Random(seed: 2)
        let values = Set((0..<1000).map { _ in random.within(5...8) })
        #expect(values == [5, 6, 7, 8])
    }
}
