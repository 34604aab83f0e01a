import Testing

@testable import phasefold

@Suite struct FiguresTests {
    @Test func numbersForPeople() {
        #expect(
            [0, 999, 1000, 1_234_567, -12_345].map(Figures.grouped) == ["0", "999", "1,000", "1,234,567", "-12,345"])
        #expect(
            [0, 987, 1000, 12_345, 999_400, 2_310_000].map(Figures.short) == [
                "0", "987", "1.00 k", "12.3 k", "999 k", "2.31 M",
            ])
        #expect([0, 6.2, 754, 3723].map(Figures.clock) == ["0:00", "0:07", "12:34", "1:02:03"])
        #expect([60_000, 90_000, 86_400_000, 1500].map(Figures.size) == ["1m", "90s", "1d", "1500ms"])
        #expect(
            [0, 870, 1520, 90_000, 119_000, 7_200_000].map(Figures.duration)
                == ["0 ms", "870 ms", "1.52 s", "90.0 s", "1.98 min", "2.00 h"])
    }

    @Test(arguments: [0, 0.001, 0.45, 0.999, 1, 1.7], [0, 1, 123_456_789_012])
    func theProgressLineFits(fraction: Double, count: Int) {
        let line = Progress.line(count, "events", fraction: fraction, elapsed: 5)
        #expect(line.count <= Progress.width)
        #expect(line.hasPrefix("["))
        #expect(line.contains("\(Int(min(1, fraction) * 100)) %"))
    }

    @Test func theProgressLineSaysHowLong() {
        let line = Progress.line(5_000_000, "events", fraction: 0.25, elapsed: 2)
        #expect(line.hasSuffix("]  25 %  5,000,000 events  2.50 M/s  0:06 left"))
        #expect(Progress.line(10, "events", fraction: nil, elapsed: 2) == "10 events  5/s  0:02")
    }
}
