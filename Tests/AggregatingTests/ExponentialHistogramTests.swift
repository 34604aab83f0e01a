import Testing

@testable import Aggregating

@Suite struct BucketIndexTests {
    /// value^32 > 2^index and value^32 ≤ 2^(index + 1): the bucket of scale 5 that holds it, with nothing rounded.
    private func isExact(_ value: Int64) -> Bool {
        let index = Int(BucketIndex.of(value))
        let power = BigNumber(UInt64(value)).squared(times: 5)
        let isAboveLower = index < 0 || BigNumber(powerOfTwo: index) < power
        return isAboveLower && !(BigNumber(powerOfTwo: index + 1) < power)
    }

    @Test func smallNumbers() {
        for value in Int64(1)...1200 { #expect(isExact(value), "\(value)") }
    }

    @Test func bothSidesOfEveryBound() {
        for octave in Array(0...16) + [31, 45, 61, 62] {
            for step in 0..<32 {
                let bound = Int64(BucketIndex.bounds[step] >> UInt64(63 - octave))
                for value in [bound, bound + 1] where value > 0 && value > 1200 {
                    #expect(isExact(value), "\(value)")
                }
            }
        }
        #expect(isExact(.max))
    }

    @Test func anyNumbers() {
        var dice = Dice(seed: 7)
        for _ in 0..<500 {
            let value = Int64(dice.next() >> UInt64(1 + dice.below(63)))
            if value > 0 { #expect(isExact(value), "\(value)") }
        }
    }

    @Test func powersOfTwoAreTheUpperBoundOfTheirBucket() {
        #expect(BucketIndex.of(1) == -1)
        #expect(BucketIndex.of(2) == 31)
        #expect(BucketIndex.of(3) == 50)
        #expect(BucketIndex.of(1024) == 319)
        #expect(BucketIndex.of(1025) == 320)
    }

    /// (n − ½)^64 < 2^(52·64 + f) < (n + ½)^64, n being the constant's 53-bit significand: doubled to stay whole.
    @Test func rootsAreTheNearestNumbers() {
        for place in 1..<64 {
            let doubled = UInt64(BucketIndex.roots[place] * 0x1p53)
            let exact = BigNumber(powerOfTwo: 53 * 64 + place)
            #expect(BigNumber(doubled - 1).squared(times: 6) < exact, "\(place)")
            #expect(exact < BigNumber(doubled + 1).squared(times: 6), "\(place)")
        }
    }

    @Test func middles() {
        #expect(BucketIndex.middle(-1, scale: 0) == 0x1.6a09e667f3bcdp-1)
        #expect(BucketIndex.middle(0, scale: -1) == 2)
        #expect(BucketIndex.middle(319, scale: 5) == 1024 / BucketIndex.roots[1])
    }
}

@Suite struct ExponentialHistogramTests {
    /// The histogram of `values` from its definition: the finest scale at which the span fits.
    private func expected(_ values: [Int64], limit: Int) -> ExponentialHistogram.Buckets {
        let indexes = values.filter { $0 > 0 }.map { Int(BucketIndex.of($0)) }
        guard let low = indexes.min(), let high = indexes.max() else {
            return ExponentialHistogram.Buckets(scale: 5, offset: 0, counts: [])
        }
        var shift = 0
        while (high >> shift) - (low >> shift) + 1 > limit { shift += 1 }
        var counts = ContiguousArray<UInt64>(repeating: 0, count: (high >> shift) - (low >> shift) + 1)
        for index in indexes { counts[(index >> shift) - (low >> shift)] += 1 }
        return ExponentialHistogram.Buckets(scale: 5 - shift, offset: Int32(low >> shift), counts: counts)
    }

    private func histogram(_ values: [Int64], limit: Int) -> ExponentialHistogram {
        var histogram = ExponentialHistogram()
        for value in values { histogram.add(value, limit: limit) }
        return histogram
    }

    /// Values of one of several shapes: few, many, close together, far apart.
    private func values(_ dice: inout Dice) -> [Int64] {
        let count = dice.pick([0, 1, 2, 23, 24, 25, 26, 60, 300])
        let bits = dice.pick([3, 10, 20, 40, 62])
        return (0..<count).map { _ in Int64(dice.next() >> UInt64(64 - 1 - dice.below(bits))) }
    }

    @Test(arguments: [2, 3, 20, 160, 320, 4096], [UInt64(1)])
    func isAFunctionOfItsValues(limit: Int, seed: UInt64) throws {
        var dice = Dice(seed: seed &* 1000 &+ UInt64(limit))
        for _ in 0..<25 {
            var all = values(&dice)
            let wanted = expected(all, limit: limit)
            let zeros = UInt64(all.count { $0 == 0 })
            dice.shuffle(&all)
            var merged = ExponentialHistogram()
            var parts: [ExponentialHistogram] = []
            var rest = all[...]
            while !rest.isEmpty {
                let part = rest.prefix(1 + dice.below(rest.count))
                rest = rest.dropFirst(part.count)
                parts.append(histogram(Array(part), limit: limit))
            }
            dice.shuffle(&parts)
            for part in parts {
                let buckets = part.buckets(limit: limit)
                merged.merge(try #require(ExponentialHistogram(buckets, zeroCount: part.zeroCount)), limit: limit)
            }
            #expect(histogram(all, limit: limit).buckets(limit: limit) == wanted, "seed \(seed): \(all)")
            #expect(merged.buckets(limit: limit) == wanted, "seed \(seed): \(all)")
            #expect(merged.zeroCount == zeros)
        }
    }

    @Test func downscalesOnlyWhenItMust() {
        // Index −1 and 318: 320 buckets. 1024 has 319.
        #expect(histogram([1, 1002], limit: 320).buckets(limit: 320).scale == 5)
        #expect(histogram([1, 1003], limit: 320).buckets(limit: 320).scale == 4)
        #expect(histogram([1, 1003], limit: 320).buckets(limit: 320).offset == -1)
    }

    @Test func emptyAndZeros() {
        let empty = ExponentialHistogram.Buckets(scale: 5, offset: 0, counts: [])
        #expect(histogram([], limit: 320).buckets(limit: 320) == empty)
        let zeros = histogram([0, 0, 0], limit: 320)
        #expect(zeros.buckets(limit: 320) == empty)
        #expect(zeros.zeroCount == 3)
    }

    @Test func countsOver48BitsStayExact() {
        var large = ExponentialHistogram()
        let buckets = ExponentialHistogram.Buckets(scale: 5, offset: 40, counts: [1 << 48 - 1])
        for _ in 0..<3 {
            if let part = ExponentialHistogram(buckets, zeroCount: 0) { large.merge(part, limit: 320) }
        }
        #expect(large.buckets(limit: 320).counts == [3 * (1 << 48 - 1)])
    }

    @Test func impossibleBucketsAreNone() {
        for (scale, offset, counts) in [(6, 0, [1]), (5, 0, [0, 1]), (5, 0, [1, 0]), (5, -2, [1]), (5, 2016, [1])]
            as [(Int, Int32, ContiguousArray<UInt64>)]
        {
            let buckets = ExponentialHistogram.Buckets(scale: scale, offset: offset, counts: counts)
            #expect(ExponentialHistogram(buckets, zeroCount: 0) == nil, "\(buckets)")
        }
    }
}

@Suite struct SummaryTests {
    private func summary(_ values: [Int64]) -> Summary {
        var summary = Summary()
        for value in values { summary.add(value, limit: 320) }
        return summary
    }

    private func quantiles(_ values: [Int64]) -> [Double?] {
        let summary = summary(values)
        let buckets = summary.histogram.buckets(limit: 320)
        return [50, 90, 95, 99].map { summary.quantile($0, buckets: buckets) }
    }

    @Test func withoutValuesThereIsNoQuantile() {
        #expect(quantiles([]) == [nil, nil, nil, nil])
    }

    @Test func oneValueIsEveryQuantile() {
        #expect(quantiles([1234]) == [1234, 1234, 1234, 1234])
        #expect(quantiles([0]) == [0, 0, 0, 0])
    }

    /// Ranks 10, 18, 19 and 20 of twenty values: ⌈0.9 · 20⌉ is 18 and no rounding makes it 19.
    @Test func ranksAreExact() {
        let values = (0..<20).map { Int64(1) << Int64($0) }
        #expect(summary(values).histogram.buckets(limit: 320).scale == 4)
        let expected = [9, 17, 18, 19].map { BucketIndex.middle(BucketIndex.of(1 << $0) >> 1, scale: 4) }
        #expect(quantiles(values) == expected)
    }

    @Test func relativeErrorStaysBelowTheBound() throws {
        var dice = Dice(seed: 11)
        var values = (0..<999).map { _ in Int64(100 + dice.below(90_000)) }
        let got = quantiles(values)
        values.sort()
        for (place, percent) in [50, 90, 95, 99].enumerated() {
            let exact = Double(values[(values.count * percent + 99) / 100 - 1])
            let quantile = try #require(got[place])
            #expect(abs(quantile - exact) / exact <= 0.0109, "p\(percent): \(quantile), exact \(exact)")
        }
    }

    @Test func sumsStopAtTheLargestNumber() {
        #expect(summary([.max, .max]).sum == .max)
    }
}
