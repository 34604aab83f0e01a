/// One event at a time, in order.
extension Installation {
    func fold(_ event: Event) {
        if isTooOld(event) {
            ledger.addLate(event)
            return
        }
        folded += 1
        event.order = folded
        countArrival(event)
        let ends = beginsProcess(event) || event.edge == .terminate && !event.bridged
        if ends { decideGraces() }
        // The time of an exit is that of a death, and shows nothing but of the process that ends by it.
        if !event.isExit || ends { settle(.edge(event)) }
        adoptProcess(of: event)
        apply(event)
        if !event.isExit { last = event }
    }

    /// Of a process that has been succeeded; a launch begins one, whatever its id, unless it is an old one.
    func isTooOld(_ event: Event) -> Bool {
        guard !event.isExit, hasSucceeded(event) else { return false }
        return event.edge != .launch || last.map { clock.lead(of: event, over: $0) < 0 } ?? false
    }

    /// The event names a process or a boot that was before the running one.
    func hasSucceeded(_ event: Event) -> Bool {
        let isOldID = event.process.map { id in process.id != id && previous.contains { $0.id == id } } ?? false
        let isOldBoot =
            event.boot.map { boot in process.boot != boot && previous.contains { $0.boot == boot } } ?? false
        return isOldID || isOldBoot
    }

    private func countArrival(_ event: Event) {
        if ledger.allFinal(event.time) { ledger.addLate(event) }
        ledger.add(at: event.time, event.group) { tally in
            tally.counts[event.edge == .unknown ? .eventsOther : .events, default: 0] += 1
            tally.devices.insert(identity)
        }
        if event.future { anomaly(.futureClock, at: event) }
        if event.putBack { anomaly(.outOfOrder, at: event) }
        if event.gap > 0 { anomaly(.sequenceGap, at: event, event.gap) }
        guard !event.isExit, let last else { return }
        let wentBack = last.ts - event.ts
        if wentBack > limits.clockRegression { regression(from: last, to: event, at: event) }
    }

    private func apply(_ event: Event) {
        switch event.edge {
        case .exit: exit(event)
        case .heartbeat, .unknown: break
        case .resourceStart, .resourceStop, .overlayShown, .overlayHidden: resource(event)
        default:
            switch event.scope {
            case .app: appEdge(event)
            case .scene: sceneEdge(event)
            case .activity: activityEdge(event)
            case .view: viewEdge(event)
            }
        }
    }
}

/// How far things have come: up to an edge of the installation, or up to a stream time without one.
enum Now {
    case edge(Event)
    case stream(Int)
}

/// Timers.
extension Installation {
    /// Whether a limit that an edge started is over. Limits shorter than the reorder timeout are not left to stream
    /// time until that has passed as well: uploads come late.
    func isOver(_ limit: Int, since start: Event, _ now: Now) -> Bool {
        switch now {
        case .edge(let edge): clock.duration(start, edge) > limit
        case .stream(let stream): stream > due(limit, since: start)
        }
    }

    private func due(_ limit: Int, since start: Event) -> Int {
        start.receive + limit + (limit < limits.reorderTimeout ? limits.reorderTimeout : 0)
    }

    /// Everything whose limit is over by now. The graces decide the phase, so they come first; silence comes last.
    func settle(_ now: Now) {
        decideLaunch(now)
        if let pause = pendingPause, isOver(limits.backgroundGrace, since: pause.edge, now) { decidePause() }
        if let stop = pendingStop, isOver(limits.backgroundGrace, since: stop.edge, now) { decideStop() }
        judgeEchoes { self.isOver(self.limits.echoTolerance, since: $0, now) }
        settleResources(now)
        settleOverlay(now)
        if phase == .inactive, !stuckCounted, let opened, isOver(limits.stuckInactive, since: opened, now) {
            stuckCounted = true
            timed(.stuckInactive, opened, limits.stuckInactive)
        }
        if phase.isForeground, let last, isOver(limits.silence, since: last, now) { fallSilent(last) }
    }

    /// Whatever edge decides a launch after the gap, it was one into the background. Stream time decides none: the
    /// edge that does may be on its way.
    private func decideLaunch(_ now: Now) {
        guard phase == .undetermined, case .edge(let edge) = now, let launch = process.launchEdge,
            !beginsProcess(edge), clock.duration(launch, edge) > limits.launchGap
        else { return }
        _ = decideLaunch(by: .unknown, at: edge)
    }

    /// Stream time has come this far without an event of the installation: what is due first happens first, however
    /// far it goes at once.
    func advance(to stream: Int) {
        var last = Int.min
        while let due = nextDue, due < stream, due > last {
            step(to: due + 1)
            last = due
        }
        step(to: stream)
    }

    private func step(to stream: Int) {
        release(stream: stream)
        guard held.isEmpty else { return }
        settle(.stream(stream))
    }

    /// The earliest stream time that, once passed, changes anything here.
    var nextDue: Int? {
        guard held.isEmpty else { return holdDue }
        var dues: [Int] = []
        if let pendingPause { dues.append(due(limits.backgroundGrace, since: pendingPause.edge)) }
        if let pendingStop { dues.append(due(limits.backgroundGrace, since: pendingStop.edge)) }
        dues += echoes.map { due(limits.echoTolerance, since: $0.edge) }
        dues += resourceStarts.map { due(limits.resourceGrace, since: $0) }
        if let overlayAtActivate { dues.append(due(limits.overlayGrace, since: overlayAtActivate)) }
        if phase == .inactive, !stuckCounted, let opened { dues.append(due(limits.stuckInactive, since: opened)) }
        if phase.isForeground, let last { dues.append(due(limits.silence, since: last)) }
        return dues.min()
    }

    /// No sign of life: the interval ends at the last one, assumed; the foreground is remembered.
    private func fallSilent(_ last: Event) {
        closeInterval(at: last, countedAt: last, by: nil, inferred: true)
        phase = .unknown
        opened = nil
        foregroundRemembered = true
        phases.append((.unknown, last))
        process.launch = .closed
        forgetOpenings()
        overlayAtActivate = nil
        scenes = [:]
        activities = [:]
        destroyed = [:]
        forgetVisits()
        taintLoads()
    }

    func forgetOpenings() {
        resumeFrom = nil
        foregroundFrom = nil
        creates = []
    }
}
