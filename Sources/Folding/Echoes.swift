import Lifecycle

/// App edges beside scenes or activities, which rule over them: each must agree with the derived phase at some
/// moment near it.
struct Echoes {
    struct Echo {
        var stamp: Stamp
        var phase: Phase
        /// Place among the events of the device; see ``FoldContext/order``.
        var order: Int64
    }

    struct Span {
        var state: Device.State
        /// When it began; nil where that is of no matter.
        var start: Moment?
        /// Place of the event that began it.
        var order: Int64
    }

    /// Those that are not judged yet; at most ``limit``.
    var pending: [Echo] = []
    /// The last phases, the newest last; at most ``limit``.
    var spans: [Span] = []

    /// Those at the end that the checkpoint has not been told of, or all.
    var newSpans = Echoes.limit
    /// The first of them stands for one that it was told of.
    var retellsSpan = false

    static let limit = 32

    mutating func note(_ state: Device.State, from start: Moment?, order: Int64) {
        note(Span(state: state, start: start, order: order))
    }

    mutating func note(_ span: Span) {
        if spans.count == Self.limit { spans.removeFirst() }
        spans.append(span)
        newSpans += 1
    }

    /// What an undecided launch has come to.
    mutating func decideLaunch(as state: Device.State) {
        guard let last = spans.indices.last, spans[last].state == .launching else { return }
        spans[last].state = state
        if newSpans == 0 { (newSpans, retellsSpan) = (1, true) }
    }
}

extension Device {
    /// From now on scenes or activities tell the phase, and app edges are echoes.
    mutating func letRule(_ rule: Flags, _ held: Cold) {
        guard !flags.contains(rule) else { return }
        if flags.isDisjoint(with: [.scenesRule, .activitiesRule]) {
            held.echoes = Echoes()
            held.echoes.note(before, from: nil, order: 0)
            held.echoes.note(state, from: since.isKnown ? since : nil, order: 0)
        }
        flags.insert(rule)
    }

    mutating func foldEcho(_ edge: PhaseEdge, _ stamp: Stamp, _ context: FoldContext) {
        // A phase that is not known contradicts nothing; what a launch has come to is not known yet.
        if state != .launching, state == .unknown || phase == edge.phase { return }
        let held = makeCold(context)
        held.echoes.pending.append(Echoes.Echo(stamp: stamp, phase: edge.phase, order: context.order))
        if held.echoes.pending.count > Echoes.limit { judge(held.echoes.pending.removeFirst(), held, context) }
    }

    /// Counts the echoes that nothing near them has agreed with.
    mutating func settleEchoes(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        guard !held.echoes.pending.isEmpty else { return }
        let tolerance = context.limits.echoTolerance
        let all = held.echoes.pending
        held.echoes.pending.removeAll()
        for echo in all {
            if clock.endsProcess || isOver(echo.stamp, tolerance, clock, context) {
                judge(echo, held, context)
            } else {
                held.echoes.pending.append(echo)
            }
        }
    }

    private func judge(_ echo: Echoes.Echo, _ held: Cold, _ context: FoldContext) {
        let spans = held.echoes.spans
        for (index, span) in spans.enumerated() where Device.agrees(span.state, with: echo.phase) {
            let hasBegun = span.order < echo.order || isNear(span.start, echo, context)
            let next = index + 1 < spans.count ? spans[index + 1] : nil
            if hasBegun, next.map({ $0.order > echo.order || isNear($0.start, echo, context) }) ?? true { return }
        }
        context.count(.illegalTransition, at: echo.stamp)
    }

    private static func agrees(_ state: State, with phase: Phase) -> Bool {
        switch state {
        case .unknown: true
        case .launching: phase != .active
        case .notRunning: phase == .notRunning
        case .inactive: phase == .inactive
        case .active: phase == .active
        case .background: phase == .background
        }
    }

    private func isNear(_ start: Moment?, _ echo: Echoes.Echo, _ context: FoldContext) -> Bool {
        guard let start else { return false }
        return abs(duration(from: start, to: echo.stamp.moment, context)) <= context.limits.echoTolerance
    }
}
