/// What a resource is told apart by.
struct ResourceKey: Hashable {
    let name: String
    let instance: String?
    let className: String?
}

/// Resources that run on, and the privacy overlay.
extension Installation {
    private static let mustPause: Set<String> = ["animation", "timer", "sensor", "video", "camera", "location"]

    func resource(_ event: Event) {
        let key = ResourceKey(name: event.resource ?? "", instance: event.instance, className: event.className)
        switch event.edge {
        case .resourceStart: if resources[key] == nil { resources[key] = event }
        case .resourceStop: resources[key] = nil
        case .overlayShown:
            if !isOverlayUp { overlays = (overlays + [(event.order, nil)]).suffix(16) }
        default: hideOverlay(event.order)
        }
    }

    // MARK: Leaks

    func markResources(at resign: Event) {
        runningAtResign = (resign, resources.filter { Self.mustPause.contains($0.key.name) })
    }

    func settleResources(_ now: Now) {
        if let (resign, running) = runningAtResign, isOver(limits.resourceGrace, since: resign, now) {
            runningAtResign = nil
            for (key, start) in running where resources[key] === start { leak(key, resign) }
        }
        guard let since = resourceBackground else { return }
        for (key, start) in resources where isForbiddenInBackground(key) {
            let from = later(since, start)
            if isOver(limits.resourceGrace, since: from, now) { leak(key, from) }
        }
    }

    /// Since when the app has been in the background, as far as timers are concerned.
    private var resourceBackground: Event? {
        phase == .background || phase == .undetermined ? backgroundSince : nil
    }

    private func isForbiddenInBackground(_ key: ResourceKey) -> Bool {
        !limits.backgroundResources.contains(key.name) && !leaked.contains(key)
    }

    private func later(_ one: Event, _ other: Event) -> Event { one.order > other.order ? one : other }

    /// Edges that limits of running resources count from.
    var resourceStarts: [Event] {
        var starts: [Event] = []
        if let runningAtResign { starts.append(runningAtResign.resign) }
        if let since = resourceBackground {
            for (key, start) in resources where isForbiddenInBackground(key) { starts.append(later(since, start)) }
        }
        return starts
    }

    private func leak(_ key: ResourceKey, _ start: Event) {
        guard leaked.insert(key).inserted else { return }
        timed(.resourceLeak, start, limits.resourceGrace)
    }

    /// An observer that a view started must not outlive it.
    func leakObservers(of end: Event) {
        guard let instance = end.instance else { return }
        for (key, start) in resources
        where key.name == "observer" && key.instance == instance && start.scope == .view {
            if leaked.insert(key).inserted { anomaly(.resourceLeak, at: end) }
        }
    }

    // MARK: Overlay

    var isOverlayUp: Bool { overlays.last.map { $0.hidden == nil } ?? false }

    func hideOverlay(_ order: Int? = nil) {
        guard isOverlayUp else { return }
        overlays[overlays.count - 1].hidden = order ?? folded
        overlayAtActivate = nil
    }

    func settleOverlay(_ now: Now) {
        guard let activate = overlayAtActivate, isOver(limits.overlayGrace, since: activate, now) else { return }
        overlayAtActivate = nil
        timed(.overlayLeaked, activate, limits.overlayGrace)
    }

    /// An installation that has ever shown an overlay owes one in every inactive interval that began with resign.
    func judgeProtection(from start: Event, to end: Event, at edge: Event) {
        guard openedBy == .resign, !overlays.isEmpty else { return }
        let wasUp = overlays.contains { overlay in
            overlay.shown <= end.order && (overlay.hidden.map { $0 >= start.order } ?? true)
        }
        if !wasUp { anomaly(.unprotectedInactive, at: edge) }
    }
}
