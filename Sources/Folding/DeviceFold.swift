import Lifecycle

/// Folding one event, in its order, into the state of its installation.
extension Device {
    mutating func fold(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        context.beginEvent()
        if stamp.moment.setting == Moment.fixed { context.count(.futureClock, at: stamp) }
        noteEvent(event, stamp, context)
        let begins = beginsProcess(event, context)
        if event.edge == .exit, begins == .no { return foldExit(event, stamp, context) }
        checkClock(stamp, context)
        settle(stamp, endsProcess: begins != .no, context)
        if begins != .no { beginProcess(event, stamp, context) }
        adoptIdentity(event)
        route(event, stamp, launches: begins == .launch, context)
        noteLast(stamp, context)
    }

    @inline(__always)
    mutating func noteLast(_ stamp: Stamp, _ context: FoldContext) {
        context.store[cold]?.lastOffset = stamp.offset
        last = stamp.moment
        lastReceived = stamp.received
        lastGroup = stamp.group
    }

    @inline(__always)
    private func noteEvent(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        context.counts.folded += 1
        let isKnown = event.edge != .unknown
        if !isKnown { context.counts.other += 1 }
        context.emit(
            isKnown ? .event : .otherEvent, value: stamp.received, at: stamp, installation: key.low)
    }

    @inline(__always)
    private mutating func checkClock(_ stamp: Stamp, _ context: FoldContext) {
        guard last.isKnown else { return }
        let back =
            last.setting != Moment.fixed && stamp.moment.setting != Moment.fixed
            ? last.time - stamp.moment.time
            : corrected(last, context) - stamp.corrected
        guard back > context.limits.clockRegressionAfter else { return }
        context.countRegression(from: last, to: stamp)
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
            if another || state == .notRunning { return .launch }
            let isFresh = state == .unknown && !flags.contains(.phaseSeen)
            let knowsActivities = context.store[cold].map { !$0.activities.isEmpty } ?? false
            return isFresh && !knowsActivities ? .launch : .no
        case .exit:
            // The report of a process that is not known yet; of a known one it tells the end.
            guard another, !event.flags.contains(.namesItsProcess) else { return .no }
            return isSucceededProcess(event, context) ? .no : .process
        default:
            return another ? .process : .no
        }
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
    @inline(__always)
    func duration(from first: Moment, to second: Moment, _ context: FoldContext) -> Int64 {
        if let distance = first.monotonicDistance(to: second) { return distance }
        if isSameSetting(first, second, context) { return second.time &- first.time }
        return corrected(second, context) &- corrected(first, context)
    }

    /// The duration where it may be counted; else counts why it may not.
    ///
    /// - Parameter isBackground: over `duration.max` it is dropped without a word.
    @inline(__always)
    mutating func countable(
        from first: Moment, to second: Stamp, isBackground: Bool = false, _ context: FoldContext
    ) -> Int64? {
        let length = duration(from: first, to: second.moment, context)
        if length >= 0, length <= context.limits.durationMax { return length }
        if length < 0 || !isBackground { context.countRegression(from: first, to: second) }
        return nil
    }

    /// The last event, as an end for what nobody reported the end of.
    mutating func lastStamp(_ context: FoldContext) -> Stamp {
        let corrected = last.time &+ (context.store[cold]?.lastOffset ?? 0)
        return Stamp(moment: last, corrected: corrected, received: lastReceived, group: lastGroup)
    }
}
