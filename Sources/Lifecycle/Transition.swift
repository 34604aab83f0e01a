/// An edge that may change the phase of an app or of one of its scenes, whatever source told it.
@usableFromInline package enum PhaseEdge: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case enterForeground
    case activate
    case resign
    case enterBackground
    case terminate

    /// The phase that the edge implies.
    package var phase: Phase {
        switch self {
        case .enterForeground, .resign: .inactive
        case .activate: .active
        case .enterBackground: .background
        case .terminate: .notRunning
        }
    }

    package var name: String {
        switch self {
        case .enterForeground: "enter_foreground"
        case .activate: "activate"
        case .resign: "resign"
        case .enterBackground: "enter_background"
        case .terminate: "terminate"
        }
    }
}

/// What the table says about a pair of phase and edge.
@usableFromInline package enum Verdict: UInt8, BitwiseCopyable, Sendable {
    /// The open interval ends observed.
    case legal
    /// An edge between was not reported: `missing_event`; the open interval ends inferred.
    case missing
    /// `illegal_transition`; the machine resynchronises to the phase that the edge implies.
    case illegal
    /// Legal, unless the source is known to send `enter_foreground`: then that is ``missing``.
    case missingIfAnnounced
    /// Illegal, unless nothing came between it and the launch (or the connection of the scene).
    case illegalUnlessFirst
}

/// The machine of an app and of a scene: every pair of phase and edge, spelled out.
///
/// A launch is no edge of this table: it begins a process from any phase. What the table calls ``Verdict/legal`` in
/// ``Phase/unknown`` was not measured before and is measured from then on.
@usableFromInline package enum TransitionTable {
    package static func verdict(_ phase: Phase, _ edge: PhaseEdge) -> Verdict {
        switch (phase, edge) {
        case (.unknown, .enterForeground): .legal
        case (.unknown, .activate): .legal
        case (.unknown, .resign): .legal
        case (.unknown, .enterBackground): .legal
        case (.unknown, .terminate): .legal

        case (.notRunning, .enterForeground): .illegal
        case (.notRunning, .activate): .illegal
        case (.notRunning, .resign): .illegal
        case (.notRunning, .enterBackground): .illegal
        case (.notRunning, .terminate): .illegal

        case (.inactive, .enterForeground): .illegal
        case (.inactive, .activate): .legal
        case (.inactive, .resign): .illegal
        case (.inactive, .enterBackground): .legal
        case (.inactive, .terminate): .legal

        case (.active, .enterForeground): .illegal
        case (.active, .activate): .illegal
        case (.active, .resign): .legal
        case (.active, .enterBackground): .missing
        case (.active, .terminate): .legal

        case (.background, .enterForeground): .legal
        case (.background, .activate): .missingIfAnnounced
        case (.background, .resign): .illegal
        case (.background, .enterBackground): .illegalUnlessFirst
        case (.background, .terminate): .legal
        }
    }

    /// The edge that a state value (scenePhase, a bridge) stands for in `phase`; nil where it repeats the phase.
    ///
    /// - Parameters:
    ///   - value: the edge named like the value: ``PhaseEdge/activate`` for `active` or `resumed`,
    ///     ``PhaseEdge/resign`` for `inactive`, ``PhaseEdge/enterBackground``, ``PhaseEdge/terminate``.
    ///   - launched: whether a launch was seen before: then a first `inactive` is the way in.
    package static func edge(of value: PhaseEdge, in phase: Phase, launched: Bool) -> PhaseEdge? {
        guard value == .resign else { return value.phase == phase ? nil : value }
        switch phase {
        case .inactive: return nil
        case .active: return .resign
        case .background: return .enterForeground
        case .unknown, .notRunning: return launched ? .enterForeground : .resign
        }
    }
}
