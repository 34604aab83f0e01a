import Testing

@testable import Aggregating

@Suite struct HyperLogLogTests {
    private func sketch(_ installations: some Sequence<UInt64>) -> HyperLogLog {
        var sketch = HyperLogLog()
        for installation in installations { sketch.add(installation: installation) }
        return sketch
    }

    private func ranks(_ sketch: HyperLogLog) -> [UInt8] {
        (0..<HyperLogLog.registerCount).map { sketch.rank(inRegister: $0) }
    }

    @Test func exactUpToSixtyFour() {
        for count in [0, 1, 2, 3, 8, 9, 63, 64] as [UInt64] {
            let sketch = sketch(Array(0..<count) + Array(0..<count))
            #expect(sketch.estimate == Int64(count))
            #expect(!sketch.isDense)
        }
        let beyond = sketch(0..<65)
        #expect(beyond.isDense)
        #expect((64...66).contains(beyond.estimate))
    }

    /// 1.04/√4096 = 1.625 %: over many sets the mean error is near 0 and the mean square near that.
    @Test(arguments: [100, 1_000, 7_000, 15_000] as [UInt64])
    func errorIsThatOfTheSketch(size: UInt64) {
        let sets: UInt64 = 16
        var sum = 0.0
        var squares = 0.0
        for set in 0..<sets {
            let estimate = sketch((set * size)..<((set + 1) * size)).estimate
            let error = Double(estimate) / Double(size) - 1
            sum += error
            squares += error * error
        }
        #expect(abs(sum / Double(sets)) < 0.012, "mean error")
        #expect((squares / Double(sets)).squareRoot() < 0.0235, "standard error")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func anyOrderAndAnyMergeGiveTheSame(seed: UInt64) {
        var dice = Dice(seed: seed)
        for size in [10, 64, 65, 66, 500] {
            var all = (0..<size).map { _ in dice.next() % 400 }
            let whole = sketch(all)
            dice.shuffle(&all)
            var parts: [HyperLogLog] = []
            var rest = all[...]
            while !rest.isEmpty {
                let part = rest.prefix(1 + dice.below(rest.count))
                rest = rest.dropFirst(part.count)
                parts.append(sketch(part))
            }
            var merged = HyperLogLog()
            for part in parts { merged.merge(part) }
            #expect(merged.isDense == whole.isDense, "seed \(seed)")
            #expect(merged.sortedMarks == whole.sortedMarks, "seed \(seed)")
            #expect(ranks(merged) == ranks(whole), "seed \(seed)")
            #expect(merged.estimate == whole.estimate, "seed \(seed)")
        }
    }

    @Test func ranksReachTheLargest() {
        var sketch = HyperLogLog()
        for mark in 0..<65 as Range<UInt64> { sketch.add(mark: mark << 52 | 1 << 51) }
        sketch.add(mark: 5 << 52)
        sketch.add(mark: 6 << 52 | 1)
        #expect(sketch.rank(inRegister: 4) == 1)
        #expect(sketch.rank(inRegister: 5) == 53)
        #expect(sketch.rank(inRegister: 6) == 52)
        #expect(sketch.rank(inRegister: 65) == 0)
    }

    @Test func fullRegistersHaveAnEndlessEstimate() {
        var counts = InlineArray<54, Int>(repeating: 0)
        counts[0] = 4096
        #expect(HyperLogLogEstimate.number(ofRanks: counts) == 0)
        counts[0] = 0
        counts[53] = 4096
        #expect(HyperLogLogEstimate.number(ofRanks: counts) == .infinity)
    }

    @Test func base64Form() {
        func text(_ sketch: HyperLogLog) -> String {
            var bytes = ContiguousArray<UInt8>()
            bytes.append(sketch: sketch)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(text(HyperLogLog()) == "\"AQAM\"")
        var sketch = HyperLogLog()
        sketch.add(mark: 0x0102_0304_0506_0708)
        sketch.add(mark: 1)
        #expect(text(sketch) == "\"AQAMAAAAAAAAAAEBAgMEBQYHCA==\"")
        var dense = HyperLogLog()
        dense.raise(register: 1, to: 53)
        dense.raise(register: 4095, to: 2)
        // After the head's four characters one for each register: 53 is '1', 2 is 'C'.
        let expected = "\"AQEMA1" + String(repeating: "A", count: 4093) + "C\""
        #expect(text(dense) == expected)
    }
}
