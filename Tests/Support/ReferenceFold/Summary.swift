import Foundation

/// Count, sum, extremes, histogram and quantiles of a list of whole milliseconds, straight from their definitions.
struct Summary {
    private(set) var count = 0
    private(set) var sum = 0
    private(set) var smallest: Int?
    private(set) var largest: Int?
    private(set) var scale = 5
    private(set) var zeroCount = 0
    private(set) var offset = 0
    private(set) var buckets: [Int] = []

    init(_ values: [Int], maxBuckets: Int) {
        let sorted = values.sorted()
        count = sorted.count
        sum = sorted.reduce(0, +)
        smallest = sorted.first
        largest = sorted.last
        let positive = sorted.filter { $0 > 0 }
        zeroCount = sorted.count - positive.count
        guard let low = positive.first, let high = positive.last else { return }
        while Self.bucket(of: high, scale) - Self.bucket(of: low, scale) >= maxBuckets { scale -= 1 }
        offset = Self.bucket(of: low, scale)
        buckets = Array(repeating: 0, count: Self.bucket(of: high, scale) - offset + 1)
        for value in positive { buckets[Self.bucket(of: value, scale) - offset] += 1 }
    }

    /// The bucket of `value`: its upper end is the first power of the base that is no less.
    static func bucket(of value: Int, _ scale: Int) -> Int {
        // At scale 5 the ends are the powers of the 32nd root of two. A coarser bucket holds two whole finer ones.
        let finest = 5
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
        let isPowerOfTwo = value.nonzeroBitCount == 1
        let end = isPowerOfTwo ? exponent * 32 : Int((log2(Double(value)) * 32).rounded(.up))
        return (end - 1) >> (finest - scale)
    }

    /// Value at a rank of `percent`, read from the histogram.
    func quantile(_ percent: Int) -> Double? {
        guard let smallest, let largest else { return nil }
        let rank = max(1, (percent * count + 99) / 100)
        var seen = zeroCount
        guard seen < rank else { return Double(min(max(0, smallest), largest)) }
        for (place, held) in buckets.enumerated() {
            seen += held
            if seen >= rank {
                let middle = exp2((Double(offset + place) + 0.5) / exp2(Double(scale)))
                return min(max(middle, Double(smallest)), Double(largest))
            }
        }
        return Double(largest)
    }
}
