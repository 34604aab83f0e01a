import Lifecycle
import Testing

@testable import Folding

@Suite struct InstallationTableTests {
    static func key(_ number: Int) -> InstallationKey {
        let text = "device-\(number)"
        return InstallationKey(high: StableHash.hash(text), low: StableHash.combine(StableHash.hash(text), 7))
    }

    @Test func everyInstallationIsFoundAgain() {
        var table = InstallationTable()
        var indices: [UInt32] = []
        for number in 0..<10_000 { indices.append(table.index(of: Self.key(number))) }
        #expect(table.count == 10_000)
        #expect(Set(indices).count == 10_000)
        for number in 0..<10_000 {
            #expect(table.find(Self.key(number)) == indices[number])
            #expect(table[indices[number]].key == Self.key(number))
        }
        #expect(table.find(Self.key(10_000)) == nil)
    }

    @Test func keysThatShareTheirPlaceAreKeptApart() {
        var table = InstallationTable()
        let keys = (0..<64).map { InstallationKey(high: UInt64($0), low: 5) }
        let indices = keys.map { table.index(of: $0) }
        for number in stride(from: 0, to: 64, by: 3) { table.remove(indices[number]) }
        for number in 0..<64 {
            #expect(table.find(keys[number]) == (number % 3 == 0 ? nil : indices[number]))
        }
    }

    /// Against a dictionary, with insertions and removals drawn from a seed.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func agreesWithADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = InstallationTable()
        var expected: [Int: UInt32] = [:]
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<3000, using: &random)
            if let index = expected[number], Bool.random(using: &random) {
                table.remove(index)
                expected[number] = nil
            } else {
                let index = table.index(of: Self.key(number))
                #expect(expected[number] == nil || expected[number] == index, "seed \(seed)")
                expected[number] = index
            }
        }
        #expect(table.count == expected.count)
        for number in 0..<3000 { #expect(table.find(Self.key(number)) == expected[number], "seed \(seed)") }
    }

    /// An event touches two lines of the cache: states stand one behind the other from the beginning of a page on.
    @Test func aStateFillsTwoLines() {
        #expect(MemoryLayout<Device>.size == 128)
        #expect(MemoryLayout<Device>.stride == 128)
    }

    /// 1 M devices take at most 160 B each, states and index together.
    @Test func aDeviceTakesAtMost160Bytes() {
        var table = InstallationTable()
        for number in 0..<200_000 { _ = table.index(of: Self.key(number)) }
        #expect(table.byteCount <= 160 * 200_000)
    }
}

/// A small generator, so that a failing seed can be run again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state = StableHash.combine(state, 0x5851_F42D_4C95_7F2D)
        return state
    }
}
