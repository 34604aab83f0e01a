/// An activity of the running process.
struct ActivityState {
    enum Stage {
        case created, started, resumed, paused, stopped
    }

    var stage: Stage
    var stop: Event?
    /// Made anew right after one of its class was destroyed: its resume is no handover.
    var isRecreated = false

    var isVisible: Bool { stage == .started || stage == .resumed || stage == .paused }
    var isStarted: Bool { stage != .created }
}

/// Activities: any resumed is active, any started or paused inactive, none background once the grace has passed.
extension Installation {
    func activityEdge(_ event: Event) {
        if event.bridged, process.reportedNative { return }
        process.reportedNative = true
        let key = event.instance ?? event.className ?? ""
        slowResign(event, event.edge)
        if phase == .notRunning, process.terminated, [.start, .restart, .resume, .pause, .stop].contains(event.edge) {
            anomaly(.illegalTransition, at: event)
        }
        if event.edge != .create {
            beginRule()
            process.reportedActivities = true
        }
        switch event.edge {
        case .create: create(key, event)
        case .start, .restart: start(key, event)
        case .resume: resume(key, event)
        case .pause: pause(key, event)
        case .stop: stop(key, event)
        case .destroy: destroy(key, event)
        default: break
        }
    }

    private func create(_ key: String, _ event: Event) {
        // The first create of a process launches it; one that has told of a phase, or has activities, lives.
        let isOver = phase == .notRunning && pendingStop == nil
        let isAlive = !isOver && (process.hadPhase || process.reportedActivities)
        if isOver || !isAlive { launch(event) } else if !isAlive { beginLaunch(event) }
        process.reportedNative = true
        beginRule()
        process.reportedActivities = true
        let isRecreated = recreates(event)
        if isRecreated {
            count(.recreates, at: event)
        }
        if isAlive, phase == .background || phase == .undetermined || pendingStop != nil && !isRecreated {
            creates.append((key, event))
        }
        activities[key] = ActivityState(stage: .created, isRecreated: isRecreated)
    }

    /// Destroyed and created again before the grace of its stop has passed: no background follows from that stop.
    private func recreates(_ event: Event) -> Bool {
        guard let name = event.className, let gone = destroyed[name], phase != .background,
            clock.duration(gone.stop, event) <= limits.backgroundGrace
        else { return false }
        destroyed[name] = nil
        if pendingStop?.key == gone.key { pendingStop = nil }
        return true
    }

    private func start(_ key: String, _ event: Event) {
        let before = activities[key]
        if let before, before.isVisible { return }
        activities[key] = ActivityState(stage: .started, isRecreated: before?.isRecreated ?? false)
        if pendingStop != nil {
            pendingStop = nil
            if phase != .background { creates = [] }
        }
        if phase == .undetermined, decideLaunch(by: .enterForeground, at: event) { return }
        switch phase {
        case .background:
            transition(to: .inactive, by: .enterForeground, at: event, inferred: false)
            // Only a stopped activity returns; one that was just created is launched.
            if before?.stage == .created { resumeFrom = nil }
        case .unknown, .notRunning: transition(to: .inactive, by: .enterForeground, at: event, inferred: false)
        default: break
        }
    }

    private func resume(_ key: String, _ event: Event) {
        let before = activities[key]
        if before?.stage == .resumed {
            if event.instance != nil { anomaly(.illegalTransition, at: event) }
            return
        }
        activities[key] = ActivityState(stage: .resumed)
        if pendingStop != nil {
            pendingStop = nil
            creates = []
        }
        if let pause = pendingPause {
            let isRecreated = before?.isRecreated ?? false
            if isRecreated || pause.key != key {
                pendingPause = nil
                if !isRecreated { count(.handovers, at: event) }
                return
            }
            decidePause()
        }
        if phase == .active { return }
        if phase == .undetermined, decideLaunch(by: .activate, at: event) { return }
        transition(to: .active, by: .activate, at: event, inferred: false)
    }

    private var isAnyResumed: Bool { activities.values.contains { $0.stage == .resumed } }

    private func pause(_ key: String, _ event: Event) {
        let before = activities[key]
        switch before?.stage {
        case .paused where event.instance != nil:
            anomaly(.illegalTransition, at: event)
            return
        case .stopped where event.instance != nil:
            anomaly(.illegalTransition, at: event)
            activities[key] = ActivityState(stage: .paused)
            pendingStop = nil
            if phase == .background { resynchronise(to: .inactive, by: .resign, at: event) }
            return
        default: break
        }
        activities[key] = ActivityState(stage: .paused)
        pendingStop = nil
        if isAnyResumed { return }
        // A pause tells that its activity was resumed, since when is not known.
        if phase == .notRunning, process.terminated {
            resynchronise(to: .inactive, by: .resign, at: event)
        } else if !phase.isForeground {
            assumeActive(at: event)
        }
        if phase == .active { pendingPause = (event, key, false) }
    }

    /// Active until now, since when is not known.
    private func assumeActive(at event: Event) {
        if phase == .undetermined {
            _ = decideLaunch(by: .activate, at: event)
        }
        resynchronise(to: .active, by: .activate, at: event)
        opened = nil
    }

    private func stop(_ key: String, _ event: Event) {
        let before = activities[key]
        if before?.stage == .created || before?.stage == .stopped {
            activities[key]?.stage = .stopped
            return
        }
        let isMissing = before?.stage == .resumed && event.instance != nil
        if isMissing { anomaly(.missingEvent, at: event) }
        activities[key] = ActivityState(stage: .stopped, stop: event)
        leave(key, event, wasResumed: before?.stage == .resumed, missing: isMissing)
    }

    private func destroy(_ key: String, _ event: Event) {
        let before = activities.removeValue(forKey: key)
        creates.removeAll { $0.key == key && !(before?.isStarted ?? false) }
        if let name = event.className { destroyed[name] = (before?.stop ?? event, key) }
        guard let before, before.isVisible else { return }
        leave(key, event, wasResumed: before.stage == .resumed, missing: false)
    }

    /// A visible activity has gone.
    private func leave(_ key: String, _ event: Event, wasResumed: Bool, missing: Bool) {
        if wasResumed, !isAnyResumed, phase == .active { pendingPause = (event, key, missing) }
        guard !activities.values.contains(where: \.isVisible) else { return }
        switch phase {
        case .active, .inactive, .unknown, .notRunning, .undetermined: pendingStop = (event, key)
        case .background: break
        }
    }

    // MARK: Graces

    /// The grace delays the decision, not the time: inactive begins at the last pause.
    func decidePause() {
        guard let pause = pendingPause else { return }
        pendingPause = nil
        guard phase == .active else { return }
        transition(to: .inactive, by: .resign, at: pause.edge, inferred: pause.missing)
        if pause.missing { opened = nil }
    }

    /// Background begins at the last stop.
    func decideStop() {
        guard let stop = pendingStop else { return }
        decidePause()
        pendingStop = nil
        if phase == .undetermined, decideLaunch(by: .enterBackground, at: stop.edge) { return }
        if phase != .background { transition(to: .background, by: .enterBackground, at: stop.edge, inferred: false) }
    }

    /// The end of a process decides a pending grace.
    func decideGraces() {
        decidePause()
        decideStop()
    }
}
