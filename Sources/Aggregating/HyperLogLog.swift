import Glibc

/// How many distinct installations: exact up to 64, beyond that a HyperLogLog sketch of 2¹² registers (standard error
/// 1.04/√4096 ≈ 1.6 %). A function of the set alone, whatever the order of adding and merging.
///
/// An installation is known by a 64-bit ``mark(of:)``. The mark's upper 12 bits name the register; the register keeps
/// the largest rank seen, which is 1 + the number of leading zeros of the mark's lower 52 bits (1 to 53).
///
/// Memory: 16 bytes, and a heap block of 8 bytes a place: 4 to 128 places for up to 64 marks, 512 for the registers.
package struct HyperLogLog: Sendable {
    static let precision = 12
    package static let registerCount = 1 << precision
    /// Marks that are kept one by one.
    package static let sparseLimit = 64
    static let largestRank: UInt8 = 64 - 12 + 1
    /// All registers at six bits each.
    static let registerBytes = registerCount * 6 / 8

    /// Sparse: a hash table of marks, a power of two, at most half full, 0 being free. Dense: eight registers a word,
    /// register r in bits 8·(r mod 8) of word r / 8.
    private var words: ContiguousArray<UInt64> = []
    /// Marks of the sparse form.
    private var markCount: UInt8 = 0
    private(set) var isDense = false

    package init() {}

    /// The mark of an installation: its bits spread over all 64, one to one but for a pair in 2⁶⁴; never 0.
    @inline(__always)
    package static func mark(of installation: UInt64) -> UInt64 {
        var bits = installation &+ 0xA24B_AED4_963E_E407
        bits = (bits ^ bits >> 32) &* 0x9FB2_1C65_1E98_DF25
        bits = (bits ^ bits >> 29) &* 0xD6E8_FEB8_6659_FD93
        bits ^= bits >> 32
        return bits == 0 ? 1 : bits
    }

    package var isEmpty: Bool { words.isEmpty }

    @inline(__always)
    package mutating func add(installation: UInt64) { add(mark: Self.mark(of: installation)) }

    @inline(__always)
    package mutating func add(mark: UInt64) {
        if isDense { raise(Self.register(of: mark), to: Self.rank(of: mark)) } else { insert(mark) }
    }

    package mutating func merge(_ other: borrowing HyperLogLog) {
        if !other.isDense {
            for mark in other.words where mark != 0 { add(mark: mark) }
            return
        }
        if !isDense { makeDense() }
        for place in 0..<words.count { words[place] = Self.larger(words[place], other.words[place]) }
    }

    /// The number of installations: exact up to 64.
    package var estimate: Int64 {
        guard isDense else { return Int64(markCount) }
        return Int64(HyperLogLogEstimate.number(ofRanks: rankCounts) + 0.5)
    }

    /// The marks in ascending order; empty in the dense form.
    var sortedMarks: [UInt64] { isDense ? [] : words.filter { $0 != 0 }.sorted() }

    /// The rank in a register; 0 in the sparse form.
    func rank(inRegister register: Int) -> UInt8 {
        isDense ? UInt8(truncatingIfNeeded: words[register >> 3] >> UInt64((register & 7) * 8)) : 0
    }

    /// How many registers hold a rank above 0.
    var touchedRegisters: Int {
        guard isDense else { return 0 }
        // Bytes are below 128: adding 127 sets the top bit of those that are not 0.
        return words.reduce(0) { sum, word in
            sum + ((word &+ 0x7F7F_7F7F_7F7F_7F7F) & 0x8080_8080_8080_8080).nonzeroBitCount
        }
    }

    /// Makes it dense and raises a register: how a packed sketch is read.
    mutating func raise(register: Int, to rank: UInt8) {
        if !isDense { makeDense() }
        raise(register, to: rank)
    }
}

extension HyperLogLog {
    @inline(__always)
    private static func register(of mark: UInt64) -> Int { Int(mark >> 52) }

    /// The bit below the 52 stops the count of zeros at 52.
    @inline(__always)
    private static func rank(of mark: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: (mark << 12 | 1 << 11).leadingZeroBitCount + 1)
    }

    @inline(__always)
    private mutating func raise(_ register: Int, to rank: UInt8) {
        let shift = UInt64((register & 7) * 8)
        let word = words[register >> 3]
        if UInt8(truncatingIfNeeded: word >> shift) < rank {
            words[register >> 3] = word & ~(0xFF << shift) | UInt64(rank) << shift
        }
    }

    private mutating func insert(_ mark: UInt64) {
        if words.isEmpty { words = ContiguousArray(repeating: 0, count: 4) }
        var place = Int(truncatingIfNeeded: mark) & (words.count - 1)
        while words[place] != 0 {
            if words[place] == mark { return }
            place = (place + 1) & (words.count - 1)
        }
        if Int(markCount) == Self.sparseLimit {
            makeDense()
            raise(Self.register(of: mark), to: Self.rank(of: mark))
            return
        }
        words[place] = mark
        markCount += 1
        if Int(markCount) * 2 > words.count { grow() }
    }

    private mutating func grow() {
        let marks = words
        words = ContiguousArray(repeating: 0, count: marks.count * 2)
        for mark in marks where mark != 0 {
            var place = Int(truncatingIfNeeded: mark) & (words.count - 1)
            while words[place] != 0 { place = (place + 1) & (words.count - 1) }
            words[place] = mark
        }
    }

    private mutating func makeDense() {
        let marks = words
        words = ContiguousArray(repeating: 0, count: Self.registerCount / 8)
        isDense = true
        markCount = 0
        for mark in marks where mark != 0 { raise(Self.register(of: mark), to: Self.rank(of: mark)) }
    }

    /// The larger of each pair of bytes; bytes are below 128.
    @inline(__always)
    private static func larger(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let high: UInt64 = 0x8080_8080_8080_8080
        // The top bit of a byte stays where a's byte is at least b's: no borrow leaves the byte.
        let keepsA = ((a | high) &- b) & high
        let mask = (keepsA >> 7) &* 0xFF
        return a & mask | b & ~mask
    }

    /// How many registers hold each rank.
    private var rankCounts: InlineArray<54, Int> {
        var counts = InlineArray<54, Int>(repeating: 0)
        // Neighbours often hold the same rank: two tables, so that one addition need not wait for the other.
        var odd = counts
        for word in words {
            guard word != 0 else {
                counts[0] += 8
                continue
            }
            for place in stride(from: UInt64(0), to: 64, by: 16) {
                counts[Int(UInt8(truncatingIfNeeded: word >> place))] += 1
                odd[Int(UInt8(truncatingIfNeeded: word >> (place + 8)))] += 1
            }
        }
        for rank in counts.indices { counts[rank] += odd[rank] }
        return counts
    }
}

/// The number of distinct elements that a sketch has seen, after O. Ertl (2017): one formula for every size, without
/// a seam between small and large, using nothing but + − × ÷ √, so that every machine computes the same.
enum HyperLogLogEstimate {
    /// 1 / (2 ln 2)
    private static let alpha = 0.721347520444481703679962340500

    /// - Parameter counts: how many registers hold rank 0, 1, … 53; together 4096.
    static func number(ofRanks counts: InlineArray<54, Int>) -> Double {
        let registers = Double(HyperLogLog.registerCount)
        var sum = registers * saturated(1 - Double(counts[53]) / registers)
        var rank = 52
        while rank >= 1 {
            sum = 0.5 * (sum + Double(counts[rank]))
            rank -= 1
        }
        sum += registers * untouched(Double(counts[0]) / registers)
        return alpha * registers * registers / sum
    }

    /// σ: what the share of registers at rank 0 adds.
    private static func untouched(_ share: Double) -> Double {
        guard share < 1 else { return .infinity }
        var power = share
        var factor = 1.0
        var sum = share
        while true {
            power *= power
            let next = sum + power * factor
            if next == sum { return sum }
            sum = next
            factor += factor
        }
    }

    /// τ: what the share of registers below the largest rank adds.
    private static func saturated(_ share: Double) -> Double {
        guard share > 0, share < 1 else { return 0 }
        var root = share
        var factor = 1.0
        var sum = 1 - share
        while true {
            root = sqrt(root)
            factor *= 0.5
            let next = sum - (1 - root) * (1 - root) * factor
            if next == sum { return sum / 3 }
            sum = next
        }
    }
}
