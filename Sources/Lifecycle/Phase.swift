/// The app-level state of an installation, as derived from its edges.
///
/// iOS has no callback for its suspended state: it is part of ``background`` until the next edge tells how the
/// process fared.
@usableFromInline package enum Phase: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    /// Nothing is known: never seen, a new process without a launch, or silent for longer than the limit.
    case unknown
    case notRunning
    case inactive
    case active
    case background

    /// The name under which the phase stands in records and pages.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .notRunning: "not_running"
        case .inactive: "inactive"
        case .active: "active"
        case .background: "background"
        }
    }

    /// Whether a person has the app before them, fully or partly.
    @inlinable package var isForeground: Bool { self == .active || self == .inactive }
}
