import Lifecycle

/// How far a device's wall clock is off, learnt from when its uploads were sent and received.
///
/// The offset is the smallest of the last 16 differences: an upload can be slow but never too fast. One difference
/// that departs by more than the tolerance is a hung upload; two in a row to the same side are a clock that was set.
struct DeviceClock: ~Copyable {
    /// Added to device time gives corrected time, ms.
    var offset: Int64 = 0
    /// The setting of the clock that is in force; each has an id of its own.
    var setting: UInt32 = 0
    /// The setting that begins with a difference that departs, if the next one confirms it.
    var provisional: UInt32?
    var nextID: UInt32 = 1
    /// Earlier settings, the latest last; at most ``settingsKept``.
    var earlier = Few<Earlier>()
    /// Settings that were not confirmed, and the one in which they really were; at most ``settingsKept``.
    var dismissed = Few<Dismissed>()
    var differences = Few<Int64>()
    var sentTimes = Few<Int64>()
    /// Those that the checkpoint has not been told of: the last ones, or all.
    var newDifferences = 0
    var newSent = 0
    /// The difference before, where it departed and stood alone.
    var outlier: Int64?

    struct Earlier {
        var id: UInt32
        var offset: Int64
    }

    struct Dismissed {
        var id: UInt32
        var setting: UInt32
    }

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
    mutating func observe(sent: Int64, received: Int64, tolerance: Int64, in memory: SlabMemory) {
        guard !sentTimes.contains(sent) else { return }
        let (difference, overflow) = received.subtractingReportingOverflow(sent)
        guard !overflow, abs(difference) <= Self.absurd else { return }
        remember(sent: sent, in: memory)
        guard !differences.isEmpty, abs(difference - offset) > tolerance else {
            dismiss(in: memory)
            remember(difference: difference, in: memory)
            offset = smallestDifference
            return
        }
        guard let first = outlier, let confirmed = provisional, (first > offset) == (difference > offset) else {
            dismiss(in: memory)
            outlier = difference
            provisional = nextID
            nextID += 1
            return
        }
        earlier.append(Earlier(id: setting, offset: offset), limit: Self.settingsKept, in: memory)
        setting = confirmed
        provisional = nil
        outlier = nil
        differences.removeAll()
        for one in [first, difference] { differences.append(one, in: memory) }
        newDifferences = Self.kept
        offset = min(first, difference)
    }

    /// The difference before was a slow upload, no setting of the clock.
    private mutating func dismiss(in memory: SlabMemory) {
        outlier = nil
        guard let id = provisional else { return }
        provisional = nil
        dismissed.append(Dismissed(id: id, setting: setting), limit: Self.settingsKept, in: memory)
    }

    mutating func remember(sent time: Int64, in memory: SlabMemory) {
        sentTimes.append(time, limit: Self.kept, in: memory)
        newSent += 1
    }

    /// ms; 0 where there is none.
    var smallestDifference: Int64 {
        var least = differences.first ?? 0
        for index in differences.indices { least = min(least, differences[index]) }
        return least
    }

    mutating func remember(difference: Int64, in memory: SlabMemory) {
        differences.append(difference, limit: Self.kept, in: memory)
        newDifferences += 1
    }
}
