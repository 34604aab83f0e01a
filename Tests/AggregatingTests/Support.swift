import Lifecycle

@testable import Aggregating

/// A reproducible source of numbers; a failing test prints its seed.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    mutating func shuffle<Element>(_ elements: inout [Element]) {
        for place in stride(from: elements.count - 1, to: 0, by: -1) { elements.swapAt(place, below(place + 1)) }
    }
}

/// A whole number of any size, not negative: 32 bits a limb, the lowest first.
struct BigNumber: Equatable {
    private var limbs: [UInt32]

    init(_ value: UInt64) {
        limbs = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
        trim()
    }

    /// 2^exponent
    init(powerOfTwo exponent: Int) {
        limbs = Array(repeating: 0, count: exponent / 32) + [1 << UInt32(exponent % 32)]
    }

    static func * (a: BigNumber, b: BigNumber) -> BigNumber {
        var product = a
        product.limbs = Array(repeating: 0, count: a.limbs.count + b.limbs.count)
        for (i, x) in a.limbs.enumerated() {
            var carry: UInt64 = 0
            for (j, y) in b.limbs.enumerated() {
                carry += UInt64(product.limbs[i + j]) + UInt64(x) * UInt64(y)
                product.limbs[i + j] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            product.limbs[i + b.limbs.count] = UInt32(carry)
        }
        product.trim()
        return product
    }

    /// The number squared `times` times.
    func squared(times: Int) -> BigNumber { (0..<times).reduce(self) { square, _ in square * square } }

    static func < (a: BigNumber, b: BigNumber) -> Bool {
        guard a.limbs.count == b.limbs.count else { return a.limbs.count < b.limbs.count }
        for (x, y) in zip(a.limbs.reversed(), b.limbs.reversed()) where x != y { return x < y }
        return false
    }

    private mutating func trim() { while limbs.last == 0 { limbs.removeLast() } }
}

extension RecordBatch {
    func texts() -> [(key: String, value: String)] {
        records.map { record in
            (
                String(decoding: bytes[record.key], as: UTF8.self),
                String(decoding: bytes[record.value], as: UTF8.self)
            )
        }
    }
}

extension WindowTotals {
    /// Takes every record of a batch.
    mutating func takeAll(_ batch: RecordBatch) throws(PackedError) {
        for place in 0..<batch.count { try take(batch, at: place) }
    }

    /// Takes one record of a batch.
    mutating func take(_ batch: RecordBatch, at place: Int) throws(PackedError) {
        try batch.withRecord(place) { (_, value) throws(PackedError) in _ = try take(value) }
    }

    mutating func restoreAll(_ batch: RecordBatch) throws(PackedError) {
        for place in 0..<batch.count {
            try batch.withRecord(place) { (key, value) throws(PackedError) in try restore(key: key, value: value) }
        }
    }

    mutating func finished() -> [(key: String, value: String)] {
        var rows = RecordBatch()
        finish(into: &rows)
        return rows.texts()
    }
}

let source = SourcePartition(topic: "lifecycle", partition: 0)
/// 2023-11-14T22:13:20Z
let moment: Int64 = 1_700_000_000_000
