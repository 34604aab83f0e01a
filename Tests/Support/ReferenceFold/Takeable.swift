/// Whether the machine can take an edge as it stands, for the order of events of one time.
extension Installation {
    func canTake(_ event: Event) -> Bool {
        switch event.scope {
        case .app:
            guard !process.reportedScenes, !process.reportedActivities, !event.bridged else { return true }
            if event.edge == .terminate { return phase != .notRunning }
            if phase == .undetermined, let launch = process.launchEdge {
                return event.edge != .resign || clock.duration(launch, event) <= limits.launchGap
            }
            return judge(
                event.edge, in: phase, openedBy: openedBy, enteredBackground: enteredBackground, at: event) == .legal
        case .scene:
            let scene = scenes[event.instance ?? ""]
            return edgeOfState(event.edge, scene).map { sceneVerdict($0, scene, event) == .legal } ?? true
        case .activity where event.instance == nil: return true
        case .activity:
            let stage = activities[event.instance ?? event.className ?? ""]?.stage
            switch event.edge {
            case .resume: return stage != .resumed
            case .pause: return stage != .paused && stage != .stopped
            case .stop: return stage != .resumed
            default: return true
            }
        case .view: return true
        }
    }
}
