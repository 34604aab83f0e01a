import Lifecycle

/// App edges beside scenes or activities, which rule over them: each must agree with the derived phase at some
/// moment near it.
struct Echoes: ~Copyable {
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
    var pending = Few<Echo>()
    /// The last phases, as far back as echoes may reach, the newest last; at most ``limit``.
    var spans = Few<Span>()

    /// Those at the end that the checkpoint has not been told of, or all.
    var newSpans = UInt8(Echoes.limit)
    /// The first of them stands for one that it was told of.
    var retellsSpan = false

    static let limit = 32

    mutating func note(_ state: Device.State, from start: Moment?, order: Int64, in memory: SlabMemory) {
        note(Span(state: state, start: start, order: order), in: memory)
    }

    mutating func note(_ span: Span, in memory: SlabMemory) {
        spans.append(span, limit: Self.limit, in: memory)
        newSpans = min(newSpans + 1, UInt8(Self.limit))
    }

    /// Forgets the first phase; what is left is told anew.
    mutating func removeFirstSpan() {
        spans.removeFirst()
        newSpans = UInt8(Self.limit)
    }

    @inline(__always)
    func prefetch() { spans.prefetchEnd() }

    mutating func removeAll() {
        pending.removeAll()
        spans.removeAll()
        (newSpans, retellsSpan) = (UInt8(Self.limit), false)
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
    mutating func letRule(_ rule: Flags, _ held: Cold, _ context: FoldContext) {
        guard !flags.contains(rule) else { return }
        if flags.isDisjoint(with: [.scenesRule, .activitiesRule]) {
            held.echoes.removeAll()
            held.echoes.note(before, from: nil, order: 0, in: context.memory)
            held.echoes.note(state, from: knowsSince ? moment(.since, context) : nil, order: 0, in: context.memory)
        }
        flags.insert(rule)
    }

    /// Notes the phase that begins, for echoes to agree with.
    mutating func noteSpan(_ state: State, from start: Moment, _ context: FoldContext) {
        guard let held = coldState(context) else { return }
        if held.echoes.pending.isEmpty {
            // What ended too long before is near to no echo that may come: times that go back by more than the limit
            // tell nothing of when it was.
            let reach = context.limits.echoTolerance + context.limits.clockRegressionAfter
            while held.echoes.spans.count > 1, let end = held.echoes.spans[1].start,
                duration(from: end, to: start, context) > reach
            {
                held.echoes.removeFirstSpan()
            }
        }
        held.echoes.note(state, from: start, order: context.order, in: context.memory)
    }

    mutating func foldEcho(_ edge: PhaseEdge, _ stamp: Stamp, _ context: FoldContext) {
        // A phase that is not known contradicts nothing; what a launch has come to is not known yet.
        if state != .launching, state == .unknown || phase == edge.phase { return }
        let held = makeCold(context)
        held.echoes.pending.append(
            Echoes.Echo(stamp: stamp, phase: edge.phase, order: context.order), in: context.memory)
        if held.echoes.pending.count > Echoes.limit { judge(held.echoes.pending.remove(at: 0), held, context) }
    }

    /// Counts the echoes that nothing near them has agreed with.
    mutating func settleEchoes(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        guard !held.echoes.pending.isEmpty else { return }
        let tolerance = context.limits.echoTolerance
        var index = 0
        while index < held.echoes.pending.count {
            let echo = held.echoes.pending[index]
            guard clock.endsProcess || isOver(echo.stamp, tolerance, clock, context) else {
                index += 1
                continue
            }
            held.echoes.pending.remove(at: index)
            judge(echo, held, context)
        }
    }

    private mutating func judge(_ echo: Echoes.Echo, _ held: Cold, _ context: FoldContext) {
        let count = held.echoes.spans.count
        for index in 0..<count {
            let span = held.echoes.spans[index]
            guard Device.agrees(span.state, with: echo.phase) else { continue }
            let hasBegun = span.order < echo.order || isNear(span.start, echo, context)
            let next = index + 1 < count ? held.echoes.spans[index + 1] : nil
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

    private mutating func isNear(_ start: Moment?, _ echo: Echoes.Echo, _ context: FoldContext) -> Bool {
        guard let start else { return false }
        return abs(duration(from: start, to: echo.stamp.moment, context)) <= context.limits.echoTolerance
    }
}
