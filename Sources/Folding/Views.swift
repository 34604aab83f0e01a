import Lifecycle

/// A view controller's view of an installation.
struct View {
    enum State: UInt8 {
        case disappeared
        case appearing
        case appeared
        case disappearing
    }

    /// The instance or, without one, the class.
    var id: UInt64
    var className: UInt64
    var isNamed: Bool
    var state = State.disappeared
    /// It has announced an appearance.
    var isAnnounced = false
    var hasLoadedView = false
    var hasDidLoad = false
    /// From where its loading is measured; nil once its first visit began.
    var loading: Moment?
    /// The app was in the background while it loaded.
    var isLoadSpoilt = false
    var hadVisit = false
    /// A visit is open.
    var isVisited = false
    /// Since when the visit is on screen; nil while the app is in the background.
    var visibleSince: Moment?
}

extension Cold {
    /// Nothing was heard for too long: how long the open visits lasted is not known.
    func loseVisits() {
        for index in views.indices {
            views[index].isVisited = false
            views[index].visibleSince = nil
            views[index].isLoadSpoilt = true
        }
    }

    /// The app was in the background while views loaded: their load time says nothing.
    func spoilLoads() {
        for index in views.indices { views[index].isLoadSpoilt = true }
    }
}

extension Device {
    mutating func foldView(_ event: Event, _ stamp: Stamp, _ context: FoldContext) {
        let held = makeCold(context)
        let id = event.instance != 0 ? event.instance : event.className
        let index = held.views.firstIndex { $0.id == id }
        var view =
            index.map { held.views.remove(at: $0) }
            ?? View(id: id, className: event.className, isNamed: event.instance != 0)
        if event.className != 0 { view.className = event.className }
        let isFirstSight = index == nil
        let isJudged =
            view.isNamed && !isFirstSight
            && (view.isAnnounced || view.className != 0 && held.announcedClasses.contains(view.className))
        switch event.edge {
        case .viewLoadView: load(&view, again: view.hasLoadedView, stamp, context) { $0.hasLoadedView = true }
        case .viewDidLoad: load(&view, again: view.hasDidLoad, stamp, context) { $0.hasDidLoad = true }
        case .viewWillAppear: announce(&view, held, stamp, context)
        case .viewDidAppear: appear(&view, isJudged: isJudged, isFirstSight: isFirstSight, stamp, context)
        case .viewWillDisappear:
            if view.state == .appearing { context.count(.cancelledTransitions, at: stamp) }
            if view.state != .disappeared { view.state = .disappearing }
        case .viewDidDisappear:
            if view.state == .disappeared {
                if isJudged { context.count(.viewUnbalanced, at: stamp) }
            } else {
                view.state = .disappeared
            }
            closeVisit(&view, stamp, context)
            view.isVisited = false
        case .viewDeinit:
            return checkObservers(held, event, stamp, context)
        default:
            break
        }
        Instances.append(view, to: &held.views, limit: context.limits.instancesLimit)
    }

    private mutating func load(
        _ view: inout View, again: Bool, _ stamp: Stamp, _ context: FoldContext, _ mark: (inout View) -> Void
    ) {
        if again, view.isNamed { context.count(.viewReloaded, at: stamp) }
        mark(&view)
        guard view.loading == nil, !view.hadVisit else { return }
        view.loading = stamp.moment
        view.isLoadSpoilt = !phase.isForeground && state != .launching
    }

    private mutating func announce(_ view: inout View, _ held: Cold, _ stamp: Stamp, _ context: FoldContext) {
        view.isAnnounced = true
        if view.className != 0, !held.announcedClasses.contains(view.className) {
            Instances.append(view.className, to: &held.announcedClasses, limit: context.limits.instancesLimit)
        }
        if view.state == .disappearing { context.count(.cancelledTransitions, at: stamp) }
        if view.state != .appeared { view.state = .appearing }
    }

    private mutating func appear(
        _ view: inout View, isJudged: Bool, isFirstSight: Bool, _ stamp: Stamp, _ context: FoldContext
    ) {
        if state == .background { context.count(.viewInBackground, at: stamp) }
        let before = view.state
        view.state = .appeared
        if before == .appeared {
            if isJudged { context.count(.viewUnbalanced, at: stamp) }
            return
        }
        if before != .appearing, isJudged {
            // An unbalanced edge begins no visit.
            return context.count(.viewUnbalanced, at: stamp)
        }
        if let loading = view.loading, !view.hadVisit, !view.isLoadSpoilt, state != .background,
            let length = countable(from: loading, to: stamp, context)
        {
            context.emit(.latency(.viewLoad), value: length, at: stamp)
        }
        view.loading = nil
        view.hadVisit = true
        guard !view.isVisited else { return }
        view.isVisited = true
        view.visibleSince = state == .background || state == .notRunning ? nil : stamp.moment
    }

    private mutating func closeVisit(_ view: inout View, _ stamp: Stamp, _ context: FoldContext) {
        guard let since = view.visibleSince else { return }
        view.visibleSince = nil
        guard let length = countable(from: since, to: stamp, context) else { return }
        context.emit(.interval(.viewVisible), value: length, at: stamp)
    }

    /// The app left the screen, and its views with it; nothing tells them.
    mutating func closeViews(_ stamp: Stamp, _ context: FoldContext) {
        guard let held = context.store[cold] else { return }
        for index in held.views.indices {
            closeVisit(&held.views[index], stamp, context)
            held.views[index].isLoadSpoilt = true
        }
    }

    /// The app is back on the screen, and with it what was visible when it left.
    mutating func reopenViews(_ stamp: Stamp, _ context: FoldContext) {
        guard let held = context.store[cold] else { return }
        for index in held.views.indices where held.views[index].isVisited {
            held.views[index].visibleSince = stamp.moment
        }
    }

    /// A view ends: the observers that it started should have ended before it.
    private mutating func checkObservers(
        _ held: Cold, _ event: Event, _ stamp: Stamp, _ context: FoldContext
    ) {
        guard event.instance != 0 else { return }
        for index in held.resources.indices {
            let resource = held.resources[index]
            guard resource.isOfView, resource.instance == event.instance, resource.name == context.names.observer,
                !resource.isLeaked
            else { continue }
            held.resources[index].isLeaked = true
            context.count(.resourceLeak, at: stamp)
        }
    }
}
