import Lifecycle

/// The state of one installation that every event needs: two cache lines, no references.
///
/// What only some installations have stands beside it: scenes, activities, views, ids to compare, events held back in
/// ``Cold``, what the clocks tell beside times in ``Clocks``.
struct Device: ~Copyable {
    var key: InstallationKey
    /// Times of the ``Mark``s; changed by ``set(_:_:_:)`` alone.
    var sinceTime = Moment.absent
    var lastTime = Moment.absent
    var latencyTime = Moment.absent
    var sinceReceived = Moment.absent
    var lastReceived = Moment.absent
    /// The next number of the process, or ``Event/absent`` before its first.
    var sequenceNext = Moment.absent
    /// Bit k: the number `sequenceNext - 1 - k` was seen.
    var sequenceSeen: UInt64 = 0
    /// Wall clock of the last edge that left Active, ms, for bursts of them.
    var lastResign = Moment.absent
    /// Hashes of the running process and of the boot; 0 where they are not known.
    var process: UInt32 = 0
    var boot: UInt32 = 0
    /// Hashes of the last launches with a number, by which a copy of one is known; 0 where there is none.
    var lastLaunch: UInt32 = 0
    var launchBefore: UInt32 = 0
    var sinceGroup: UInt32 = 0
    var lastGroup: UInt32 = 0
    /// Reason of the edge that began the phase; id in the lexicon's texts.
    var reason: UInt32 = 0
    /// Index of the ``Cold`` state, or ``noCold``.
    var cold = Self.noCold
    /// Index of the ``Clocks``, or ``noClocks``.
    var clocks = Self.noClocks
    /// Tick of the earliest entry in the timer wheel, or 0.
    var timer: UInt32 = 0
    var flags: Flags = .inUse
    /// Bit k: the end of the process k + 1 before the running one was neither reported nor explained.
    var unexplained: UInt16 = 0
    var state = State.unknown
    /// ``before``, ``began`` and ``launch``, in 3, 3 and 2 bits.
    private var course: UInt8 = 0

    static let noCold = UInt32.max
    static let noClocks = UInt32.max

    /// ``cold`` where most events need it.
    var coldIfUsed: UInt32 { flags.contains(.hasCold) ? cold : Self.noCold }

    /// The phase, and the stretch after a launch in which it is not decided yet.
    enum State: UInt8, BitwiseCopyable {
        case unknown
        case notRunning
        /// Launched, and no phase edge since: counts as background for every timer.
        case launching
        case inactive
        case active
        case background
    }

    /// What began the phase.
    enum Began: UInt8, BitwiseCopyable {
        case nothing
        case launch
        case enterForeground
        case activate
        case resign
        case enterBackground
    }

    /// What a launch of the running process has come to.
    enum Launch: UInt8, BitwiseCopyable {
        /// No launch is open: none was seen, or it has been counted or spoilt.
        case none
        /// A launch that is cold if it becomes active from here.
        case cold
        /// Prewarmed, launched into the background, or a new activity of a living process.
        case warm
    }

    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt32
        // Of the installation
        static let sentForeground = Flags(rawValue: 1 << 0)
        static let shownOverlay = Flags(rawValue: 1 << 1)
        static let overlayUp = Flags(rawValue: 1 << 2)
        /// An overlay was up at some moment of the open phase.
        static let overlaySeen = Flags(rawValue: 1 << 3)
        /// Silent since it was in the foreground.
        static let silentInForeground = Flags(rawValue: 1 << 4)
        // Of the running process
        static let launchSeen = Flags(rawValue: 1 << 5)
        static let prewarmed = Flags(rawValue: 1 << 6)
        static let wasActive = Flags(rawValue: 1 << 7)
        static let native = Flags(rawValue: 1 << 8)
        static let scenesRule = Flags(rawValue: 1 << 9)
        static let activitiesRule = Flags(rawValue: 1 << 10)
        /// A phase edge of the process was seen.
        static let phaseSeen = Flags(rawValue: 1 << 11)
        /// The next exit report is about the process before.
        static let exitExpected = Flags(rawValue: 1 << 12)
        /// Nothing but the launch was heard of the process's phases.
        static let freshBackground = Flags(rawValue: 1 << 13)
        // Of the open phase
        static let stuckCounted = Flags(rawValue: 1 << 14)
        static let latencyOpen = Flags(rawValue: 1 << 15)
        /// A burst of flapping has been counted and goes on.
        static let flapping = Flags(rawValue: 1 << 16)
        static let inUse = Flags(rawValue: 1 << 17)
        /// The running process was ended by an exit report, not by a termination: what follows is not illegal.
        static let ended = Flags(rawValue: 1 << 18)
        // Of the checkpoint
        /// Stands in the list of those that changed since the last commit.
        static let changed = Flags(rawValue: 1 << 19)
        /// Written whole within the pass, by the pass's number: in neither, never.
        static let savedEven = Flags(rawValue: 1 << 20)
        static let savedOdd = Flags(rawValue: 1 << 21)
        /// That the launched process was never active has been counted.
        static let launchCounted = Flags(rawValue: 1 << 22)
        /// ``Cold/lastTold`` stands for the time of the last event as its source told it.
        static let toldApart = Flags(rawValue: 1 << 23)
        /// The clock went back to the last event, from ``Cold/steppedFrom``, and that has been counted.
        static let stepCounted = Flags(rawValue: 1 << 24)
        /// There is a ``Cold`` state with more in it than the processes before.
        static let hasCold = Flags(rawValue: 1 << 25)
        /// The last event was told by the grace for backgrounds later than it happened.
        static let toldByGrace = Flags(rawValue: 1 << 26)

        static let ofProcess: Flags = [
            .launchSeen, .prewarmed, .wasActive, .native, .scenesRule, .activitiesRule, .phaseSeen, .exitExpected,
            .freshBackground, .stuckCounted, .latencyOpen, .silentInForeground, .ended, .overlayUp, .overlaySeen,
            .launchCounted,
        ]
    }

    init(_ key: InstallationKey) { self.key = key }

    /// The state before ``state``.
    var before: State {
        @inline(__always) get { State(rawValue: course & 7) ?? .unknown }
        @inline(__always) set { course = course & ~7 | newValue.rawValue }
    }

    var began: Began {
        @inline(__always) get { Began(rawValue: course >> 3 & 7) ?? .nothing }
        @inline(__always) set { course = course & ~(7 << 3) | newValue.rawValue << 3 }
    }

    var launch: Launch {
        @inline(__always) get { Launch(rawValue: course >> 6) ?? .none }
        @inline(__always) set { course = course & 0x3F | newValue.rawValue << 6 }
    }

    var knowsSince: Bool { sinceTime != Moment.absent }
    /// An event was folded.
    var knowsLast: Bool { lastTime != Moment.absent }

    /// The process was terminated: any phase edge of it is illegal from then on.
    var isTerminated: Bool { state == .notRunning && !flags.contains(.ended) }

    var phase: Phase {
        switch state {
        case .unknown: .unknown
        case .notRunning: .notRunning
        case .inactive: .inactive
        case .active: .active
        case .background, .launching: .background
        }
    }
}
