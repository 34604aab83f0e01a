import Lifecycle

/// App edges beside scenes or activities, which rule over them: each must agree with the derived phase at some
/// moment near it.
struct Echoes {
    struct Echo {
        var stamp: Stamp
        var phase: Phase
    }

    struct Span {
        var phase: Phase
        /// Corrected time, ms.
        var from: Int64
    }

    /// Those that no phase near them has agreed with yet; at most ``limit``.
    var pending: [Echo] = []
    /// The last phases, the newest last; at most ``limit``.
    var spans: [Span] = []

    static let limit = 8

    mutating func note(_ phase: Phase, from time: Int64) {
        if spans.count == Self.limit { spans.removeFirst() }
        spans.append(Span(phase: phase, from: time))
    }

    /// Whether the phase of an echo was the app's at some moment within `tolerance` ms of it.
    func agrees(_ echo: Echo, tolerance: Int64) -> Bool {
        let time = echo.stamp.corrected
        // A phase that is not known contradicts nothing.
        for (index, span) in spans.enumerated() where span.phase == echo.phase || span.phase == .unknown {
            let end = index + 1 < spans.count ? spans[index + 1].from : Int64.max
            if span.from <= time + tolerance, end >= time - tolerance { return true }
        }
        return false
    }
}

extension Device {
    /// From now on scenes or activities tell the phase, and app edges are echoes.
    mutating func letRule(_ rule: Flags, _ held: Cold) {
        guard !flags.contains(rule) else { return }
        if flags.isDisjoint(with: [.scenesRule, .activitiesRule]) {
            held.echoes.note(state == .launching ? .unknown : phase, from: Int64.min)
        }
        flags.insert(rule)
    }

    mutating func foldEcho(_ edge: PhaseEdge, _ stamp: Stamp, _ context: FoldContext) {
        let echo = Echoes.Echo(stamp: stamp, phase: edge.phase)
        let held = makeCold(context)
        // What is not known yet, or not decided, contradicts nothing that it may come to.
        let isOpen = state == .unknown || state == .launching && edge != .activate
        if isOpen || phase == echo.phase || held.echoes.agrees(echo, tolerance: context.limits.echoTolerance) { return }
        held.echoes.pending.append(echo)
        if held.echoes.pending.count > Echoes.limit {
            context.count(.illegalTransition, at: held.echoes.pending.removeFirst().stamp)
        }
    }

    /// Counts the echoes that nothing near them has agreed with.
    mutating func settleEchoes(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        guard !held.echoes.pending.isEmpty else { return }
        let tolerance = context.limits.echoTolerance
        let all = held.echoes.pending
        held.echoes.pending.removeAll()
        for echo in all where !held.echoes.agrees(echo, tolerance: tolerance) {
            if clock.endsProcess || isOver(echo.stamp, tolerance, clock, context) {
                context.count(.illegalTransition, at: echo.stamp)
            } else {
                held.echoes.pending.append(echo)
            }
        }
    }
}
