import Lifecycle

/// The app machine: phases, their intervals, and the latencies between them.
extension Device {
    // MARK: Edges of the app

    @inline(__always)
    mutating func foldAppEdge(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        guard var edge = Device.phaseEdge(event.edge) else { return }
        if event.flags.contains(.bridged) {
            guard !flags.contains(.native), let meant = meaning(ofState: edge) else { return }
            edge = meant
        } else {
            flags.insert(.native)
        }
        if edge == .enterForeground { flags.insert(.sentForeground) }
        if edge != .terminate, !flags.isDisjoint(with: [.scenesRule, .activitiesRule]) {
            return foldEcho(edge, stamp, context)
        }
        checkHandler(event, edge, stamp, context)
        if edge == .terminate {
            settleGraces(.edge(stamp.moment, endsProcess: true), context)
        }
        let fromProcess = event.edge == .processBackground
        apply(edge, stamp, reason: event.reason, knowsNoInactive: fromProcess, context)
    }

    @inline(__always)
    static func phaseEdge(_ edge: Edge) -> PhaseEdge? {
        switch edge {
        case .enterForeground: .enterForeground
        case .activate, .processForeground: .activate
        case .resign: .resign
        case .enterBackground, .processBackground: .enterBackground
        case .terminate: .terminate
        default: nil
        }
    }

    /// The edge that a bridged state stands for now; nil where it repeats the phase.
    private mutating func meaning(ofState value: PhaseEdge) -> PhaseEdge? {
        let isUndecided = state == .launching
        return TransitionTable.edge(
            of: value, in: isUndecided ? .unknown : phase, launched: isUndecided || flags.contains(.launchSeen))
    }

    /// Counts an app's own handler that took too long.
    @inline(__always)
    mutating func checkHandler(
        _ event: borrowing Event, _ edge: PhaseEdge, _ stamp: Stamp, _ context: FoldContext
    ) {
        guard edge == .resign || edge == .enterBackground, event.handler != Moment.absent,
            event.handler > context.limits.slowResignAfter * 1000
        else { return }
        context.count(.slowResign, at: stamp)
    }

    /// Folds a phase edge of the app itself.
    ///
    /// - Parameter knowsNoInactive: the source has no word for inactive, so nothing is missing before its background.
    @inline(__always)
    mutating func apply(
        _ edge: PhaseEdge, _ stamp: Stamp, reason: UInt32, knowsNoInactive: Bool = false,
        _ context: FoldContext
    ) {
        decideLaunch(edge, stamp, context)
        if edge == .terminate, state == .notRunning {
            if isTerminated { context.count(.illegalTransition, at: stamp) }
            return
        }
        let isOpen = state == .launching || state == .notRunning && flags.contains(.ended)
        var verdict = isOpen ? .legal : TransitionTable.verdict(phase, edge)
        switch verdict {
        case .missing where knowsNoInactive:
            verdict = .legal
        case .missingIfAnnounced:
            verdict = flags.contains(.sentForeground) && !isQuickReturn(stamp, context) ? .missing : .legal
        case .illegalUnlessFirst:
            verdict = flags.contains(.freshBackground) ? .legal : .illegal
        default:
            break
        }
        move(edge, verdict, stamp, reason: reason, context)
    }

    /// The app was left so shortly before that nobody had to announce the way back.
    private mutating func isQuickReturn(_ stamp: Stamp, _ context: FoldContext) -> Bool {
        began == .enterBackground && !flags.contains(.latencyOpen)
            && duration(from: .latencyFrom, to: stamp.moment, context) <= context.limits.echoTolerance
    }

    // MARK: Launch

    mutating func openLaunch(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        flags.insert([.launchSeen, .freshBackground, .exitExpected])
        if event.flags.contains(.prewarm) { flags.insert(.prewarmed) }
        if event.sequence != Moment.absent {
            launchBefore = lastLaunch
            lastLaunch = Device.launchHash(event)
        }
        state = .launching
        launch = flags.contains(.prewarmed) ? .warm : .cold
        set(.latencyFrom, stamp.moment, context)
        begin(stamp, .launch, reason: event.reason, context)
        if let held = coldState(context), !held.resources.isEmpty {
            held.graces.backgrounded = Place(stamp: stamp, order: context.order)
        }
    }

    /// Decides by the first phase edge after a launch what the time since the launch was.
    @inline(__always)
    mutating func decideLaunch(_ edge: PhaseEdge, _ stamp: Stamp, _ context: FoldContext) {
        guard state == .launching else { return }
        let isSoon = duration(from: .since, to: stamp.moment, context) <= context.limits.launchBackgroundGap
        switch edge {
        case .enterForeground where isSoon:
            // The way from the launch to here belongs to the launch.
            leaveUndecided(context)
        case .activate where isSoon, .resign where isSoon:
            state = .inactive
            context.count(.foregrounds, at: stamp)
            coldState(context)?.echoes.decideLaunch(as: .inactive)
            leaveUndecided(context)
        default:
            launchIntoBackground(context)
        }
    }

    /// The launch led to the foreground.
    private mutating func leaveUndecided(_ context: FoldContext) {
        guard let held = coldState(context) else { return }
        if held.hasGraces { held.graces.backgrounded = nil }
        decideViews(held, isForeground: true, context)
    }

    /// The process was launched into the background: what it opens later is warm.
    mutating func launchIntoBackground(_ context: FoldContext) {
        state = .background
        launch = .warm
        flags.remove(.latencyOpen)
        guard let held = coldState(context) else { return }
        held.echoes.decideLaunch(as: .background)
        decideViews(held, isForeground: false, context)
    }

    // MARK: Moving

    /// Goes to the phase that an edge implies, closing what ends there and opening what begins.
    @inline(__always)
    mutating func move(
        _ edge: PhaseEdge, _ verdict: Verdict, _ stamp: Stamp, reason: UInt32, _ context: FoldContext
    ) {
        if verdict == .illegal { context.count(.illegalTransition, at: stamp) }
        if verdict == .missing { context.count(.missingEvent, at: stamp) }
        // One that repeats the edge which opened the phase is only counted.
        if verdict == .illegal, began == Began(edge) { return }
        enter(edge, isObserved: verdict == .legal, isIllegal: verdict == .illegal, stamp, reason: reason, context)
    }

    /// As ``move(_:_:_:reason:_:)``, without counting the edge itself.
    mutating func enter(
        _ edge: PhaseEdge, isObserved: Bool, isIllegal: Bool, _ stamp: Stamp, reason: UInt32,
        _ context: FoldContext
    ) {
        let isFirstBackground = state == .background && edge == .enterBackground && isObserved
        flags.remove(.freshBackground)
        flags.insert(.phaseSeen)
        flags.remove(.silentInForeground)
        let opens = Began(edge)
        if isFirstBackground {
            began = opens
            set(.latencyFrom, stamp.moment, context)
            return
        }
        if isIllegal { forgetOpenings(context) }
        let old = state
        if edge != .terminate { flags.remove(.ended) }
        closePhase(stamp, at: stamp, edge, isObserved: isObserved, reason: reason, context)
        countEntries(from: old, to: edge.phase, stamp, context)
        switch edge {
        case .enterForeground, .resign: state = .inactive
        case .activate: state = .active
        case .enterBackground: state = .background
        case .terminate: state = .notRunning
        }
        before = old
        begin(stamp, opens, reason: reason, context)
        if !flags.isDisjoint(with: [.scenesRule, .activitiesRule]) {
            noteSpan(state, from: stamp.moment, context)
        }
        follow(edge, from: old, stamp, context)
    }

    /// No latency is open any more.
    mutating func forgetOpenings(_ context: FoldContext) {
        launch = .none
        flags.remove(.latencyOpen)
        if let held = coldState(context), held.hasGraces { held.graces.creations.removeAll() }
    }

    @inline(__always)
    private mutating func begin(
        _ stamp: Stamp, _ began: Began, reason: UInt32, _ context: FoldContext
    ) {
        coldState(context)?.sinceOffset = stamp.offset
        set(.since, stamp.moment, context)
        sinceReceived = stamp.received
        sinceGroup = stamp.group
        self.reason = reason
        self.began = began
        flags.remove(.stuckCounted)
        if flags.contains(.overlayUp) { flags.insert(.overlaySeen) } else { flags.remove(.overlaySeen) }
    }

    @inline(__always)
    private mutating func countEntries(
        from old: State, to new: Phase, _ stamp: Stamp, _ context: FoldContext
    ) {
        let wasForeground = old == .active || old == .inactive
        if new.isForeground, old == .background || old == .notRunning || old == .launching {
            context.count(.foregrounds, at: stamp)
        } else if new == .background, wasForeground {
            context.count(.backgrounds, at: stamp)
        }
    }

    /// What else an edge does once the phase is entered.
    @inline(__always)
    private mutating func follow(
        _ edge: PhaseEdge, from old: State, _ stamp: Stamp, _ context: FoldContext
    ) {
        if old == .active, edge != .activate { leaveActive(edge, stamp, context) }
        if old == .background, edge == .activate || edge == .resign || edge == .enterForeground {
            if let held = coldState(context), held.hasGraces { held.graces.backgrounded = nil }
            reopenViews(stamp, context)
        }
        switch edge {
        case .enterForeground:
            openEntry(from: old, stamp, context)
        case .activate:
            endLatency(stamp, context)
            becomeActive(stamp, context)
        case .resign:
            break
        case .enterBackground:
            guard old != .background else { return }
            if launch == .cold { launch = .none }
            flags.remove(.latencyOpen)
            set(.latencyFrom, stamp.moment, context)
            enterBackground(stamp, context)
        case .terminate:
            context.count(.terminations, at: stamp)
            countBackgroundLaunch(stamp, context)
            closeViews(stamp, context)
            coldState(context)?.forgetScreens()
            launch = .none
            flags.remove(.latencyOpen)
        }
    }

    // MARK: Latencies

    /// An entry into the foreground opens the latency of a resume or of a warm launch.
    @inline(__always)
    private mutating func openEntry(from old: State, _ stamp: Stamp, _ context: FoldContext) {
        guard old == .background || old == .launching, launch != .cold else { return }
        set(.latencyFrom, stamp.moment, context)
        flags.insert(.latencyOpen)
    }

    @inline(__always)
    private mutating func endLatency(_ stamp: Stamp, _ context: FoldContext) {
        if launch != .cold, let creation = coldState(context)?.graces.creations.last {
            launch = .warm
            set(.latencyFrom, creation.moment, context)
            flags.insert(.latencyOpen)
        }
        switch launch {
        case .cold:
            context.count(.launchesCold, at: stamp)
            endLaunch(.launchCold, over: context.limits.slowLaunchColdAfter, stamp, context)
        case .warm:
            context.count(.launchesWarm, at: stamp)
            if flags.contains(.latencyOpen) {
                endLaunch(.launchWarm, over: context.limits.slowLaunchWarmAfter, stamp, context)
            }
        case .none:
            if flags.contains(.latencyOpen) { endResume(stamp, context) }
        }
        forgetOpenings(context)
        flags.insert(.wasActive)
    }

    @inline(__always)
    private mutating func endLaunch(_ latency: Latency, over limit: Int64, _ stamp: Stamp, _ context: FoldContext) {
        guard let length = countable(from: .latencyFrom, to: stamp, at: stamp, context) else { return }
        context.emit(.latency(latency), value: length, at: stamp)
        if length > limit { context.count(.slowLaunch, at: stamp) }
    }

    @inline(__always)
    private mutating func endResume(_ stamp: Stamp, _ context: FoldContext) {
        guard let length = countable(from: .latencyFrom, to: stamp, at: stamp, context) else { return }
        guard length <= context.limits.resumeDiscard else { return context.count(.resumeDiscarded, at: stamp) }
        context.emit(.latency(.resume), value: length, at: stamp)
        if length > context.limits.slowResumeAfter { context.count(.slowResume, at: stamp) }
    }
}

extension Device.Began {
    init(_ edge: PhaseEdge) {
        switch edge {
        case .enterForeground: self = .enterForeground
        case .activate: self = .activate
        case .resign: self = .resign
        case .enterBackground: self = .enterBackground
        case .terminate: self = .nothing
        }
    }
}
