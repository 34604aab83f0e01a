import Lifecycle

/// A scene of an installation.
struct Scene: Listed, BitwiseCopyable {
    var id: UInt64
    var phase: Phase
    /// Connected, and no edge since.
    var isFresh: Bool
    var openedBy: PhaseEdge?
    var told: UInt16 = 0
    /// When it entered its phase.
    var since: Moment
}

extension Device {
    /// Folds an edge of a scene; the app's phase is that of its most active scene.
    mutating func foldScene(_ event: Event, _ stamp: Stamp, _ context: FoldContext) {
        if event.flags.contains(.bridged), flags.contains(.native) { return }
        if !event.flags.contains(.bridged) { flags.insert(.native) }
        let held = makeCold(context)
        let id = event.instance
        let index = held.scenes.firstIndex { $0.id == id }
        switch event.edge {
        case .sceneConnect:
            letRule(.scenesRule, held, context)
            if index == nil {
                let scene = Scene(id: id, phase: .background, isFresh: true, openedBy: nil, since: stamp.moment)
                context.keep(scene, in: &held.scenes)
            }
        case .sceneDisconnect:
            letRule(.scenesRule, held, context)
            if let index { held.scenes.remove(at: index) }
            followDisconnect(held, stamp, reason: event.reason, context)
        default:
            guard let edge = sceneEdge(event, index.map { held.scenes[$0] }) else { return }
            foldSceneEdge(edge, event, stamp, held, index, context)
        }
    }

    private mutating func sceneEdge(_ event: Event, _ scene: Scene?) -> PhaseEdge? {
        let value: PhaseEdge
        switch event.edge {
        case .sceneEnterForeground: return .enterForeground
        case .sceneActivate: return .activate
        case .sceneResign: return .resign
        case .sceneEnterBackground: return .enterBackground
        case .sceneIsActive: value = .activate
        case .sceneIsInactive: value = .resign
        case .sceneIsBackground: value = .enterBackground
        default: return nil
        }
        let isFresh = scene?.isFresh ?? false
        let phase = isFresh ? .unknown : scene?.phase ?? .unknown
        return TransitionTable.edge(of: value, in: phase, launched: isFresh || flags.contains(.launchSeen))
    }

    private mutating func foldSceneEdge(
        _ edge: PhaseEdge, _ event: Event, _ stamp: Stamp, _ held: Cold, _ index: Int?,
        _ context: FoldContext
    ) {
        let known = index.map { held.scenes[$0] }
        let verdict = sceneVerdict(edge, known, stamp, context)
        if edge == .enterForeground { flags.insert(.sentForeground) }
        letRule(.scenesRule, held, context)
        checkHandler(event, edge, stamp, context)
        if verdict == .illegal { context.count(.illegalTransition, at: stamp) }
        // One that repeats the edge which opened the phase of the scene is only counted.
        if verdict == .illegal, let known, !known.isFresh, known.openedBy == edge { return }
        let scene = Scene(
            id: event.instance, phase: edge.phase, isFresh: false, openedBy: edge, since: stamp.moment)
        if let index { held.scenes.remove(at: index) }
        context.keep(scene, in: &held.scenes)
        if verdict == .missing { context.count(.missingEvent, at: stamp) }

        let derived = Device.mostActive(held.scenes)
        let meant = Device.appEdge(to: derived, by: edge)
        let restsOnIt = edge.phase == derived && held.scenes.count { $0.phase == derived } == 1
        let isUndecided = state == .launching || state == .unknown || state == .notRunning
        guard isUndecided || derived != phase || verdict == .illegal && restsOnIt else { return }
        decideLaunch(meant, stamp, context)
        if verdict == .legal, meant == .resign, state == .inactive { return }
        // A resignation out of the background, legal where it is the first that is seen of its scene, tells that
        // the way in was not reported.
        let isObserved = verdict == .legal && !(meant == .resign && state == .background)
        enter(
            meant, isObserved: isObserved, isIllegal: verdict == .illegal, stamp, reason: event.reason, context)
    }

    private mutating func sceneVerdict(
        _ edge: PhaseEdge, _ scene: Scene?, _ stamp: Stamp, _ context: FoldContext
    ) -> Verdict {
        if isTerminated { return .illegal }
        guard let scene else { return .legal }
        let verdict = TransitionTable.verdict(scene.phase, edge)
        switch verdict {
        case .missingIfAnnounced:
            let isQuick = duration(from: scene.since, to: stamp.moment, context) <= context.limits.echoTolerance
            return flags.contains(.sentForeground) && !scene.isFresh && !isQuick ? .missing : .legal
        case .illegalUnlessFirst:
            return scene.isFresh ? .legal : .illegal
        default:
            return verdict
        }
    }

    /// A scene that ends may take the app from any phase to the background, and nothing is missing then.
    private mutating func followDisconnect(
        _ held: Cold, _ stamp: Stamp, reason: UInt32, _ context: FoldContext
    ) {
        guard phase.isForeground || state == .unknown else { return }
        let derived = Device.mostActive(held.scenes)
        guard derived != phase else { return }
        let meant = Device.appEdge(to: derived, by: .enterBackground)
        enter(meant, isObserved: true, isIllegal: false, stamp, reason: reason, context)
    }

    private static func mostActive(_ scenes: borrowing Few<Scene>) -> Phase {
        var phase = Phase.background
        for index in scenes.indices {
            if scenes[index].phase == .active { return .active }
            if scenes[index].phase == .inactive { phase = .inactive }
        }
        return phase
    }

    /// The edge of the app that a scene's edge amounts to.
    private static func appEdge(to phase: Phase, by edge: PhaseEdge) -> PhaseEdge {
        switch phase {
        case .active: .activate
        case .inactive: edge == .enterForeground ? .enterForeground : .resign
        default: .enterBackground
        }
    }

    /// Whether the machine can take an edge now without an anomaly; true for whatever is no phase edge.
    mutating func canTake(_ event: Event, _ stamp: Stamp, _ context: FoldContext) -> Bool {
        if let edge = Device.phaseEdge(event.edge) {
            if event.flags.contains(.bridged) { return true }
            if !flags.isDisjoint(with: [.scenesRule, .activitiesRule]) { return true }
            if state == .notRunning, flags.contains(.ended) { return edge != .terminate }
            if state == .launching {
                let gap = duration(from: .since, to: stamp.moment, context)
                return gap <= context.limits.launchBackgroundGap || edge != .resign
            }
            switch TransitionTable.verdict(phase, edge) {
            case .legal: return true
            case .missingIfAnnounced: return !flags.contains(.sentForeground)
            case .illegalUnlessFirst: return flags.contains(.freshBackground)
            case .missing, .illegal: return false
            }
        }
        guard let held = coldState(context) else { return true }
        let id = event.instance
        if event.edge.scope == .scene, let scene = held.scenes.first(where: { $0.id == id }),
            let edge = sceneEdge(event, scene)
        {
            switch TransitionTable.verdict(scene.phase, edge) {
            case .legal: return true
            case .missingIfAnnounced: return scene.isFresh || !flags.contains(.sentForeground)
            case .illegalUnlessFirst: return scene.isFresh
            case .missing, .illegal: return false
            }
        }
        return canTakeActivity(event, held)
    }
}
