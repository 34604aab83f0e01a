import Lifecycle

/// How far a device's wall clock is off, learnt from when its uploads were sent and received.
///
/// The offset is the smallest of the last 16 differences: an upload can be slow but never too fast. One difference
/// that departs by more than the tolerance is a hung upload; two in a row to the same side are a clock that was set.
struct DeviceClock {
    /// Added to device time gives corrected time, ms.
    private(set) var offset: Int64 = 0
    /// Counts how often the clock was seen to be set.
    private(set) var setting: UInt32 = 0
    /// Offsets of earlier settings, the latest last; at most ``settingsKept``.
    private var earlier: [Int64] = []
    private var differences: [Int64] = []
    private var sentTimes: [Int64] = []
    /// The difference before, where it departed and stood alone.
    private var outlier: Int64?

    private static let kept = 16
    private static let settingsKept = 8
    /// 10 years of 365.25 days, ms.
    private static let absurd: Int64 = 315_576_000_000

    /// The offset of a setting, where it is still remembered.
    func offset(of setting: UInt32) -> Int64 {
        if setting == self.setting { return offset }
        let back = Int(self.setting &- setting)
        return back >= 1 && back <= earlier.count ? earlier[earlier.count - back] : offset
    }

    /// Takes in what one upload shows.
    mutating func observe(sent: Int64, received: Int64, tolerance: Int64) {
        guard !sentTimes.contains(sent) else { return }
        let (difference, overflow) = received.subtractingReportingOverflow(sent)
        guard !overflow, abs(difference) <= Self.absurd else { return }
        remember(sent, in: &sentTimes)
        guard !differences.isEmpty, abs(difference - offset) > tolerance else {
            outlier = nil
            remember(difference, in: &differences)
            offset = differences.min() ?? 0
            return
        }
        guard let first = outlier, (first > offset) == (difference > offset) else {
            outlier = difference
            return
        }
        earlier.append(offset)
        if earlier.count > Self.settingsKept { earlier.removeFirst() }
        setting += 1
        outlier = nil
        differences = [first, difference]
        offset = min(first, difference)
    }

    private func remember(_ value: Int64, in ring: inout [Int64]) {
        ring.append(value)
        if ring.count > Self.kept { ring.removeFirst() }
    }
}
