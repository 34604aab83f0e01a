/// The app machine: phases, intervals, and what an edge means in a phase.
extension Installation {
    enum Verdict: Equatable {
        case legal
        /// Against the table; `repeats` where it repeats the edge that opened the phase.
        case illegal(repeats: Bool)
        /// A step was left out before it.
        case missing
    }

    static func target(of edge: Edge) -> Phase? {
        switch edge {
        case .activate: .active
        case .resign, .enterForeground: .inactive
        case .enterBackground, .disconnect: .background
        default: nil
        }
    }

    func judge(_ edge: Edge, in phase: Phase, openedBy: Edge, enteredBackground: Event?, at event: Event) -> Verdict {
        switch (phase, edge) {
        case (.active, .activate): return .illegal(repeats: openedBy == .activate)
        case (.active, .enterForeground): return .illegal(repeats: false)
        case (.active, .enterBackground): return event.lateBy > 0 ? .legal : .missing
        case (.inactive, .resign), (.inactive, .enterForeground), (.background, .enterBackground):
            return .illegal(repeats: openedBy == edge)
        case (.background, .resign): return .illegal(repeats: false)
        case (.background, .activate):
            let isQuick = enteredBackground.map { clock.duration($0, event) <= limits.echoTolerance } ?? false
            return sentEnterForeground && !isQuick ? .missing : .legal
        case (.notRunning, _): return process.terminated ? .illegal(repeats: false) : .legal
        default: return .legal
        }
    }

    // MARK: Edges of the app itself

    func appEdge(_ event: Event) {
        if event.bridged, process.reportedNative { return }
        if event.edge == .launch { return launch(event) }
        let edge = event.bridged ? edgeOfBridgedState(event.edge) : event.edge
        if !event.bridged { process.reportedNative = true }
        guard let edge else { return }
        if edge == .terminate { return terminate(event) }
        guard let target = Self.target(of: edge) else { return }
        if process.reportedScenes || process.reportedActivities {
            echoes.append((event, target))
        } else {
            slowResign(event, edge)
            appEdge(edge, event)
        }
        if edge == .enterForeground { sentEnterForeground = true }
    }

    /// Bridge values are states: the edge follows from the value and the previous phase.
    private func edgeOfBridgedState(_ edge: Edge) -> Edge? {
        switch edge {
        case .activate: phase == .active ? nil : .activate
        case .enterBackground: phase == .background ? nil : .enterBackground
        case .terminate: phase == .notRunning ? nil : .terminate
        default:
            switch phase {
            case .inactive: nil
            case .active: .resign
            case .background, .undetermined: .enterForeground
            case .unknown, .notRunning: process.launchEdge != nil ? .enterForeground : .resign
            }
        }
    }

    private func appEdge(_ edge: Edge, _ event: Event) {
        guard let target = Self.target(of: edge) else { return }
        if phase == .undetermined, decideLaunch(by: edge, at: event) { return }
        if phase == .background, openedBy == .launch, edge == .enterBackground {
            // Legal as the first edge after a launch into the background, which it belongs to.
            openedBy = edge
            enteredBackground = event
            return
        }
        let verdict = judge(edge, in: phase, openedBy: openedBy, enteredBackground: enteredBackground, at: event)
        follow(verdict, edge, to: target, at: event)
    }

    /// Counts what is wrong with an edge and does to the app phase what it says.
    func follow(_ verdict: Verdict, _ edge: Edge, to target: Phase, at event: Event) {
        switch verdict {
        case .legal: transition(to: target, by: edge, at: event, inferred: false)
        case .missing:
            anomaly(.missingEvent, at: event)
            transition(to: target, by: edge, at: event, inferred: true)
        case .illegal(let repeats):
            anomaly(.illegalTransition, at: event)
            if !repeats { resynchronise(to: target, by: edge, at: event) }
        }
    }

    /// An illegal edge ends the open interval, inferred, and with it an open launch or resume.
    func resynchronise(to target: Phase, by edge: Edge, at event: Event) {
        process.launch = .closed
        forgetOpenings()
        transition(to: target, by: edge, at: event, inferred: true)
        forgetOpenings()
    }

    func slowResign(_ event: Event, _ edge: Edge) {
        guard let handler = event.handler, handler > Double(limits.slowResign) else { return }
        if [.resign, .pause, .enterBackground].contains(edge) { anomaly(.slowResign, at: event) }
    }

    // MARK: Phases

    /// Moves the app to a phase: closes the interval of the old one and opens that of the new.
    func transition(to target: Phase, by edge: Edge, at event: Event, inferred: Bool) {
        let from = phase
        closeInterval(at: event, countedAt: event, by: edge, inferred: inferred)
        if target.isForeground, from == .background || from == .notRunning { count(.foregrounds, at: event) }
        if target == .background, from.isForeground { count(.backgrounds, at: event) }
        if from == .active, target != .active { leaveActive(by: edge, at: event) }
        enter(target, at: event, by: edge)
        if from == .background, target != .background { reopenVisits(at: event) }
        switch target {
        case .background: if from != .background { enterBackground(at: event, by: edge) }
        case .inactive where edge == .enterForeground:
            foregroundFrom = event
            if from == .background, !inferred { resumeFrom = event }
        case .active: becomeActive(at: event)
        default: break
        }
    }

    func enter(_ phase: Phase, at event: Event?, by edge: Edge) {
        self.phase = phase
        opened = event
        openedBy = edge
        stuckCounted = false
        foregroundRemembered = false
        if phase != .unknown { process.hadPhase = true }
        if phase != .notRunning { process.terminated = false }
        if let event { phases = (phases + [(phase, event)]).suffix(32) }
    }

    private func leaveActive(by edge: Edge, at event: Event) {
        overlayAtActivate = nil
        guard edge == .resign else { return }
        flapping(event)
        markResources(at: event)
    }

    private func enterBackground(at event: Event, by edge: Edge) {
        backgroundSince = event
        enteredBackground = edge == .enterBackground ? event : nil
        closeVisits(at: event)
        taintLoads()
        creates.removeAll { activities[$0.key]?.isStarted ?? true }
        resumeFrom = nil
        foregroundFrom = nil
        if process.launch == .open {
            // Aborted: the first activation will be a resume. A prewarmed one stays warm.
            process.launch = process.prewarmed ? .background : .closed
        }
    }

    private func becomeActive(at event: Event) {
        latency(at: event)
        process.everActive = true
        process.launch = .closed
        forgetOpenings()
        leaked = []
        runningAtResign = nil
        overlayAtActivate = isOverlayUp ? event : nil
    }

    /// Closes the interval of the phase at `end`; it counts in the window and group of `edge`.
    func closeInterval(at end: Event, countedAt edge: Event, by ending: Edge?, inferred: Bool) {
        guard let start = opened else { return }
        let isBackground = phase == .background
        guard phase.isForeground || isBackground else { return }
        if phase == .inactive, !stuckCounted, clock.duration(start, end) > limits.stuckInactive {
            stuckCounted = true
            timed(.stuckInactive, start, limits.stuckInactive)
        }
        if phase == .inactive, !inferred { judgeProtection(from: start, to: end, at: edge) }
        // A background interval over the limit is dropped and is no anomaly.
        guard let duration = measured(start, end, at: edge, limited: !isBackground),
            duration <= limits.durationMax
        else { return }
        let phase = phase
        let kind = inactiveClass(endedBy: ending)
        let reason = start.reason ?? edge.reason
        ledger.add(at: edge.time, edge.group) { tally in
            if inferred { tally.inferred[phase.rawValue, default: .init()].add(duration); return }
            switch phase {
            case .active: tally.spans[.active, default: .init()].add(duration)
            case .background: tally.spans[.background, default: .init()].add(duration)
            default:
                tally.measures[.inactive, default: []].append(duration)
                tally.inactiveByClass[kind, default: .init()].add(duration)
                if let reason { tally.inactiveByReason[reason, default: .init()].add(duration) }
            }
        }
    }

    private func inactiveClass(endedBy ending: Edge?) -> String {
        let began = openedBy == .launch || openedBy == .enterForeground
        return ending == .activate ? (began ? "arrival" : "interruption") : (began ? "aborted" : "departure")
    }

    /// Once per burst, which ends when a resign sees the count or fewer in its span.
    private func flapping(_ event: Event) {
        resigns = (resigns + [event]).filter { clock.duration($0, event) <= limits.flappingWithin }
        let isMany = resigns.count > limits.flappingCount
        if isMany, !inBurst { anomaly(.inactiveFlapping, at: event) }
        inBurst = isMany
    }
}
