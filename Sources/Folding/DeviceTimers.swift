import Lifecycle

/// Limits that pass: shown by the next edge of the installation, or by stream time where none comes.
extension Device {
    // MARK: By the next edge

    /// Counts every limit that has passed by the device time of an edge.
    ///
    /// - Parameter endsProcess: the edge ends the running process, which decides whatever was pending.
    @inline(__always)
    mutating func settle(_ stamp: Stamp, endsProcess: Bool, _ context: FoldContext) {
        guard last.isKnown else { return }
        // Whatever edge decides a launch after the gap, it was one into the background.
        if state == .launching, !endsProcess,
            duration(from: since, to: stamp.moment, context) > context.limits.launchBackgroundGap
        {
            launchIntoBackground(context)
        }
        if cold != Device.noCold {
            settleGraces(.edge(stamp.moment, endsProcess: endsProcess), context)
        }
        guard state == .active || state == .inactive else { return }
        countStuck(at: stamp.moment, context)
        if duration(from: last, to: stamp.moment, context) > context.limits.silenceTimeout {
            goSilent(context)
        }
    }

    /// Nothing was heard for longer than the limit: what was open ended at the last sign of life.
    private mutating func goSilent(_ context: FoldContext) {
        closePhase(lastStamp(context), nil, isObserved: false, reason: 0, context)
        if let held = context.store[cold] {
            held.forgetScreens()
            held.loseVisits()
            held.echoes.note(.unknown, from: last, order: context.order)
        }
        flags.insert(.silentInForeground)
        flags.remove(.latencyOpen)
        launch = .none
        before = state
        state = .unknown
        began = .nothing
        since = .never
    }

    // MARK: By stream time

    /// Acts on every limit that has passed by stream time.
    mutating func fire(_ context: FoldContext) {
        context.beginEvent()
        context.order = context.store[cold]?.events ?? 0
        releaseByNumber(context)
        releaseByTime(context)
        if let held = context.store[cold] {
            if held.holds { return }
            settleGraces(.stream, context)
        }
        guard state == .active || state == .inactive else { return }
        if stuckDue(context) <= context.stream { markStuck(context) }
        if lastReceived &+ context.spans.silence <= context.stream { goSilent(context) }
    }

    /// Stream time at which the device is to be looked at next, ms; `Int64.max` where never.
    @inline(__always)
    mutating func nextDue(_ context: FoldContext) -> Int64 {
        let due = phaseDue(context)
        return cold == Device.noCold ? due : nextDue(context, phase: due)
    }

    /// When the phase, or the whole state, has lasted too long.
    @inline(__always)
    private func phaseDue(_ context: FoldContext) -> Int64 {
        switch state {
        case .active: return lastReceived &+ context.spans.foreground
        case .inactive: return min(stuckDue(context), lastReceived &+ context.spans.foreground)
        default: return lastReceived == Moment.absent ? Int64.max : lastReceived &+ context.spans.expiry
        }
    }

    /// What is held back comes first: nothing else happens before it is folded.
    @inline(never)
    private mutating func nextDue(_ context: FoldContext, phase due: Int64) -> Int64 {
        guard let held = context.store[cold] else { return due }
        return held.holds ? held.releaseDue : min(due, graceDue(held, context))
    }

    /// A limit shorter than the time that uploads may take is not judged by stream time before that.
    static func due(_ received: Int64, _ limit: Int64, _ context: FoldContext) -> Int64 {
        received &+ FoldSpans.wait(limit, context.limits)
    }

    @inline(__always)
    private func stuckDue(_ context: FoldContext) -> Int64 {
        guard state == .inactive, !flags.contains(.stuckCounted), since.isKnown else { return Int64.max }
        return sinceReceived &+ context.spans.stuck
    }

    /// Nothing was heard for the time to live. A device that holds events back was heard of when they came.
    mutating func isExpired(_ context: FoldContext) -> Bool {
        if let held = context.store[cold], held.holds { return false }
        return lastReceived != Moment.absent && context.stream &- lastReceived > context.limits.stateTTL
    }
}

/// By what a grace is judged.
enum GraceClock {
    /// The device time of a later edge.
    case edge(Moment, endsProcess: Bool)
    /// Stream time alone.
    case stream

    var endsProcess: Bool {
        if case .edge(_, endsProcess: true) = self { return true }
        return false
    }
}

extension Device {
    /// Whether a grace that began at `start` is over.
    mutating func isOver(_ start: Stamp, _ grace: Int64, _ clock: GraceClock, _ context: FoldContext) -> Bool {
        switch clock {
        case .edge(let moment, _): duration(from: start.moment, to: moment, context) > grace
        case .stream: Device.due(start.received, grace, context) <= context.stream
        }
    }

    mutating func settleGraces(_ clock: GraceClock, _ context: FoldContext) {
        guard let held = context.store[cold] else { return }
        settleActivities(held, clock, context)
        settleEchoes(held, clock, context)
        settleResources(held, clock, context)
        settleOverlay(held, clock, context)
    }

    private mutating func graceDue(_ held: Cold, _ context: FoldContext) -> Int64 {
        var due = Int64.max
        func consider(_ start: Stamp?, _ grace: Int64) {
            if let start { due = min(due, Device.due(start.received, grace, context)) }
        }
        consider(held.graces.pause?.stamp, context.limits.androidBackgroundGrace)
        consider(held.graces.stop?.stamp, context.limits.androidBackgroundGrace)
        consider(held.graces.resigned, context.limits.resourceGrace)
        if let since = held.graces.backgrounded {
            for resource in held.resources where isForbiddenInBackground(resource, context) {
                consider(Device.later(since, resource.started), context.limits.resourceGrace)
            }
        }
        consider(held.graces.overlay, context.limits.overlayGrace)
        for echo in held.echoes.pending { consider(echo.stamp, context.limits.echoTolerance) }
        return due
    }
}

/// What is decided only when a grace is over. Everything here is of the running process.
struct Graces {
    /// The last resumed activity was paused; whether the app became inactive is not decided yet.
    var pause: Pause?
    /// The last visible activity was stopped; whether the app left is not decided yet.
    var stop: Stop?
    /// Activities created since the app left the foreground, from which a warm launch is measured; the latest last.
    var creations: [Creation] = []
    /// At most ``Destroyed/limit``, the latest last.
    var destroyed: [Destroyed] = []
    /// The app left Active while resources ran.
    var resigned: Stamp?
    /// Since when the app has been in the background, as far as resources go.
    var backgrounded: Place?
    /// The app became active while an overlay was up.
    var overlay: Stamp?

    struct Creation {
        var activity: UInt64
        var moment: Moment
    }

    struct Pause {
        var stamp: Stamp
        var order: Int64
        var activity: UInt64
        var reason: UInt32
        /// The activity was stopped, and its pause was not reported.
        var isMissing = false
        /// An overlay was up at some moment since.
        var sawOverlay: Bool
    }

    struct Stop {
        var stamp: Stamp
        var order: Int64
        var activity: UInt64
        var reason: UInt32
        /// An overlay was up at some moment of what is inactive before it.
        var sawOverlay: Bool
    }
}
