import Lifecycle

/// How far a device's wall clock is off, learnt from when its uploads were sent and received.
///
/// The offset is the smallest of the last 16 differences: an upload can be slow but never too fast. One difference
/// that departs by more than the tolerance is a hung upload; two in a row to the same side are a clock that was set.
struct DeviceClock {
    /// Added to device time gives corrected time, ms.
    var offset: Int64 = 0
    /// The setting of the clock that is in force; each has an id of its own.
    var setting: UInt32 = 0
    /// The setting that begins with a difference that departs, if the next one confirms it.
    var provisional: UInt32?
    var nextID: UInt32 = 1
    /// Earlier settings, the latest last; at most ``settingsKept``.
    var earlier: [(id: UInt32, offset: Int64)] = []
    /// Settings that were not confirmed, and the one in which they really were; at most ``settingsKept``.
    var dismissed: [(id: UInt32, setting: UInt32)] = []
    var differences: [Int64] = []
    var sentTimes: [Int64] = []
    /// Those that the checkpoint has not been told of: the last ones, or all.
    var newDifferences = 0
    var newSent = 0
    /// The difference before, where it departed and stood alone.
    var outlier: Int64?

    static let kept = 16
    private static let settingsKept = 8
    /// 10 years of 365.25 days, ms.
    private static let absurd: Int64 = 315_576_000_000

    /// The setting to which what happens now belongs, unless it turns out otherwise.
    var tag: UInt32 { provisional ?? setting }

    /// The setting that an id stands for by now.
    func canonical(_ id: UInt32) -> UInt32 {
        dismissed.last { $0.id == id }?.setting ?? id
    }

    /// The offset of a setting, where it is still remembered.
    func offset(of id: UInt32) -> Int64 {
        let known = canonical(id)
        if known == setting { return offset }
        return earlier.last { $0.id == known }?.offset ?? offset
    }

    /// Takes in what one upload shows.
    mutating func observe(sent: Int64, received: Int64, tolerance: Int64) {
        guard !sentTimes.contains(sent) else { return }
        let (difference, overflow) = received.subtractingReportingOverflow(sent)
        guard !overflow, abs(difference) <= Self.absurd else { return }
        remember(sent: sent)
        guard !differences.isEmpty, abs(difference - offset) > tolerance else {
            dismiss()
            remember(difference: difference)
            offset = differences.min() ?? 0
            return
        }
        guard let first = outlier, let confirmed = provisional, (first > offset) == (difference > offset) else {
            dismiss()
            outlier = difference
            provisional = nextID
            nextID += 1
            return
        }
        earlier.append((setting, offset))
        if earlier.count > Self.settingsKept { earlier.removeFirst() }
        setting = confirmed
        provisional = nil
        outlier = nil
        differences = [first, difference]
        newDifferences = Self.kept
        offset = min(first, difference)
    }

    /// The difference before was a slow upload, no setting of the clock.
    private mutating func dismiss() {
        outlier = nil
        guard let id = provisional else { return }
        provisional = nil
        dismissed.append((id, setting))
        if dismissed.count > Self.settingsKept { dismissed.removeFirst() }
    }

    mutating func remember(sent time: Int64) {
        sentTimes.append(time)
        if sentTimes.count > Self.kept { sentTimes.removeFirst() }
        newSent += 1
    }

    mutating func remember(difference: Int64) {
        differences.append(difference)
        if differences.count > Self.kept { differences.removeFirst() }
        newDifferences += 1
    }
}
