/// A small generator of pseudo-random numbers, the same on every machine: one word of state, so that each of a
/// million devices may own one.
///
/// The state walks by a fixed odd step through all 2⁶⁴ words; what is handed out is the state, scrambled. Doubles are
/// made of additions and multiplications alone, which IEEE 754 rounds the same everywhere; the library's `exp` does
/// not promise that.
struct Random: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator that belongs to number `index` of `seed`; neighbours have nothing in common.
    init(seed: UInt64, index: UInt64) {
        state = Self.scramble(Self.scramble(seed &+ Self.step) ^ (index &+ 1) &* 0xD6E8_FEB8_6659_FD93)
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Every input bit reaches every output bit, and no two words meet.
    static func scramble(_ word: UInt64) -> UInt64 {
        var word = word
        word ^= word >> 30
        word &*= 0xBF58_476D_1CE4_E5B9
        word ^= word >> 27
        word &*= 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.scramble(state)
    }

    /// A whole number in `0 ..< bound`; the bias is below `bound` / 2⁶⁴.
    mutating func below(_ bound: Int64) -> Int64 {
        Int64(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A whole number in the range.
    mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True `perMille` times out of a thousand.
    mutating func chance(_ perMille: Int64) -> Bool { perMille > 0 && below(1000) < perMille }

    /// Close to the standard normal distribution, cut at ± 3.46: the sum of four 16-bit words of one draw.
    mutating func nearNormal() -> Double {
        let bits = next()
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
        return (Double(sum) - 131_070) * (1.7320508075688772 / 65536)
    }

    /// Milliseconds, log-normally distributed, at least 1.
    mutating func draw(_ spread: Spread) -> Int64 {
        max(1, Int64(spread.median * Self.powerOfTwo(nearNormal() * spread.doublings)))
    }

    /// 2 to the power of `exponent` (−1000 … 1000) with a relative error below 10⁻⁶.
    static func powerOfTwo(_ exponent: Double) -> Double {
        let whole = exponent.rounded(.toNearestOrEven)
        let rest = exponent - whole
        var sum = 0.0001540353039338161
        sum = sum * rest + 0.0013333558146428443
        sum = sum * rest + 0.009618129107628477
        sum = sum * rest + 0.05550410866482158
        sum = sum * rest + 0.2402265069591007
        sum = sum * rest + 0.6931471805599453
        sum = sum * rest + 1
        return sum * Double(sign: .plus, exponent: Int(whole), significand: 1)
    }
}

/// A log-normal distribution of times: half are below the median, two thirds within a factor of 2^`doublings` of it.
struct Spread: Sendable {
    /// Milliseconds.
    let median: Double
    let doublings: Double

    init(_ median: Double, _ doublings: Double) {
        self.median = median
        self.doublings = doublings
    }
}
