import Lifecycle

/// An Android activity of an installation.
struct Activity {
    enum State: UInt8 {
        case created
        case started
        case resumed
        case paused
        case stopped

        var isVisible: Bool { self == .started || self == .resumed || self == .paused }
    }

    /// The instance or, without one, the class.
    var id: UInt64
    var className: UInt64
    var state: State
    /// The source names instances, so oddities can be told.
    var isNamed: Bool
    /// When it was stopped last.
    var stopped: Stamp?
}

/// An activity that was destroyed: one of its class, made in time, is its recreation.
struct Destroyed {
    var className: UInt64
    /// From where the grace counts.
    var stamp: Stamp

    static let limit = 8
}

extension Device {
    /// Folds an edge of an activity: any resumed one makes the app active, any visible one inactive, and without one
    /// it is in the background once the grace of the last stop is over.
    mutating func foldActivity(
        _ event: Event, _ stamp: Stamp, launches: Bool, _ context: FoldContext
    ) {
        if event.flags.contains(.bridged), flags.contains(.native) { return }
        if !event.flags.contains(.bridged) { flags.insert(.native) }
        if event.edge == .activityTopResumed || event.edge == .activityTopLost { return }
        let held = makeCold(context)
        let id = event.instance != 0 ? event.instance : event.className
        let index = held.activities.firstIndex { $0.id == id }
        var activity =
            index.map { held.activities.remove(at: $0) }
            ?? Activity(id: id, className: event.className, state: .created, isNamed: event.instance != 0)
        if event.className != 0 { activity.className = event.className }
        let before = index == nil ? nil : activity.state
        letRule(.activitiesRule, held)
        switch event.edge {
        case .activityCreate:
            activity.state = .created
            create(activity, stamp, held, launches: launches, context)
        case .activityStart, .activityRestart:
            if activity.state != .resumed, activity.state != .paused || before == nil { activity.state = .started }
            start(stamp, held, reason: event.reason, context)
        case .activityResume:
            activity.state = .resumed
            resume(activity, before, stamp, held, reason: event.reason, context)
        case .activityPause:
            checkHandler(event, .resign, stamp, context)
            activity.state = .paused
            pause(activity, before, stamp, held, reason: event.reason, context)
        case .activityStop:
            activity.state = .stopped
            activity.stopped = stamp
            held.graces.stopReason = event.reason
            stop(activity, before, stamp, held, context)
        default:
            return destroy(activity, before, stamp, held, context)
        }
        Instances.append(activity, to: &held.activities, limit: context.limits.instancesLimit)
    }

    private mutating func create(
        _ activity: Activity, _ stamp: Stamp, _ held: Cold, launches: Bool, _ context: FoldContext
    ) {
        if launches { return }
        if recreates(activity, stamp, held, context) { return }
        if state == .launching {
            let length = duration(from: since, to: stamp.moment, context)
            guard length > context.limits.launchBackgroundGap else { return }
            launchIntoBackground(context)
        }
        held.graces.creating = Graces.Creation(activity: activity.id, stamp: stamp)
        if state == .background { openCreation(held) }
    }

    /// A creation in a living process whose app is in the background: a warm launch, if it comes to one.
    private mutating func openCreation(_ held: Cold) {
        guard let creation = held.graces.creating else { return }
        launch = .warm
        openLatency(creation.stamp)
    }

    /// Counts a recreation: no background follows from the stop before it, and no hand-over.
    private mutating func recreates(
        _ activity: Activity, _ stamp: Stamp, _ held: Cold, _ context: FoldContext
    ) -> Bool {
        guard activity.className != 0, state != .background,
            let index = held.graces.destroyed.lastIndex(where: { $0.className == activity.className })
        else { return false }
        let grace = context.limits.androidBackgroundGrace
        let basis = held.graces.destroyed.remove(at: index).stamp
        guard duration(from: basis.moment, to: stamp.moment, context) <= grace else { return false }
        context.count(.recreates, at: stamp)
        held.graces.stop = nil
        held.graces.pause?.isRecreation = true
        return true
    }

    private mutating func start(_ stamp: Stamp, _ held: Cold, reason: UInt32, _ context: FoldContext) {
        held.graces.stop = nil
        held.graces.creating = nil
        guard state != .active, state != .inactive else { return }
        let isIllegal = isTerminated
        if isIllegal { context.count(.illegalTransition, at: stamp) }
        decideLaunch(.enterForeground, stamp, context)
        enter(
            .enterForeground, isObserved: !isIllegal, isIllegal: isIllegal, stamp, reason: reason, context)
    }

    private mutating func resume(
        _ activity: Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        if before == .resumed, activity.isNamed { return context.count(.illegalTransition, at: stamp) }
        held.graces.stop = nil
        held.graces.creating = nil
        if let pause = held.graces.pause {
            let length = duration(from: pause.stamp.moment, to: stamp.moment, context)
            if pause.activity != activity.id, length <= context.limits.androidBackgroundGrace {
                held.graces.pause = nil
                if !pause.isRecreation { context.count(.handovers, at: stamp) }
                return
            }
            commitPause(held, context)
        }
        guard state != .active else { return }
        let isIllegal = isTerminated
        if isIllegal { context.count(.illegalTransition, at: stamp) }
        decideLaunch(.activate, stamp, context)
        enter(.activate, isObserved: !isIllegal, isIllegal: isIllegal, stamp, reason: reason, context)
    }

    private mutating func pause(
        _ activity: Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        let isIllegal = activity.isNamed && (before == .paused || before == .stopped) || isTerminated
        if isIllegal {
            context.count(.illegalTransition, at: stamp)
            guard state == .background || state == .notRunning else { return }
            return enter(.resign, isObserved: false, isIllegal: true, stamp, reason: reason, context)
        }
        if state == .unknown {
            // A pause tells that its activity was resumed; since when is not known.
            state = .active
            began = .activate
            since = .never
            flags.insert([.wasActive, .phaseSeen])
            held.graces.stop = nil
        }
        if state == .background || state == .launching {
            decideLaunch(.activate, stamp, context)
            launch = .none
            flags.remove(.latencyOpen)
            enter(.activate, isObserved: false, isIllegal: false, stamp, reason: 0, context)
            since = .never
        }
        guard state == .active, !held.activities.contains(where: { $0.state == .resumed }) else { return }
        held.graces.pause = Graces.Pause(stamp: stamp, activity: activity.id, reason: reason)
    }

    private mutating func stop(
        _ activity: Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, _ context: FoldContext
    ) {
        let isAnyResumed = held.activities.contains { $0.state == .resumed }
        if before == .resumed {
            if activity.isNamed { context.count(.missingEvent, at: stamp) }
            if state == .active, !isAnyResumed {
                enter(
                    .resign, isObserved: !activity.isNamed, isIllegal: false, stamp, reason: 0, context)
                since = .never
            }
        }
        if before == .stopped || before == .created { return }
        leaveVisible(stamp, held)
    }

    /// Begins the grace after which the app is in the background, where nothing of it is visible any more.
    private mutating func leaveVisible(_ stamp: Stamp, _ held: Cold) {
        guard state == .active || state == .inactive || state == .unknown || state == .launching,
            !held.activities.contains(where: { $0.state.isVisible })
        else { return }
        held.graces.stop = stamp
    }

    private mutating func destroy(
        _ activity: Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, _ context: FoldContext
    ) {
        if activity.className != 0 {
            if held.graces.destroyed.count >= Destroyed.limit { held.graces.destroyed.removeFirst() }
            held.graces.destroyed.append(
                Destroyed(className: activity.className, stamp: activity.stopped ?? stamp))
        }
        if held.graces.creating?.activity == activity.id {
            held.graces.creating = nil
            guard state == .background else { return }
            flags.remove(.latencyOpen)
            launch = flags.contains(.launchSeen) && !flags.contains(.wasActive) ? .warm : .none
        }
        guard let before, before.isVisible else { return }
        if before == .resumed, state == .active, !held.activities.contains(where: { $0.state == .resumed }) {
            held.graces.pause = Graces.Pause(stamp: stamp, activity: activity.id, reason: 0)
        }
        leaveVisible(stamp, held)
    }

    // MARK: Graces

    mutating func settleActivities(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        let grace = context.limits.androidBackgroundGrace
        if let pause = held.graces.pause, clock.endsProcess || isOver(pause.stamp, grace, clock, context) {
            commitPause(held, context)
        }
        guard let stop = held.graces.stop, clock.endsProcess || isOver(stop, grace, clock, context) else { return }
        commitPause(held, context)
        held.graces.stop = nil
        decideLaunch(.enterBackground, stop, context)
        let reason = held.graces.stopReason
        enter(.enterBackground, isObserved: true, isIllegal: false, stop, reason: reason, context)
        if !clock.endsProcess { openCreation(held) }
    }

    private mutating func commitPause(_ held: Cold, _ context: FoldContext) {
        guard let pause = held.graces.pause else { return }
        held.graces.pause = nil
        guard state == .active else { return }
        enter(.resign, isObserved: true, isIllegal: false, pause.stamp, reason: pause.reason, context)
    }

    mutating func canTakeActivity(_ event: Event, _ held: Cold) -> Bool {
        guard event.edge.scope == .activity, event.instance != 0 else { return true }
        let id = event.instance
        guard let activity = held.activities.first(where: { $0.id == id }) else { return true }
        switch event.edge {
        case .activityResume: return activity.state != .resumed
        case .activityPause: return activity.state != .paused && activity.state != .stopped
        case .activityStop: return activity.state != .resumed
        default: return true
        }
    }
}
