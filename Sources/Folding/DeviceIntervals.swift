import Lifecycle

/// What an interval adds to the figures when it ends.
extension Device {
    /// Closes the open phase at an edge.
    ///
    /// - Parameters:
    ///   - place: the edge to whose window and group the interval belongs: its end, or who tells of that.
    ///   - edge: what ends it; nil where nobody reported the end.
    ///   - reason: that of the ending edge, for an interval that began without one.
    @inline(__always)
    mutating func closePhase(
        _ end: Stamp, at place: Stamp, _ edge: PhaseEdge?, isObserved: Bool, reason: UInt32, _ context: FoldContext
    ) {
        guard knowsSince else { return }
        switch state {
        case .unknown, .notRunning, .launching:
            return
        case .active:
            guard let length = countable(from: .since, to: end, at: place, context) else { return }
            context.emit(isObserved ? .interval(.active) : .inferred(.active), value: length, at: place)
        case .inactive:
            let length = duration(from: .since, to: end.moment, context)
            countStuck(after: length, context)
            if isObserved { checkProtection(end, context) }
            guard mayCount(length, from: .since, to: end, at: place, context) else { return }
            guard isObserved, let edge else {
                return context.emit(.inferred(.inactive), value: length, at: place)
            }
            let text = self.reason != TextTable.empty ? self.reason : reason
            context.emit(.inactive(inactiveClass(endingWith: edge)), value: length, at: end, text: text)
        case .background:
            closeBackground(end, at: place, isObserved: isObserved, context)
        }
    }

    private mutating func closeBackground(
        _ end: Stamp, at place: Stamp, isObserved: Bool, _ context: FoldContext
    ) {
        guard let length = countable(from: .since, to: end, at: place, isBackground: true, context) else { return }
        context.emit(isObserved ? .interval(.background) : .inferred(.background), value: length, at: place)
    }

    @inline(__always)
    private mutating func inactiveClass(endingWith edge: PhaseEdge) -> InactiveClass {
        let isEntry = began == .launch || began == .enterForeground
        return edge == .activate ? (isEntry ? .arrival : .interruption) : (isEntry ? .aborted : .departure)
    }

    /// Counts an inactive interval that has lasted too long by `moment`, once.
    @inline(__always)
    mutating func countStuck(at moment: Moment, _ context: FoldContext) {
        guard state == .inactive, !flags.contains(.stuckCounted), knowsSince else { return }
        countStuck(after: duration(from: .since, to: moment, context), context)
    }

    /// The same of one that has lasted so many ms.
    @inline(__always)
    private mutating func countStuck(after length: Int64, _ context: FoldContext) {
        guard length > context.limits.stuckInactiveAfter, !flags.contains(.stuckCounted) else { return }
        markStuck(context)
    }

    mutating func markStuck(_ context: FoldContext) {
        flags.insert(.stuckCounted)
        let began = sinceTime &+ (coldState(context)?.sinceOffset ?? 0)
        context.emit(
            .anomaly(.stuckInactive), time: began &+ context.limits.stuckInactiveAfter, group: sinceGroup)
    }

    /// The app went out of Active.
    @inline(__always)
    mutating func leaveActive(_ edge: PhaseEdge, _ stamp: Stamp, _ context: FoldContext) {
        if edge == .resign { countFlapping(stamp, context) }
        guard let held = coldState(context), held.hasGraces else { return }
        held.graces.overlay = nil
        guard edge == .resign, !held.resources.isEmpty else { return }
        held.graces.resigned = stamp
        for index in held.resources.indices { held.resources[index].ranAtResign = true }
    }

    private mutating func countFlapping(_ stamp: Stamp, _ context: FoldContext) {
        let time = stamp.moment.time
        let within = context.limits.flappingWithin
        defer { lastResign = time }
        guard lastResign != Moment.absent, (0...within).contains(time &- lastResign) else {
            flags.remove(.flapping)
            if let held = coldState(context), held.hasRare { held.resigns.removeAll() }
            return
        }
        let held = makeCold(context)
        if held.resigns.isEmpty { held.resigns.append(lastResign, in: context.memory) }
        held.resigns.append(time, in: context.memory)
        held.resigns.removeAll { time - $0 > within }
        guard held.resigns.count > context.limits.flappingCount else {
            flags.remove(.flapping)
            return
        }
        if !flags.contains(.flapping) { context.count(.inactiveFlapping, at: stamp) }
        flags.insert(.flapping)
        held.resigns.removeFirst(max(0, held.resigns.count - context.limits.flappingCount - 1))
    }
}
