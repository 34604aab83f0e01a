/// Whether the machine can take an edge as it stands, for the order of events of one time.
extension Installation {
    func canTake(_ event: Event) -> Bool {
        switch event.scope {
        case .app:
            guard !process.reportedScenes, !process.reportedActivities, !event.bridged else { return true }
            if event.edge == .terminate { return phase != .notRunning }
            return judge(
                event.edge, in: phase, openedBy: openedBy, enteredBackground: enteredBackground, at: event) == .legal
        case .scene: return sceneVerdict(event.edge, scenes[event.instance ?? ""], event) == .legal
        case .activity:
            let stage = activities[event.instance ?? event.className ?? ""]?.stage
            switch event.edge {
            case .resume: return stage != .resumed
            case .pause: return stage != .paused && stage != .stopped
            case .stop: return stage != .resumed
            default: return true
            }
        case .view:
            let stage = views[event.instance ?? "class " + (event.className ?? "")]?.stage
            switch event.edge {
            case .didAppear: return stage == .appearing || stage == nil
            case .didDisappear: return stage != .disappeared
            default: return true
            }
        }
    }
}
