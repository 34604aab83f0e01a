import Lifecycle

/// When an edge happened, by the clocks of its device, in a form that durations can be taken from later.
struct Moment: BitwiseCopyable, Equatable {
    /// Device wall clock, ms; corrected already where ``setting`` is ``fixed``.
    var time: Int64
    /// Device monotonic clock, µs, or ``Event/absent``.
    var monotonic: Int64
    /// Within what ``monotonic`` may be compared: hash of the boot or, without one, of the process; 0 is nothing.
    var domain: UInt32
    /// Which setting of the device's wall clock ``time`` was read from.
    var setting: UInt32

    /// ``Event/absent``, known to this module at compile time.
    static let absent = Int64.min
    /// The setting of a moment that was folded at its receive time.
    static let fixed = UInt32.max
    /// No moment.
    static let never = Moment(time: Moment.absent, monotonic: Moment.absent, domain: 0, setting: fixed)

    var isKnown: Bool { time != Moment.absent }

    /// Whole ms on the monotonic clock from here to `later`, where both were read from it in one boot.
    func monotonicDistance(to later: Moment) -> Int64? {
        guard monotonic != Moment.absent, later.monotonic != Moment.absent, domain != 0, domain == later.domain
        else { return nil }
        let distance = later.monotonic.subtractingReportingOverflow(monotonic)
        guard !distance.overflow else { return nil }
        // Rounded down, so that a step back of less than 1 ms stays negative.
        return distance.partialValue >= 0 ? distance.partialValue / 1000 : -((999 - distance.partialValue) / 1000)
    }
}

/// An edge that something counts from, and its place among the events of the device.
struct Place: BitwiseCopyable {
    var stamp: Stamp
    var order: Int64
}

/// An edge as it is folded: its moment, and where its contributions go.
struct Stamp: BitwiseCopyable, Equatable {
    var moment: Moment
    /// The moment corrected, ms since the epoch: its window.
    var corrected: Int64
    /// Receive time, ms since the epoch: timers count from it.
    var received: Int64
    /// Id in the lexicon's groups.
    var group: UInt32

    /// What was added to the moment's time, ms.
    var offset: Int64 { corrected &- moment.time }
}
