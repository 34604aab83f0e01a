import Lifecycle

/// An Android activity of an installation.
struct Activity: Listed {
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
    /// Made anew right after one of its class was destroyed: its resume is no hand-over.
    var isRecreated = false
    var told: UInt16 = 0
    /// When it was stopped last.
    var stopped: Stamp?
}

/// An activity that was destroyed: one of its class, made in time, is its recreation.
struct Destroyed {
    var activity: UInt64
    var className: UInt64
    /// From where the grace counts.
    var stamp: Stamp

    static let limit = 8
}

extension Device {
    /// Folds an edge of an activity: any resumed one makes the app active, any visible one inactive, and without one
    /// it is in the background once the grace of the last stop is over.
    mutating func foldActivity(_ event: Event, _ stamp: Stamp, launches: Bool, _ context: FoldContext) {
        if event.flags.contains(.bridged), flags.contains(.native) { return }
        if !event.flags.contains(.bridged) { flags.insert(.native) }
        let held = makeCold(context)
        letRule(.activitiesRule, held, context)
        if event.edge == .activityTopResumed || event.edge == .activityTopLost { return }
        if isTerminated, event.edge != .activityCreate, event.edge != .activityDestroy {
            context.count(.illegalTransition, at: stamp)
        }
        let id = event.instance != 0 ? event.instance : event.className
        let index = held.activities.firstIndex { $0.id == id }
        var activity =
            index.map { held.activities.remove(at: $0) }
            ?? Activity(id: id, className: event.className, state: .created, isNamed: event.instance != 0)
        if event.className != 0 { activity.className = event.className }
        let before = index == nil ? nil : activity.state
        switch event.edge {
        case .activityCreate: create(&activity, stamp, held, launches: launches, context)
        case .activityStart, .activityRestart: start(&activity, before, stamp, held, reason: event.reason, context)
        case .activityResume: resume(&activity, before, stamp, held, reason: event.reason, context)
        case .activityPause:
            checkHandler(event, .resign, stamp, context)
            pause(&activity, before, stamp, held, reason: event.reason, context)
        case .activityStop: stop(&activity, before, stamp, held, reason: event.reason, context)
        default: return destroy(activity, before, stamp, held, reason: event.reason, context)
        }
        context.keep(activity, in: &held.activities)
    }

    private mutating func create(
        _ activity: inout Activity, _ stamp: Stamp, _ held: Cold, launches: Bool, _ context: FoldContext
    ) {
        activity.state = .created
        activity.stopped = nil
        activity.isRecreated = recreates(activity, stamp, held, context)
        let isPending = held.graces.stop != nil && !activity.isRecreated
        guard !launches, state == .background || state == .launching || isPending else { return }
        let creation = Graces.Creation(activity: activity.id, moment: stamp.moment)
        held.graces.creations.append(creation, limit: context.limits.instancesLimit, in: context.memory)
    }

    /// Counts a recreation: no background follows from the stop before it, and no hand-over.
    private mutating func recreates(
        _ activity: Activity, _ stamp: Stamp, _ held: Cold, _ context: FoldContext
    ) -> Bool {
        guard activity.className != 0, state != .background,
            let index = held.graces.destroyed.lastIndex(where: { $0.className == activity.className })
        else { return false }
        let gone = held.graces.destroyed[index]
        guard duration(from: gone.stamp.moment, to: stamp.moment, context) <= context.limits.androidBackgroundGrace
        else { return false }
        held.graces.destroyed.remove(at: index)
        context.count(.recreates, at: stamp)
        if held.graces.stop?.activity == gone.activity { held.graces.stop = nil }
        return true
    }

    private mutating func start(
        _ activity: inout Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        if let before, before.isVisible { return }
        activity.state = .started
        returnFromStop(held)
        guard state != .active, state != .inactive else { return }
        decideLaunch(.enterForeground, stamp, context)
        let wasInBackground = state == .background
        enter(.enterForeground, isObserved: true, isIllegal: false, stamp, reason: reason, context)
        // Only a stopped activity returns; one that was just created is launched.
        if wasInBackground, before == .created, launch == .none { flags.remove(.latencyOpen) }
    }

    /// An activity is there again before the grace of the last stop has passed.
    private func returnFromStop(_ held: Cold) {
        guard held.graces.stop != nil else { return }
        held.graces.stop = nil
        if state != .background { held.graces.creations.removeAll() }
    }

    private mutating func resume(
        _ activity: inout Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        if before == .resumed {
            if activity.isNamed { context.count(.illegalTransition, at: stamp) }
            return
        }
        let isRecreated = activity.isRecreated
        activity.state = .resumed
        activity.isRecreated = false
        returnFromStop(held)
        if let pause = held.graces.pause {
            if isRecreated || pause.activity != activity.id {
                held.graces.pause = nil
                if !isRecreated { context.count(.handovers, at: stamp) }
                return
            }
            commitPause(held, context)
        }
        guard state != .active else { return }
        decideLaunch(.activate, stamp, context)
        enter(.activate, isObserved: true, isIllegal: false, stamp, reason: reason, context)
    }

    private mutating func pause(
        _ activity: inout Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        activity.state = .paused
        if activity.isNamed, before == .paused || before == .stopped {
            context.count(.illegalTransition, at: stamp)
            guard before == .stopped else { return }
            held.graces.stop = nil
            guard state == .background else { return }
            return enter(.resign, isObserved: false, isIllegal: true, stamp, reason: reason, context)
        }
        held.graces.stop = nil
        if held.activities.contains(where: { $0.state == .resumed }) { return }
        if isTerminated {
            enter(.resign, isObserved: false, isIllegal: true, stamp, reason: reason, context)
        } else if state != .active, state != .inactive {
            // A pause tells that its activity was resumed; since when is not known.
            decideLaunch(.activate, stamp, context)
            forgetOpenings(context)
            enter(.activate, isObserved: false, isIllegal: false, stamp, reason: 0, context)
            set(.since, .never, context)
        }
        guard state == .active else { return }
        pend(activity, stamp, held, reason: reason, isMissing: false, context)
    }

    private func pend(
        _ activity: Activity, _ stamp: Stamp, _ held: Cold, reason: UInt32, isMissing: Bool, _ context: FoldContext
    ) {
        held.graces.pause = Graces.Pause(
            stamp: stamp, order: context.order, activity: activity.id, reason: reason, isMissing: isMissing,
            sawOverlay: flags.contains(.overlayUp))
    }

    private mutating func stop(
        _ activity: inout Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        activity.state = .stopped
        activity.isRecreated = false
        if before == .created || before == .stopped { return }
        let isMissing = before == .resumed && activity.isNamed
        if isMissing { context.count(.missingEvent, at: stamp) }
        activity.stopped = stamp
        leave(activity, wasResumed: before == .resumed, stamp, held, reason: reason, isMissing: isMissing, context)
    }

    private mutating func destroy(
        _ activity: Activity, _ before: Activity.State?, _ stamp: Stamp, _ held: Cold, reason: UInt32,
        _ context: FoldContext
    ) {
        if before == nil || before == .created {
            held.graces.creations.removeAll { $0.activity == activity.id }
        }
        if activity.className != 0 {
            let gone = Destroyed(
                activity: activity.id, className: activity.className, stamp: activity.stopped ?? stamp)
            held.graces.destroyed.removeAll { $0.className == activity.className }
            held.graces.destroyed.append(gone, limit: Destroyed.limit, in: context.memory)
        }
        guard let before, before.isVisible else { return }
        leave(activity, wasResumed: before == .resumed, stamp, held, reason: reason, isMissing: false, context)
    }

    /// A visible activity has gone: without another the app is in the background once the grace is over.
    private mutating func leave(
        _ activity: Activity, wasResumed: Bool, _ stamp: Stamp, _ held: Cold, reason: UInt32, isMissing: Bool,
        _ context: FoldContext
    ) {
        if wasResumed, state == .active, !held.activities.contains(where: { $0.state == .resumed }) {
            pend(activity, stamp, held, reason: reason, isMissing: isMissing, context)
        }
        guard state != .background, !held.activities.contains(where: { $0.state.isVisible }) else { return }
        held.graces.stop = Graces.Stop(
            stamp: stamp, order: context.order, activity: activity.id, reason: reason,
            sawOverlay: held.graces.pause?.sawOverlay ?? flags.contains(.overlaySeen))
    }

    // MARK: Graces

    mutating func settleActivities(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        let grace = context.limits.androidBackgroundGrace
        if let pause = held.graces.pause, clock.endsProcess || isOver(pause.stamp, grace, clock, context) {
            commitPause(held, context)
        }
        guard let stop = held.graces.stop, clock.endsProcess || isOver(stop.stamp, grace, clock, context) else {
            return
        }
        commitPause(held, context)
        held.graces.stop = nil
        guard state != .background else { return }
        if stop.sawOverlay { flags.insert(.overlaySeen) } else { flags.remove(.overlaySeen) }
        at(stop.order, context) { device in
            device.decideLaunch(.enterBackground, stop.stamp, context)
            device.enter(
                .enterBackground, isObserved: true, isIllegal: false, stop.stamp, reason: stop.reason, context)
        }
    }

    private mutating func commitPause(_ held: Cold, _ context: FoldContext) {
        guard let pause = held.graces.pause else { return }
        held.graces.pause = nil
        guard state == .active else { return }
        at(pause.order, context) { device in
            device.enter(
                .resign, isObserved: !pause.isMissing, isIllegal: false, pause.stamp, reason: pause.reason, context)
        }
        if pause.isMissing { set(.since, .never, context) }
        if pause.sawOverlay { flags.insert(.overlaySeen) } else { flags.remove(.overlaySeen) }
    }

    /// Lets an edge whose effect had to wait have it in its own place.
    private mutating func at(_ order: Int64, _ context: FoldContext, _ act: (inout Device) -> Void) {
        let now = context.order
        context.order = order
        act(&self)
        context.order = now
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
