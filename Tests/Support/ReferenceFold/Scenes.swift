/// A scene of the running process.
struct SceneState {
    /// Undetermined while it is connected and no other edge of it was seen.
    var phase: Phase
    var openedBy = Edge.unknown
    var enteredBackground: Event?
}

/// Scenes: the app phase is that of the most active one.
extension Installation {
    func sceneEdge(_ event: Event) {
        if event.bridged, process.reportedNative { return }
        process.reportedNative = true
        beginRule()
        process.reportedScenes = true
        let key = event.instance ?? ""
        switch event.edge {
        case .connect:
            if scenes[key] == nil { scenes[key] = SceneState(phase: .undetermined) }
        case .disconnect: disconnect(key, event)
        default:
            guard let edge = edgeOfState(event.edge, scenes[key]), let target = Self.target(of: edge) else { return }
            slowResign(event, edge)
            sceneEdge(edge, to: target, key, event)
            if edge == .enterForeground { sentEnterForeground = true }
        }
    }

    /// scenePhase tells states: the edge follows from the value and the phase before.
    func edgeOfState(_ edge: Edge, _ scene: SceneState?) -> Edge? {
        switch edge {
        case .stateActive: scene?.phase == .active ? nil : .activate
        case .stateBackground: scene?.phase == .background ? nil : .enterBackground
        case .stateInactive:
            switch scene?.phase {
            case .inactive: nil
            case .active: .resign
            case nil: process.launchEdge != nil ? .enterForeground : .resign
            default: .enterForeground
            }
        default: edge
        }
    }

    private func disconnect(_ key: String, _ event: Event) {
        scenes[key] = nil
        guard phase != .notRunning, phase != .undetermined else { return }
        let rest = phaseOfScenes ?? .background
        if rest != phase { transition(to: rest, by: meaning(rest, .enterBackground), at: event, inferred: false) }
    }

    /// The edge of the app that an edge of a scene amounts to where it leads the app to a phase.
    private func meaning(_ phase: Phase, _ edge: Edge) -> Edge {
        switch phase {
        case .active: .activate
        case .inactive: edge == .enterForeground ? .enterForeground : .resign
        default: .enterBackground
        }
    }

    /// That of the most active scene; nothing where no scene has told of a phase.
    private var phaseOfScenes: Phase? {
        guard scenes.values.contains(where: { $0.phase != .undetermined }) else { return nil }
        for phase in [Phase.active, .inactive] where scenes.values.contains(where: { $0.phase == phase }) {
            return phase
        }
        return .background
    }

    func sceneVerdict(_ edge: Edge, _ scene: SceneState?, _ event: Event) -> Verdict {
        guard let scene else { return .legal }
        // The first edge of a connected scene is judged as the first one after a launch.
        if scene.phase == .undetermined { return edge == .resign ? .illegal(repeats: false) : .legal }
        return judge(
            edge, in: scene.phase, openedBy: scene.openedBy, enteredBackground: scene.enteredBackground, at: event)
    }

    private func sceneEdge(_ edge: Edge, to target: Phase, _ key: String, _ event: Event) {
        var verdict = sceneVerdict(edge, scenes[key], event)
        if phase == .notRunning, process.terminated { verdict = .illegal(repeats: false) }
        if verdict == .missing { anomaly(.missingEvent, at: event) }
        if case .illegal = verdict { anomaly(.illegalTransition, at: event) }
        if verdict != .illegal(repeats: true) {
            scenes[key] = SceneState(
                phase: target, openedBy: edge, enteredBackground: edge == .enterBackground ? event : nil)
        }

        let now = phaseOfScenes ?? target
        let meant = meaning(now, edge)
        if phase == .undetermined, decideLaunch(by: meant, at: event) { return }
        let others = scenes.filter { $0.key != key }.values
        switch verdict {
        case .legal:
            // Of a scene not seen before, a resignation tells that it was active, since when is not known.
            let isImplied = meant == .resign && phase == .background
            if now != phase { transition(to: now, by: meant, at: event, inferred: isImplied) }
        case .missing:
            if now != phase { transition(to: now, by: meant, at: event, inferred: true) }
        case .illegal(let repeats):
            guard !repeats else { return }
            let restsOnIt = !others.contains { $0.phase == now }
            if now != phase || restsOnIt { resynchronise(to: now, by: meant, at: event) }
        }
    }
}

/// Echoes: app edges beside scenes or activities must agree with the derived phase at some moment near them.
extension Installation {
    func judgeEchoes(_ isDue: (Event) -> Bool) {
        guard !echoes.isEmpty else { return }
        let due = echoes.filter { isDue($0.edge) }
        guard !due.isEmpty else { return }
        echoes.removeAll { echo in due.contains { $0.edge === echo.edge } }
        for (edge, told) in due where !wasPhase(told, around: edge) { anomaly(.illegalTransition, at: edge) }
    }

    /// Of the phases before scenes or activities told of them, the last two matter.
    func beginRule() {
        guard !process.reportedScenes, !process.reportedActivities else { return }
        phases = phases.suffix(2)
        if phases.count > 1 { phases[0].since = nil }
    }

    private func wasPhase(_ told: Phase, around edge: Event) -> Bool {
        let tolerance = limits.echoTolerance
        func isNear(_ other: Event) -> Bool { abs(clock.duration(other, edge)) <= tolerance }
        for (place, span) in phases.enumerated() {
            let beganBy = span.since.map { $0.order < edge.order || isNear($0) } ?? true
            let next = place + 1 < phases.count ? phases[place + 1].since : nil
            let endedAfter = next.map { $0.order > edge.order || isNear($0) } ?? true
            guard beganBy, endedAfter else { continue }
            let agrees =
                switch span.phase {
                case .unknown: true
                case .undetermined: told != .active
                default: span.phase == told
                }
            if agrees { return true }
        }
        return false
    }
}
