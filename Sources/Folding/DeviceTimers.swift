import Lifecycle

/// Limits that pass: shown by the next edge of the installation, or by stream time where none comes.
extension Device {
    // MARK: By the next edge

    /// Counts every limit that has passed by the device time of an edge.
    ///
    /// - Parameter endsProcess: the edge ends the running process, which decides whatever was pending.
    @inline(__always)
    mutating func settle(_ stamp: Stamp, endsProcess: Bool, _ context: FoldContext) {
        guard knowsLast else { return }
        // Whatever edge decides a launch after the gap, it was one into the background.
        if state == .launching, !endsProcess,
            duration(from: .since, to: stamp.moment, context) > context.limits.launchBackgroundGap
        {
            launchIntoBackground(context)
        }
        if flags.contains(.hasCold) {
            settleGraces(.edge(stamp.moment, endsProcess: endsProcess), context)
        }
        guard state == .active || state == .inactive else { return }
        countStuck(at: stamp.moment, context)
        if duration(from: .last, to: stamp.moment, context) > context.limits.silenceTimeout {
            goSilent(context)
        }
    }

    /// Nothing was heard for longer than the limit: what was open ended at the last sign of life.
    private mutating func goSilent(_ context: FoldContext) {
        let end = lastStamp(context)
        closePhase(end, at: end, nil, isObserved: false, reason: 0, context)
        if let held = coldState(context) {
            held.forgetScreens()
            held.loseVisits()
            noteSpan(.unknown, from: moment(.last, context), context)
        }
        flags.insert(.silentInForeground)
        flags.remove(.latencyOpen)
        launch = .none
        before = state
        state = .unknown
        began = .nothing
        set(.since, .never, context)
    }

    // MARK: By stream time

    /// Acts on every limit that has passed by stream time.
    mutating func fire(_ context: FoldContext) {
        context.beginEvent()
        context.order = coldState(context)?.events ?? 0
        releaseByNumber(context)
        releaseByTime(context)
        if let held = coldState(context) {
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
        return flags.contains(.hasCold) ? nextDue(context, phase: due) : due
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
        guard let held = coldState(context) else { return due }
        return held.holds ? held.releaseDue : min(due, graceDue(held, context))
    }

    /// A limit shorter than the time that uploads may take is not judged by stream time before that.
    static func due(_ received: Int64, _ limit: Int64, _ context: FoldContext) -> Int64 {
        received &+ FoldSpans.wait(limit, context.limits)
    }

    @inline(__always)
    private func stuckDue(_ context: FoldContext) -> Int64 {
        guard state == .inactive, !flags.contains(.stuckCounted), knowsSince else { return Int64.max }
        return sinceReceived &+ context.spans.stuck
    }

    /// Nothing was heard for the time to live. A device that holds events back was heard of when they came.
    mutating func isExpired(_ context: FoldContext) -> Bool {
        if let held = coldState(context), held.holds { return false }
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
        guard let held = coldState(context) else { return }
        if held.hasGraces { settleActivities(held, clock, context) }
        if !held.echoes.pending.isEmpty { settleEchoes(held, clock, context) }
        guard held.hasGraces else { return }
        settleResources(held, clock, context)
        settleOverlay(held, clock, context)
    }

    private mutating func graceDue(_ held: Cold, _ context: FoldContext) -> Int64 {
        var due = Int64.max
        func consider(_ start: Stamp?, _ grace: Int64) {
            if let start { due = min(due, Device.due(start.received, grace, context)) }
        }
        for index in held.echoes.pending.indices {
            consider(held.echoes.pending[index].stamp, context.limits.echoTolerance)
        }
        guard held.hasGraces else { return due }
        consider(held.graces.pause?.stamp, context.limits.androidBackgroundGrace)
        consider(held.graces.stop?.stamp, context.limits.androidBackgroundGrace)
        consider(held.graces.resigned, context.limits.resourceGrace)
        if let since = held.graces.backgrounded {
            for index in held.resources.indices {
                let resource = held.resources[index]
                guard isForbiddenInBackground(resource, context) else { continue }
                consider(Device.later(since, resource.started), context.limits.resourceGrace)
            }
        }
        consider(held.graces.overlay, context.limits.overlayGrace)
        return due
    }
}

/// What is decided only when a grace is over. Everything here is of the running process.
struct Graces: ~Copyable {
    /// The last resumed activity was paused; whether the app became inactive is not decided yet.
    var pause: Pause?
    /// The last visible activity was stopped; whether the app left is not decided yet.
    var stop: Stop?
    /// Activities created since the app left the foreground, from which a warm launch is measured; the latest last.
    var creations = Few<Creation>()
    /// At most ``Destroyed/limit``, the latest last.
    var destroyed = Few<Destroyed>()
    /// The app left Active while resources ran.
    var resigned: Stamp?
    /// Since when the app has been in the background, as far as resources go.
    var backgrounded: Place?
    /// The app became active while an overlay was up.
    var overlay: Stamp?
    /// At most `instances.limit`.
    var resources = Few<Resource>()

    /// What is read where there is none.
    nonisolated(unsafe) static let blank = unsafe Part.blank(Graces())

    /// What hangs on scenes and activities is gone.
    mutating func forget() {
        (pause, stop, resigned, backgrounded, overlay) = (nil, nil, nil, nil, nil)
        creations.removeAll()
        destroyed.removeAll()
    }

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
