import Lifecycle

/// A small generator, so that a failing seed can be run again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = StableHash.combine(seed, 0x9E37_79B9_7F4A_7C15) }

    mutating func next() -> UInt64 {
        state = StableHash.combine(state, 0x5851_F42D_4C95_7F2D)
        return state
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}
