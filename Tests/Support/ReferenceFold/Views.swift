/// A view controller.
struct ViewState {
    var className: String?
    enum Stage {
        case disappeared, appearing, appeared, disappearing
    }

    var stage = Stage.disappeared
    var loadedView = false
    var loaded = false
    /// First edge of its loading, while the first visit is still to come.
    var loadFrom: Event?
    var isVisited = false
    /// A visit is under way.
    var isVisiting = false
    /// Edge since which it is on the screen; none in the background.
    var visibleFrom: Event?
}

/// Views: balance, visits, load times.
extension Installation {
    func viewEdge(_ event: Event) {
        let key = event.instance ?? "class " + (event.className ?? "")
        // First sight of an instance, whatever its edge, is nothing anomalous.
        var view = views[key] ?? ViewState()
        view.className = event.className ?? view.className
        let isJudged = event.instance != nil && views[key] != nil && isAnnounced(event.instance, view.className)
        switch event.edge {
        case .loadView, .didLoad: load(&view, event)
        case .willAppear:
            announcedViews.insert("instance " + (event.instance ?? ""))
            if let name = view.className { announcedViews.insert("class " + name) }
            switch view.stage {
            case .disappearing:
                count(.cancelledTransitions, at: event)
                view.stage = .appearing
            case .disappeared: view.stage = .appearing
            default: break
            }
        case .didAppear: appear(&view, event, isJudged)
        case .willDisappear:
            if view.stage == .appearing { count(.cancelledTransitions, at: event) }
            if view.stage != .disappeared { view.stage = .disappearing }
        case .didDisappear:
            if view.stage == .disappeared, isJudged { anomaly(.viewUnbalanced, at: event) }
            view.stage = .disappeared
            endVisit(&view, event)
        case .end:
            leakObservers(of: event)
            views[key] = nil
            return
        default: break
        }
        views[key] = view
    }

    private func isAnnounced(_ instance: String?, _ className: String?) -> Bool {
        announcedViews.contains("instance " + (instance ?? ""))
            || className.map { announcedViews.contains("class " + $0) } ?? false
    }

    private func load(_ view: inout ViewState, _ event: Event) {
        let isAgain = event.edge == .loadView ? view.loadedView : view.loaded
        if isAgain, event.instance != nil { anomaly(.viewReloaded, at: event) }
        if !view.isVisited, view.loadFrom == nil, !view.loadedView, !view.loaded,
            phase.isForeground || phase == .undetermined
        {
            view.loadFrom = event
        }
        if event.edge == .loadView { view.loadedView = true } else { view.loaded = true }
    }

    private func appear(_ view: inout ViewState, _ event: Event, _ isJudged: Bool) {
        if phase == .background { anomaly(.viewInBackground, at: event) }
        if phase == .undetermined {
            undecided.append { [unowned self] isForeground in
                if !isForeground { self.anomaly(.viewInBackground, at: event) }
            }
        }
        let isUnbalanced = view.stage == .appeared || view.stage == .disappeared || view.stage == .disappearing
        let changesVisit = !(isUnbalanced && isJudged) && !view.isVisiting
        if isUnbalanced, isJudged { anomaly(.viewUnbalanced, at: event) }
        view.stage = .appeared
        guard changesVisit else { return }
        if !view.isVisited, let load = view.loadFrom { measureLoad(from: load, to: event) }
        view.isVisited = true
        view.loadFrom = nil
        view.isVisiting = true
        view.visibleFrom = phase == .background ? nil : event
    }

    private func measureLoad(from load: Event, to event: Event) {
        let measure = { [unowned self] in
            guard let duration = measured(load, event, at: event, limited: false) else { return }
            ledger.add(at: event.time, event.group) { $0.measures[.viewLoad, default: []].append(duration) }
        }
        guard phase == .undetermined else { return measure() }
        undecided.append { isForeground in if isForeground { measure() } }
    }

    private func endVisit(_ view: inout ViewState, _ event: Event) {
        if let start = view.visibleFrom { addVisible(from: start, to: event) }
        view.visibleFrom = nil
        view.isVisiting = false
    }

    private func addVisible(from start: Event, to end: Event) {
        guard let duration = measured(start, end, at: end, limited: false) else { return }
        ledger.add(at: end.time, end.group) { $0.spans[.viewVisible, default: .init()].add(duration) }
    }

    /// The app enters the background or ends: what is visible is closed for screen time.
    func closeVisits(at event: Event) {
        for key in views.keys {
            if let start = views[key]?.visibleFrom { addVisible(from: start, to: event) }
            views[key]?.visibleFrom = nil
        }
    }

    /// UIKit sends no view edge when the app returns.
    func reopenVisits(at event: Event) {
        for (key, view) in views where view.isVisiting { views[key]?.visibleFrom = event }
    }

    func forgetVisits() {
        for key in views.keys { views[key]?.visibleFrom = nil }
    }

    /// A load counts only where the app was in the foreground all the while.
    func taintLoads() {
        for key in views.keys { views[key]?.loadFrom = nil }
    }
}
