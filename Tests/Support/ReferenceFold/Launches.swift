/// Launches, latencies, processes and their ends.
extension Installation {
    /// The next phase edge after a launch tells where it led. True where it has been folded with that.
    func decideLaunch(by edge: Edge, at event: Event) -> Bool {
        guard let launch = process.launchEdge else { return false }
        let isSoon = clock.duration(launch, event) <= limits.launchGap
        if isSoon, edge == .enterForeground {
            count(.foregrounds, at: event)
            settleUndecided(foreground: true)
            enter(.inactive, at: event, by: .enterForeground)
            foregroundFrom = event
            return true
        }
        if phases.last?.phase == .undetermined { phases.removeLast() }
        if isSoon, edge == .activate || edge == .resign {
            count(.foregrounds, at: event)
            settleUndecided(foreground: true)
            enter(.inactive, at: launch, by: .launch)
            return false
        }
        enter(.background, at: launch, by: .launch)
        process.launch = .background
        backgroundSince = launch
        enteredBackground = nil
        settleUndecided(foreground: false)
        taintLoads()
        forgetVisits()
        if edge == .enterBackground {
            // Legal as the first edge after launch: it opened the phase, as it were.
            openedBy = .enterBackground
            enteredBackground = event
            return true
        }
        return false
    }

    private func settleUndecided(foreground: Bool) {
        let waiting = undecided
        undecided = []
        for decide in waiting { decide(foreground) }
    }

    /// An activation ends at most one latency.
    func latency(at event: Event) {
        switch process.launch {
        case .open where !process.prewarmed:
            guard let launch = process.launchEdge else { return }
            count(.launchesCold, at: event)
            latency(.launchCold, from: launch, to: event, slow: .slowLaunch, limits.slowLaunchCold)
        case .open, .background:
            count(.launchesWarm, at: event)
            guard let start = creates.last?.edge ?? foregroundFrom else { return }
            latency(.launchWarm, from: start, to: event, slow: .slowLaunch, limits.slowLaunchWarm)
        case .closed:
            if let create = creates.last?.edge {
                count(.launchesWarm, at: event)
                latency(.launchWarm, from: create, to: event, slow: .slowLaunch, limits.slowLaunchWarm)
            } else if let resumeFrom {
                latency(.resume, from: resumeFrom, to: event, slow: .slowResume, limits.slowResume)
            }
        }
    }

    private func latency(
        _ measure: Tally.Measure, from start: Event, to end: Event, slow: Tally.Anomaly, _ limit: Int
    ) {
        guard let duration = measured(start, end, at: end, limited: true) else { return }
        if measure == .resume, duration > limits.resumeDiscard { return count(.resumeDiscarded, at: end) }
        ledger.add(at: end.time, end.group) { $0.measures[measure, default: []].append(duration) }
        if duration > limit { anomaly(slow, at: end) }
    }

    // MARK: Processes

    /// An event of another process or boot: the old process is gone, the new one begins unknown.
    func adoptProcess(of event: Event) {
        guard event.edge != .launch, !event.namesItsProcess else { return }
        if beginsProcess(event) {
            replaceProcess(by: event)
            phases.append((.unknown, event))
        }
        if process.id == nil { process.id = event.process }
        if process.boot == nil { process.boot = event.boot }
    }

    /// An edge of another process or boot, or a launch.
    func beginsProcess(_ event: Event) -> Bool {
        if event.namesItsProcess { return false }
        if event.edge == .launch || event.edge == .create && phase == .notRunning && pendingStop == nil {
            return true
        }
        if hasSucceeded(event) { return false }
        let isOtherBoot = event.boot != nil && process.boot != nil && event.boot != process.boot
        return isOtherBoot || event.process.map { process.id != nil && $0 != process.id } ?? false
    }

    func launch(_ event: Event) {
        replaceProcess(by: event)
        process.id = event.process
        process.boot = event.boot
        beginLaunch(event)
    }

    /// Opens the launch of the running process.
    func beginLaunch(_ event: Event) {
        if event.seq != nil { launches = (launches + [event]).suffix(2) }
        if let last = phases.last, last.phase == .unknown, last.since === event { phases.removeLast() }
        process.launchEdge = event
        process.launch = .open
        process.prewarmed = event.prewarm
        enter(.undetermined, at: event, by: .launch)
        backgroundSince = event
    }

    /// The old process died unreported.
    private func replaceProcess(by event: Event) {
        decideGraces()
        judgeEchoes { _ in true }
        if phase == .undetermined { _ = decideLaunch(by: .terminate, at: event) }
        if phase.isForeground || (phase == .unknown && foregroundRemembered) { anomaly(.uncleanExit, at: event) }
        if phase == .background { count(.backgroundExits, at: event) }
        if let last { closeInterval(at: last, countedAt: event, by: nil, inferred: true) }
        countBackgroundLaunch(at: event)
        process.explained = phase == .notRunning || last == nil
        if last != nil || process.id != nil || process.boot != nil {
            previous = (previous + [process]).suffix(Self.processesRemembered)
        }
        process = Process()
        enter(.unknown, at: nil, by: .unknown)
        forgetProcessState()
    }

    private func countBackgroundLaunch(at event: Event) {
        guard process.launchEdge != nil, !process.everActive, !process.launchCounted else { return }
        process.launchCounted = true
        count(.backgroundLaunches, at: event)
    }

    /// A new process has nothing of the old one.
    private func forgetProcessState() {
        forgetScreens()
        views = [:]
        resources = [:]
        leaked = []
        hideOverlay(folded - 1)
    }

    /// The end of a process forgets its scenes and activities, and what was open.
    private func forgetScreens() {
        process.launch = .closed
        forgetOpenings()
        undecided = []
        scenes = [:]
        activities = [:]
        destroyed = [:]
        pendingPause = nil
        pendingStop = nil
        runningAtResign = nil
        backgroundSince = nil
    }

    // MARK: Ends

    func terminate(_ event: Event) {
        decideGraces()
        judgeEchoes { _ in true }
        if phase == .notRunning {
            if process.terminated { anomaly(.illegalTransition, at: event) }
            return
        }
        if phase == .undetermined { _ = decideLaunch(by: .terminate, at: event) }
        count(.terminations, at: event)
        closeInterval(at: event, countedAt: event, by: .terminate, inferred: false)
        closeVisits(at: event)
        countBackgroundLaunch(at: event)
        process.terminated = true
        notRunning(at: event)
    }

    private func notRunning(at event: Event) {
        enter(.notRunning, at: nil, by: .terminate)
        phases.append((.notRunning, event))
        overlayAtActivate = nil
        forgetVisits()
        taintLoads()
        forgetScreens()
    }

    /// Whose end an exit tells.
    func exit(_ event: Event) {
        ledger.add(at: event.time, event.group) { tally in
            tally.exitsByReason[event.exitReason ?? "unknown", default: 0] += 1
        }
        if event.namesItsProcess {
            if event.process == process.id { return endRunning(by: event) }
            previous.last { $0.id == event.process }?.explained = true
            return
        }
        let isFirstAfterLaunch = !process.exitSeen && process.launchEdge != nil
        process.exitSeen = true
        if isFirstAfterLaunch {
            previous.last?.explained = true
        } else if let unexplained = previous.last(where: { !$0.explained }) {
            unexplained.explained = true
        } else if !hasSucceeded(event) {
            endRunning(by: event)
        }
    }

    private func endRunning(by event: Event) {
        // At first sight an exit ends nothing: no process has been seen to run.
        guard last != nil else { return }
        decideGraces()
        guard phase != .notRunning else { return }
        settle(.edge(event))
        judgeEchoes { _ in true }
        if phase == .undetermined { _ = decideLaunch(by: .terminate, at: event) }
        if phase.isForeground || foregroundRemembered { anomaly(.uncleanExit, at: event) }
        closeInterval(at: event, countedAt: event, by: nil, inferred: true)
        countBackgroundLaunch(at: event)
        notRunning(at: event)
    }
}
