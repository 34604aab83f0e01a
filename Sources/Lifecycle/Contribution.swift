/// One thing that an event adds to the figures of its window and group: what folding gives and aggregating takes.
@usableFromInline package struct Contribution: BitwiseCopyable, Sendable {
    /// The moment whose window takes it, ms since the epoch.
    @usableFromInline package var time: Int64
    /// A duration in ms, or how many; for ``Kind/event`` the receive time in ms, whose window counts it where that
    /// of ``time`` is final.
    @usableFromInline package var value: Int64
    /// Stream time of the partition when it was made, ms since the epoch: windows that are final by then drop it.
    @usableFromInline package var stream: Int64
    /// ``InstallationKey/low`` of whose it is, for the number of devices.
    @usableFromInline package var installation: UInt64
    /// Id in ``Lexicon/groups``.
    @usableFromInline package var group: UInt32
    /// Id in ``Lexicon/texts``: the reason of an inactive interval or of an exit.
    @usableFromInline package var text: UInt32
    @usableFromInline package var kind: Kind

    @usableFromInline package enum Kind: BitwiseCopyable, Sendable, Hashable {
        /// A folded event with a known name: `events`, and the installation in `devices`.
        case event
        /// A folded event with an unknown name: `events_other`, and the installation in `devices`.
        case otherEvent
        /// An event that came too late to be folded: `late_events` and the anomaly; ``value`` as for ``event``.
        case lateEvent
        /// `value` more of a plain count.
        case count(Counter)
        /// An observed inactive interval of `value` ms; ``Contribution/text`` is its reason.
        case inactive(InactiveClass)
        /// A latency of `value` ms.
        case latency(Latency)
        /// An observed interval of `value` ms.
        case interval(IntervalKind)
        /// An interval of `value` ms whose end was assumed.
        case inferred(Phase)
        /// `value` more of an anomaly.
        case anomaly(Anomaly)
        /// One exit; ``Contribution/text`` is its reason.
        case exit
    }

    @inlinable
    package init(
        _ kind: Kind, value: Int64 = 1, time: Int64, stream: Int64, group: UInt32, text: UInt32 = 0,
        installation: UInt64 = 0
    ) {
        self.time = time
        self.value = value
        self.stream = stream
        self.installation = installation
        self.group = group
        self.text = text
        self.kind = kind
    }
}

/// The plain counts of a record, in its order.
@usableFromInline package enum Counter: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case launchesCold
    case launchesWarm
    case backgroundLaunches
    case foregrounds
    case backgrounds
    case terminations
    case backgroundExits
    case handovers
    case recreates
    case cancelledTransitions
    case resumeDiscarded

    /// The field's name in records.
    package var name: String {
        switch self {
        case .launchesCold: "launches_cold"
        case .launchesWarm: "launches_warm"
        case .backgroundLaunches: "background_launches"
        case .foregrounds: "foregrounds"
        case .backgrounds: "backgrounds"
        case .terminations: "terminations"
        case .backgroundExits: "background_exits"
        case .handovers: "handovers"
        case .recreates: "recreates"
        case .cancelledTransitions: "cancelled_transitions"
        case .resumeDiscarded: "resume_discarded"
        }
    }
}

/// How an observed inactive interval began and ended.
@usableFromInline package enum InactiveClass: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case aborted
    case arrival
    case departure
    case interruption

    package var name: String {
        switch self {
        case .aborted: "aborted"
        case .arrival: "arrival"
        case .departure: "departure"
        case .interruption: "interruption"
        }
    }
}

/// The latencies that are measured, each a histogram.
@usableFromInline package enum Latency: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case resume
    case launchCold
    case launchWarm
    case viewLoad

    package var name: String {
        switch self {
        case .resume: "resume"
        case .launchCold: "launch_cold"
        case .launchWarm: "launch_warm"
        case .viewLoad: "view_load"
        }
    }
}

/// The intervals of which count and sum are kept.
@usableFromInline package enum IntervalKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case active
    case background
    case viewVisible

    package var name: String {
        switch self {
        case .active: "active"
        case .background: "background"
        case .viewVisible: "view_visible"
        }
    }
}
