/// An OpenTelemetry base-2 exponential histogram of whole milliseconds, starting at scale 5.
///
/// It is a function of the values alone, whatever their order and however they were merged: its scale is the finest
/// (at most 5) at which the span from the smallest to the largest positive value takes no more than the buckets
/// allowed, and halving the scale maps each index to ⌊index / 2⌋, which composes.
///
/// Small while few of its buckets hold anything: up to ``sparseLimit`` of them are kept as index and count of scale 5
/// (8 bytes each), more of them as one count for each bucket of the span.
package struct ExponentialHistogram: Sendable {
    /// Buckets kept as single entries.
    static let sparseLimit = 24
    /// The largest count that an entry holds: 48 bits.
    private static let entryLimit: UInt64 = 1 << 48 - 1

    /// Values of 0 ms.
    package private(set) var zeroCount: UInt64 = 0
    /// Sparse: sorted by index, each (index at scale 5) + 1 in the upper 16 bits and its count in the lower 48.
    /// Dense: the counts from bucket ``offset`` on, the first and the last not 0.
    private var words: ContiguousArray<UInt64> = []
    /// Of the dense form.
    private var offset: Int32 = 0
    private var scale: Int8 = 5
    private var isDense = false

    package init() {}

    /// The buckets as they stand in a record.
    package struct Buckets: Equatable, Sendable {
        package var scale: Int
        /// The index of the first of ``counts``.
        package var offset: Int32
        /// The first and the last are not 0.
        package var counts: ContiguousArray<UInt64>
    }

    /// Adds one value.
    ///
    /// - Parameters:
    ///   - value: ms, not negative.
    ///   - limit: the most buckets (at least 2), the same in every call.
    @inline(__always)
    package mutating func add(_ value: Int64, limit: Int) {
        if value == 0 {
            zeroCount &+= 1
        } else {
            add(index: BucketIndex.of(value), count: 1, limit: limit)
        }
    }

    /// Adds the values of another histogram that has the same limit.
    package mutating func merge(_ other: borrowing ExponentialHistogram, limit: Int) {
        zeroCount &+= other.zeroCount
        if !other.isDense {
            for word in other.words { add(index: Self.index(of: word), count: Self.count(of: word), limit: limit) }
            return
        }
        guard let last = other.lastIndex else { return }
        if !isDense { makeDense(limit: limit) }
        downscale(to: min(scale, other.scale))
        var shift = Int32(other.scale - scale)
        cover(other.offset >> shift, last >> shift, limit: limit)
        shift = Int32(other.scale - scale)
        for (place, count) in other.words.enumerated() where count > 0 {
            words[Int(((other.offset + Int32(place)) >> shift) - offset)] &+= count
        }
    }

    /// The buckets as they stand in a record; without any, scale 5, offset 0 and no counts.
    package func buckets(limit: Int) -> Buckets {
        if isDense { return Buckets(scale: Int(scale), offset: offset, counts: words) }
        guard !words.isEmpty else { return Buckets(scale: BucketIndex.scale, offset: 0, counts: []) }
        var copy = self
        copy.makeDense(limit: limit)
        return Buckets(scale: Int(copy.scale), offset: copy.offset, counts: copy.words)
    }

    /// A histogram with these buckets; nil where they cannot be those of one.
    package init?(_ buckets: Buckets, zeroCount: UInt64) {
        self.zeroCount = zeroCount
        guard let last = buckets.counts.last else { return }
        guard buckets.counts[0] > 0, last > 0, (-8...BucketIndex.scale).contains(buckets.scale) else { return nil }
        let highest = Int(buckets.offset) + buckets.counts.count - 1
        guard buckets.offset >= -1, highest <= BucketIndex.of(.max) >> Int32(BucketIndex.scale - buckets.scale) else {
            return nil
        }
        words = buckets.counts
        offset = buckets.offset
        scale = Int8(buckets.scale)
        isDense = true
        thinOut()
    }

    /// The values below which a share of all lie, `rank` counted from 1 in ascending order: the geometric middle of
    /// the bucket that holds it; 0 where it is among the zeros.
    static func value(at rank: UInt64, zeroCount: UInt64, buckets: borrowing Buckets) -> Double {
        var seen = zeroCount
        if rank <= seen { return 0 }
        for (place, count) in buckets.counts.enumerated() {
            seen &+= count
            if rank <= seen { return BucketIndex.middle(buckets.offset + Int32(place), scale: buckets.scale) }
        }
        return .infinity
    }
}

extension ExponentialHistogram {
    private static func index(of word: UInt64) -> Int32 { Int32(word >> 48) - 1 }
    private static func count(of word: UInt64) -> UInt64 { word & entryLimit }

    private var lastIndex: Int32? { words.isEmpty ? nil : offset + Int32(words.count) - 1 }

    /// Adds `count` to the bucket that `index` of scale 5 falls in.
    private mutating func add(index: Int32, count: UInt64, limit: Int) {
        if !isDense, addSparse(index: index, count: count, limit: limit) { return }
        var place = Int((index >> Int32(5 - scale)) - offset)
        if place < 0 || place >= words.count {
            let wanted = index >> Int32(5 - scale)
            cover(wanted, wanted, limit: limit)
            place = Int((index >> Int32(5 - scale)) - offset)
        }
        words[place] &+= count
    }

    /// Adds to the sparse form; false where it had to become dense instead.
    private mutating func addSparse(index: Int32, count: UInt64, limit: Int) -> Bool {
        let tag = UInt64(index + 1) << 48
        var place = words.count
        while place > 0, words[place - 1] >= tag { place -= 1 }
        if place < words.count, words[place] >> 48 == tag >> 48 {
            let sum = Self.count(of: words[place]) &+ count
            if sum <= Self.entryLimit {
                words[place] = tag | sum
                return true
            }
        } else if words.count < Self.sparseLimit, count <= Self.entryLimit {
            if words.isEmpty { words.reserveCapacity(4) }
            words.insert(tag | count, at: place)
            return true
        }
        makeDense(limit: limit)
        return false
    }

    /// Turns the entries into one count for each bucket of their span.
    private mutating func makeDense(limit: Int) {
        let entries = words
        isDense = true
        scale = Int8(BucketIndex.scale)
        offset = 0
        words = []
        guard let first = entries.first, let last = entries.last else { return }
        cover(Self.index(of: first), Self.index(of: last), limit: limit)
        for entry in entries {
            words[Int((Self.index(of: entry) >> Int32(5 - scale)) - offset)] &+= Self.count(of: entry)
        }
    }

    /// Makes entries of a dense form of scale 5 in which few buckets hold anything.
    private mutating func thinOut() {
        guard scale == BucketIndex.scale else { return }
        var entries: ContiguousArray<UInt64> = []
        for (place, count) in words.enumerated() where count > 0 {
            guard entries.count < Self.sparseLimit, count <= Self.entryLimit else { return }
            entries.append(UInt64(offset + Int32(place) + 1) << 48 | count)
        }
        words = entries
        offset = 0
        isDense = false
    }

    /// Extends the dense form over the buckets `low` to `high` of the present scale, downscaling as it must.
    private mutating func cover(_ low: Int32, _ high: Int32, limit: Int) {
        var low = words.isEmpty ? low : min(low, offset)
        var high = lastIndex.map { max($0, high) } ?? high
        var target = scale
        while Int(high) - Int(low) + 1 > limit {
            low >>= 1
            high >>= 1
            target -= 1
        }
        downscale(to: target)
        if words.isEmpty { offset = low }
        let before = Int(offset - low)
        let after = Int(high - low) + 1 - before - words.count
        if after > 0 { words.append(contentsOf: repeatElement(0, count: after)) }
        if before > 0 { words.insert(contentsOf: repeatElement(0, count: before), at: 0) }
        offset = low
    }

    /// Makes the dense form coarser: each step adds two neighbouring buckets up.
    private mutating func downscale(to target: Int8) {
        guard target < scale else { return }
        let shift = Int32(scale - target)
        scale = target
        guard let last = lastIndex else { return }
        let first = offset >> shift
        var coarser = ContiguousArray<UInt64>(repeating: 0, count: Int((last >> shift) - first) + 1)
        for (place, count) in words.enumerated() {
            coarser[Int(((offset + Int32(place)) >> shift) - first)] &+= count
        }
        words = coarser
        offset = first
    }
}
