import Lifecycle

/// A view controller's view of an installation.
struct View: Listed {
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
    var hasLoadedView = false
    var hasDidLoad = false
    /// From where its loading is measured; nil once its first visit began.
    var loading: Moment?
    /// The app was in the background while it loaded.
    var isLoadSpoilt = false
    var hadVisit = false
    /// A visit is open.
    var isVisited = false
    var told: UInt16 = 0
    /// Since when the visit is on screen; nil while the app is in the background.
    var visibleSince: Moment?
}

/// A view that appeared while it was not decided where a launch leads.
struct UndecidedView {
    var stamp: Stamp
    /// From where its loading is measured, if that can be.
    var loading: Moment?
}

extension Cold {
    /// How long the open visits lasted is not known, nor whether the app was in front while views loaded.
    func loseVisits() {
        guard hasVisits else { return }
        for index in views.indices {
            views[index].visibleSince = nil
            views[index].isLoadSpoilt = true
        }
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
            && (held.announcedViews.contains(id)
                || view.className != 0 && held.announcedClasses.contains(view.className))
        switch event.edge {
        case .viewLoadView: load(&view, again: view.hasLoadedView, stamp, context) { $0.hasLoadedView = true }
        case .viewDidLoad: load(&view, again: view.hasDidLoad, stamp, context) { $0.hasDidLoad = true }
        case .viewWillAppear: announce(&view, held, stamp, context)
        case .viewDidAppear: appear(&view, held, isJudged: isJudged, stamp, context)
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
        context.keep(view, in: &held.views)
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
        let limit = context.limits.instancesLimit
        if view.isNamed, !held.announcedViews.contains(view.id) {
            held.announcedViews.append(view.id, limit: limit, in: context.memory)
        }
        if view.className != 0, !held.announcedClasses.contains(view.className) {
            held.announcedClasses.append(view.className, limit: limit, in: context.memory)
        }
        if view.state == .disappearing { context.count(.cancelledTransitions, at: stamp) }
        if view.state != .appeared { view.state = .appearing }
    }

    private mutating func appear(
        _ view: inout View, _ held: Cold, isJudged: Bool, _ stamp: Stamp, _ context: FoldContext
    ) {
        if state == .background { context.count(.viewInBackground, at: stamp) }
        let isUnbalanced = isJudged && view.state != .appearing
        // An unbalanced edge begins no visit.
        if isUnbalanced { context.count(.viewUnbalanced, at: stamp) }
        let beginsVisit = !isUnbalanced && !view.isVisited
        let loading = beginsVisit && !view.hadVisit && !view.isLoadSpoilt ? view.loading : nil
        if state == .launching {
            let undecided = UndecidedView(stamp: stamp, loading: loading)
            held.undecidedViews.append(
                undecided, limit: context.limits.instancesLimit, in: context.memory)
        } else if let loading {
            measureLoad(from: loading, to: stamp, context)
        }
        view.state = .appeared
        guard beginsVisit else { return }
        view.loading = nil
        view.hadVisit = true
        view.isVisited = true
        view.visibleSince = state == .background ? nil : stamp.moment
    }

    private mutating func measureLoad(from loading: Moment, to stamp: Stamp, _ context: FoldContext) {
        guard let length = countable(from: loading, to: stamp, limit: Int64.max, context) else { return }
        context.emit(.latency(.viewLoad), value: length, at: stamp)
    }

    /// A launch is decided: what appeared meanwhile was on the screen, or in the background.
    mutating func decideViews(_ held: Cold, isForeground: Bool, _ context: FoldContext) {
        guard held.hasVisits else { return }
        for index in held.undecidedViews.indices {
            let view = held.undecidedViews[index]
            if !isForeground {
                context.count(.viewInBackground, at: view.stamp)
            } else if let loading = view.loading {
                measureLoad(from: loading, to: view.stamp, context)
            }
        }
        held.undecidedViews.removeAll()
        if !isForeground { held.loseVisits() }
    }

    private mutating func closeVisit(_ view: inout View, _ stamp: Stamp, _ context: FoldContext) {
        guard let since = view.visibleSince else { return }
        view.visibleSince = nil
        guard let length = countable(from: since, to: stamp, limit: Int64.max, context) else { return }
        context.emit(.interval(.viewVisible), value: length, at: stamp)
    }

    /// The app left the screen, and its views with it; nothing tells them.
    mutating func closeViews(_ stamp: Stamp, _ context: FoldContext) {
        guard let held = coldState(context), held.hasVisits else { return }
        for index in held.views.indices {
            closeVisit(&held.views[index], stamp, context)
            held.views[index].isLoadSpoilt = true
        }
    }

    /// The app is back on the screen, and with it what was visible when it left.
    mutating func reopenViews(_ stamp: Stamp, _ context: FoldContext) {
        guard let held = coldState(context), held.hasVisits else { return }
        for index in held.views.indices where held.views[index].isVisited {
            held.views[index].visibleSince = stamp.moment
        }
    }

    /// A view ends: the observers that it started should have ended before it.
    private mutating func checkObservers(
        _ held: Cold, _ event: Event, _ stamp: Stamp, _ context: FoldContext
    ) {
        guard event.instance != 0, held.hasGraces else { return }
        for index in held.resources.indices {
            let resource = held.resources[index]
            guard resource.isOfView, resource.instance == event.instance, resource.name == context.names.observer,
                resource.isRunning, !resource.isLeaked
            else { continue }
            held.resources[index].isLeaked = true
            context.count(.resourceLeak, at: stamp)
        }
    }
}
