import Lifecycle

/// Folding one event, in its order, into the state of its installation.
extension Device {
    mutating func fold(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        context.beginEvent()
        if stamp.moment.setting == Moment.fixed { context.count(.futureClock, at: stamp) }
        noteEvent(event, stamp, context)
        noteSighting(stamp, context)
        let begins = beginsProcess(event, context)
        if event.edge == .exit, begins == .no { return foldExit(event, stamp, context) }
        if event.edge != .exit { checkClock(event, stamp, context) }
        let isNative = !event.flags.contains(.bridged)
        let ends = begins != .no ? true : event.edge == .terminate ? isNative : false
        settle(stamp, endsProcess: ends, context)
        if begins != .no { beginProcess(event, stamp, context) }
        adoptIdentity(event)
        route(event, stamp, launches: begins == .launch, context)
        if event.edge != .exit { noteLast(event, stamp, context) }
    }

    @inline(__always)
    private mutating func noteLast(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        coldState(context)?.lastOffset = stamp.offset
        flags.subtract([.toldApart, .toldByGrace, .stepCounted])
        let told = event.time
        if told != stamp.moment.time || context.steppedFrom.isKnown { noteClock(told, stamp, context) }
        set(.last, stamp.moment, context)
        lastReceived = stamp.received
        lastGroup = stamp.group
    }

    /// What the device's clock was like at the last event, where that is out of the ordinary.
    @inline(never)
    private mutating func noteClock(_ told: Int64, _ stamp: Stamp, _ context: FoldContext) {
        if told == stamp.moment.time &+ context.limits.androidBackgroundGrace {
            flags.insert(.toldByGrace)
        } else if told != stamp.moment.time {
            makeCold(context).rare.lastTold = told
            flags.insert(.toldApart)
        }
        if context.steppedFrom.isKnown {
            makeCold(context).rare.steppedFrom = context.steppedFrom
            flags.insert(.stepCounted)
        }
    }

    /// Device time of the last event as its source told it, ms.
    @inline(__always)
    func lastTold(_ context: FoldContext) -> Int64 {
        if flags.isDisjoint(with: [.toldApart, .toldByGrace]) { return lastTime }
        if flags.contains(.toldByGrace) { return lastTime &+ context.limits.androidBackgroundGrace }
        return coldState(context)?.rare.lastTold ?? lastTime
    }

    @inline(__always)
    private func noteEvent(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        context.counts.folded += 1
        context.order = 0
        if let held = coldState(context) {
            held.events += 1
            context.order = held.events
        }
        let isKnown = event.edge != .unknown
        if !isKnown { context.counts.other += 1 }
        context.emit(
            isKnown ? .event : .otherEvent, value: stamp.received, at: stamp, installation: key.low)
    }

    @inline(__always)
    private mutating func checkClock(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        guard knowsLast else { return }
        guard lastTold(context) &- event.time > context.limits.clockRegressionAfter else { return }
        context.steppedFrom = moment(.last, context)
        context.countRegression(from: context.steppedFrom, at: stamp)
    }

    @inline(__always)
    private func noteSighting(_ stamp: Stamp, _ context: FoldContext) {
        if lastReceived != Moment.absent, stamp.received / Sighting.span == lastReceived / Sighting.span { return }
        context.sightings.append(
            Sighting(
                installation: key.low, received: stamp.received, time: stamp.corrected, group: stamp.group))
    }

    enum Beginning {
        case no
        case process
        case launch
    }

    /// Whether a process begins with the event, and whether as a launch.
    @inline(__always)
    private mutating func beginsProcess(_ event: borrowing Event, _ context: FoldContext) -> Beginning {
        let another = namesAnother(event)
        switch event.edge {
        case .launch:
            return .launch
        case .activityCreate:
            // The first create of a process is its launch, unless a launch or an older phase of it was seen.
            if another { return .launch }
            if state == .notRunning { return coldState(context)?.graces.stop == nil ? .launch : .no }
            return state == .unknown && flags.isDisjoint(with: [.phaseSeen, .activitiesRule]) ? .launch : .no
        case .exit:
            // The report of a process that is not known yet; of a known one it tells the end.
            guard another, !event.flags.contains(.namesItsProcess) else { return .no }
            return isSucceededProcess(event, context) ? .no : .process
        default:
            return another ? .process : .no
        }
    }

    /// A first id names a process that had none.
    mutating func nameProcess(_ event: borrowing Event) {
        if process == 0 { process = Device.shortHash(event.process) }
        if boot == 0 { boot = Device.shortHash(event.boot) }
    }

    @inline(__always)
    mutating func adoptIdentity(_ event: borrowing Event) {
        if event.process != 0 { process = Device.shortHash(event.process) }
        if event.boot != 0 { boot = Device.shortHash(event.boot) }
    }

    private mutating func route(
        _ event: borrowing Event, _ stamp: Stamp, launches: Bool, _ context: FoldContext
    ) {
        switch event.edge {
        case .launch:
            openLaunch(event, stamp, context)
        case .enterForeground, .activate, .resign, .enterBackground, .terminate, .processForeground,
            .processBackground:
            foldAppEdge(event, stamp, context)
        case .sceneConnect, .sceneEnterForeground, .sceneActivate, .sceneResign, .sceneEnterBackground,
            .sceneDisconnect, .sceneIsActive, .sceneIsInactive, .sceneIsBackground:
            foldScene(event, stamp, context)
        case .activityCreate, .activityStart, .activityRestart, .activityResume, .activityPause, .activityStop,
            .activityDestroy, .activityTopResumed, .activityTopLost:
            if launches { openLaunch(event, stamp, context) }
            foldActivity(event, stamp, launches: launches, context)
        case .viewLoadView, .viewDidLoad, .viewWillAppear, .viewIsAppearing, .viewDidAppear, .viewWillDisappear,
            .viewDidDisappear, .viewDeinit:
            foldView(event, stamp, context)
        case .resourceStart, .resourceStop:
            foldResource(event, stamp, context)
        case .overlayShown, .overlayHidden:
            foldOverlay(event, stamp, context)
        case .exit:
            foldExit(event, stamp, context)
        case .heartbeat, .unknown, .tick:
            break
        }
    }
}

// MARK: - Durations

extension Device {
    /// Whole ms between two moments, by the monotonic clock where both have it, else by the corrected wall clock.
    ///
    /// Mutating, as what follows: so the state is passed on where it stands, and not copied for it.
    @inline(__always)
    mutating func duration(from first: Moment, to second: Moment, _ context: FoldContext) -> Int64 {
        first.monotonicDistance(to: second) ?? wallDuration(from: first, to: second, context)
    }

    @inline(never)
    private mutating func wallDuration(from first: Moment, to second: Moment, _ context: FoldContext) -> Int64 {
        if isSameSetting(first, second, context) { return second.time &- first.time }
        return corrected(second, context) &- corrected(first, context)
    }

    /// The same from a moment of the state: mostly of clocks that tell their time alone and were never set.
    @inline(__always)
    mutating func duration(from mark: Mark, to second: Moment, _ context: FoldContext) -> Int64 {
        let time = time(of: mark)
        if clocks == Self.noClocks, second.setting == 0, time != Moment.absent { return second.time &- time }
        return clockedDuration(from: mark, at: time, to: second, context)
    }

    @inline(never)
    private mutating func clockedDuration(
        from mark: Mark, at time: Int64, to second: Moment, _ context: FoldContext
    ) -> Int64 {
        let first = Moment(time, clocks == Self.noClocks ? .usual(at: time) : context.clocks[clocks][mark])
        return first.monotonicDistance(to: second) ?? wallDuration(from: first, to: second, context)
    }

    /// The duration where it may be counted; else counts why it may not.
    ///
    /// - Parameter limit: ms; that of intervals and latencies where nil.
    mutating func countable(
        from first: Moment, to second: Stamp, limit: Int64? = nil, _ context: FoldContext
    ) -> Int64? {
        let length = duration(from: first, to: second.moment, context)
        if length >= 0, length <= limit ?? context.limits.durationMax { return length }
        countRegression(from: first, to: second, at: second, context)
        return nil
    }

    /// The same from a moment of the state.
    ///
    /// - Parameters:
    ///   - place: the edge to whose window and group it belongs.
    ///   - isBackground: over the limit it is dropped without a word.
    @inline(__always)
    mutating func countable(
        from mark: Mark, to second: Stamp, at place: Stamp, isBackground: Bool = false, _ context: FoldContext
    ) -> Int64? {
        let length = duration(from: mark, to: second.moment, context)
        return mayCount(length, from: mark, to: second, at: place, isBackground: isBackground, context) ? length : nil
    }

    /// Whether a duration may be counted; else counts why it may not.
    @inline(__always)
    mutating func mayCount(
        _ length: Int64, from mark: Mark, to second: Stamp, at place: Stamp, isBackground: Bool = false,
        _ context: FoldContext
    ) -> Bool {
        if length >= 0, length <= context.limits.durationMax { return true }
        if length < 0 || !isBackground {
            countRegression(from: moment(mark, context), to: second, at: place, context)
        }
        return false
    }

    /// Counts a duration that was dropped, unless the step of the clock between the two has been counted already.
    @inline(never)
    private mutating func countRegression(
        from first: Moment, to second: Stamp, at place: Stamp, _ context: FoldContext
    ) {
        let isCounted = flags.contains(.stepCounted) && second.moment == moment(.last, context)
        if isCounted, coldState(context)?.rare.steppedFrom == first { return }
        context.countRegression(from: first, at: place)
    }

    /// The last event, as an end for what nobody reported the end of.
    mutating func lastStamp(_ context: FoldContext) -> Stamp {
        let corrected = lastTime &+ (coldState(context)?.lastOffset ?? 0)
        return Stamp(moment: moment(.last, context), corrected: corrected, received: lastReceived, group: lastGroup)
    }
}
