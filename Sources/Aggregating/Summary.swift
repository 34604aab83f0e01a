/// Count, sum, bounds and distribution of durations in whole ms.
package struct Summary: Sendable {
    package private(set) var count: Int64 = 0
    /// Stops at `Int64.max`.
    package private(set) var sum: Int64 = 0
    /// Mean nothing while ``count`` is 0.
    package private(set) var min = Int64.max
    package private(set) var max = Int64.min
    package private(set) var histogram = ExponentialHistogram()

    package init() {}

    /// The quantiles of a record, in percent, in its order.
    package static let percents: InlineArray<4, Int64> = [50, 90, 95, 99]

    /// Adds one duration, which is not negative.
    @inline(__always)
    package mutating func add(_ value: Int64, limit: Int) {
        count &+= 1
        sum = sum.addingUpToLimit(value)
        min = Swift.min(min, value)
        max = Swift.max(max, value)
        histogram.add(value, limit: limit)
    }

    package mutating func merge(_ other: borrowing Summary, limit: Int) {
        count &+= other.count
        sum = sum.addingUpToLimit(other.sum)
        min = Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        histogram.merge(other.histogram, limit: limit)
    }

    /// The value that `percent` of all do not pass: of rank ⌈percent/100 · count⌉, the geometric middle of its bucket
    /// within the bounds; nil without any value.
    package func quantile(_ percent: Int64, buckets: borrowing ExponentialHistogram.Buckets) -> Double? {
        guard count > 0 else { return nil }
        let whole = count / 100 * percent
        let rank = Swift.max(1, whole + (count % 100 * percent + 99) / 100)
        let middle = ExponentialHistogram.value(
            at: UInt64(rank), zeroCount: histogram.zeroCount, buckets: buckets)
        return Swift.min(Swift.max(middle, Double(min)), Double(max))
    }

    /// A summary with these figures; nil where they contradict each other.
    init?(sum: Int64, min: Int64, max: Int64, zeroCount: UInt64, buckets: ExponentialHistogram.Buckets) {
        guard let histogram = ExponentialHistogram(buckets, zeroCount: zeroCount) else { return nil }
        var total = zeroCount
        for count in buckets.counts {
            let (next, isTooMuch) = total.addingReportingOverflow(count)
            guard !isTooMuch else { return nil }
            total = next
        }
        guard total > 0, total <= UInt64(Int64.max), sum >= 0, min >= 0, min <= max else { return nil }
        count = Int64(total)
        self.sum = sum
        self.min = min
        self.max = max
        self.histogram = histogram
    }
}

extension Int64 {
    /// The sum, or `Int64.max` where it would be more: of numbers that are not negative, so that any order of adding
    /// gives the same.
    @inline(__always)
    func addingUpToLimit(_ other: Int64) -> Int64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
