/// Something that should not have happened, counted per window and group, once per occurrence.
@usableFromInline package enum Anomaly: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case clockRegression
    case duplicateEvent
    case futureClock
    case illegalTransition
    case inactiveFlapping
    case lateEvent
    case missingEvent
    case outOfOrder
    case overlayLeaked
    case resourceLeak
    case sequenceGap
    case slowLaunch
    case slowResign
    case slowResume
    case splitKey
    case stuckInactive
    case uncleanExit
    case unprotectedInactive
    case viewInBackground
    case viewReloaded
    case viewUnbalanced

    /// The code under which it stands in records; the cases are declared in the order of these codes.
    package var code: String {
        switch self {
        case .clockRegression: "clock_regression"
        case .duplicateEvent: "duplicate_event"
        case .futureClock: "future_clock"
        case .illegalTransition: "illegal_transition"
        case .inactiveFlapping: "inactive_flapping"
        case .lateEvent: "late_event"
        case .missingEvent: "missing_event"
        case .outOfOrder: "out_of_order"
        case .overlayLeaked: "overlay_leaked"
        case .resourceLeak: "resource_leak"
        case .sequenceGap: "sequence_gap"
        case .slowLaunch: "slow_launch"
        case .slowResign: "slow_resign"
        case .slowResume: "slow_resume"
        case .splitKey: "split_key"
        case .stuckInactive: "stuck_inactive"
        case .uncleanExit: "unclean_exit"
        case .unprotectedInactive: "unprotected_inactive"
        case .viewInBackground: "view_in_background"
        case .viewReloaded: "view_reloaded"
        case .viewUnbalanced: "view_unbalanced"
        }
    }
}
