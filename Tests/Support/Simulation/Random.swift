/// Chance, drawn from a seed: the same seed gives the same draws.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03 }

    /// By splitmix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, not including, `count`.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func happens(_ probability: Double) -> Bool { Double(next() >> 11) < probability * 0x1p53 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A generator of its own, so that what one draws changes nothing for another.
    mutating func branch() -> Random { Random(seed: next()) }
}
