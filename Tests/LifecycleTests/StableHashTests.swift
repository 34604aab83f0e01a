import Lifecycle
import Testing

/// Keys that outlive the process: the function must not change, and must part what is nearly the same.
@Suite struct StableHashTests {
    private static func hash(_ bytes: [UInt8]) -> UInt64 { unsafe StableHash.hash(bytes.span.bytes) }

    private static func key(_ bytes: [UInt8], app: UInt64 = 7) -> InstallationKey {
        unsafe InstallationKey(device: bytes.span.bytes, app: app)
    }

    private static func text(_ length: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<length).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    @Test func valuesAreKept() {
        #expect(StableHash.hash("") == 1_733_162_193_094_902_121)
        #expect(StableHash.hash("d1") == 9_385_396_796_252_334_599)
        #expect(StableHash.hash("5692161d100b05e5") == 4_396_063_721_999_793_794)
        #expect(StableHash.hash("550e8400-e29b-41d4-a716-446655440000") == 7_934_521_214_529_117_114)
        let key = Self.key(Array("5692161d100b05e5".utf8), app: StableHash.hash("com.example.shop"))
        #expect(key == InstallationKey(high: 14_052_763_479_856_915_803, low: 13_309_335_502_304_039_120))
    }

    /// Every bit of a text changes each bit of its hash in about half of all texts.
    @Test(arguments: [1, 3, 5, 8, 11, 16, 17, 36, 48])
    func everyBitReachesEveryBit(length: Int) {
        let samples = 100
        for bit in stride(from: 0, to: length * 8, by: 5) {
            var counts = [Int](repeating: 0, count: 192)
            for sample in 0..<samples {
                var text = Self.text(length, seed: UInt64(sample))
                let before = (Self.hash(text), Self.key(text))
                text[bit / 8] ^= 1 << UInt8(bit % 8)
                let after = (Self.hash(text), Self.key(text))
                let changes = [
                    before.0 ^ after.0, before.1.high ^ after.1.high, before.1.low ^ after.1.low,
                ]
                for index in 0..<192 { counts[index] += Int(changes[index / 64] >> UInt64(index % 64) & 1) }
            }
            // Six standard deviations: no bit of them all is expected beyond.
            let isEven = counts.allSatisfy { abs($0 - samples / 2) <= 30 }
            #expect(isEven, "length \(length), bit \(bit): \(counts.min() ?? 0)...\(counts.max() ?? 0) of \(samples)")
        }
    }

    /// Names as sources count them up, and texts of one letter of every length: none shares its hash.
    @Test func countedNamesDoNotCollide() {
        var texts: [[UInt8]] = []
        for number in 0..<20_000 {
            texts.append(Array("device-\(number)".utf8))
            texts.append(Array("\(number)".utf8))
        }
        for length in 0..<600 {
            texts.append([UInt8](repeating: 0, count: length))
            texts.append([UInt8](repeating: UInt8(ascii: "A"), count: length))
        }
        let distinct = Set(texts).count
        #expect(Set(texts.map { Self.hash($0) }).count == distinct)
        #expect(Set(texts.map { Self.hash($0) >> 32 }).count > distinct - 5)
        #expect(Set(texts.map { Self.key($0).high }).count == distinct)
        #expect(Set(texts.map { Self.key($0).low }).count == distinct)
    }

    /// The low bits choose a place in a table: they fill it as chance would.
    @Test func lowBitsSpreadEvenly() {
        let places = 4096
        var counts = [Int](repeating: 0, count: places)
        for number in 0..<(places * 16) {
            counts[Int(truncatingIfNeeded: Self.key(Array("device-\(number)".utf8)).low) & (places - 1)] += 1
        }
        let excess = counts.reduce(0.0) { $0 + Double(($1 - 16) * ($1 - 16)) / 16 }
        // Chi-square of 4095 degrees, ± 6 deviations of 90.5.
        #expect((3552.0...4638.0).contains(excess), "\(excess)")
    }

    @Test func appsPartDevices() {
        let keys = (0..<1000).flatMap { app in
            (0..<50).map { device in
                Self.key(Array("d\(device)".utf8), app: StableHash.hash("app\(app)"))
            }
        }
        #expect(Set(keys.map(\.high)).count == keys.count)
        #expect(Set(keys.map(\.low)).count == keys.count)
    }
}
