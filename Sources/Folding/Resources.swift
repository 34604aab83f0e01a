import Lifecycle

/// Something that an installation has running: an animation, a camera, an observer …
struct Resource: Listed, BitwiseCopyable {
    /// Id in the lexicon's texts.
    var name: UInt32
    var instance: UInt64
    var className: UInt64
    /// A view started it.
    var isOfView: Bool
    var started: Place
    /// One that is not running is remembered only as long as it must not be counted again.
    var isRunning = true
    var ranAtResign = false
    /// Counted since the last activate.
    var isLeaked = false
    var told: UInt16 = 0
}

extension Device {
    mutating func foldResource(_ event: Event, _ stamp: Stamp, _ context: FoldContext) {
        guard event.edge == .resourceStart || cold != Device.noCold else { return }
        let held = makeCold(context)
        let (name, instance, className) = (event.resource, event.instance, event.className)
        let index = held.resources.firstIndex {
            $0.name == name && $0.instance == instance && $0.className == className
        }
        guard event.edge == .resourceStart else {
            guard let index else { return }
            if held.resources[index].isLeaked {
                held.resources[index].isRunning = false
            } else {
                held.resources.remove(at: index)
            }
            return
        }
        var resource = Resource(
            name: name, instance: instance, className: className, isOfView: event.scope == .view,
            started: Place(stamp: stamp, order: context.order))
        if let index {
            guard !held.resources[index].isRunning else { return }
            resource.isLeaked = true
            held.resources.remove(at: index)
        }
        context.keep(resource, in: &held.resources)
        let isInBackground = state == .background || state == .launching
        if isInBackground, held.graces.backgrounded == nil { held.graces.backgrounded = resource.started }
    }

    mutating func settleResources(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        let grace = context.limits.resourceGrace
        if let start = held.graces.resigned, isOver(start, grace, clock, context) {
            held.graces.resigned = nil
            for index in held.resources.indices
            where held.resources[index].ranAtResign
                && context.names.foreground.contains(held.resources[index].name)
            {
                countLeak(held, index, start, context)
            }
        }
        guard let since = held.graces.backgrounded else { return }
        for index in held.resources.indices where isForbiddenInBackground(held.resources[index], context) {
            let start = Device.later(since, held.resources[index].started)
            if isOver(start, grace, clock, context) { countLeak(held, index, start, context) }
        }
    }

    /// Whether a resource will be counted if it runs on in the background.
    func isForbiddenInBackground(_ resource: Resource, _ context: FoldContext) -> Bool {
        resource.isRunning && !resource.isLeaked && !context.names.background.contains(resource.name)
    }

    /// From where the grace of a resource counts in the background: its start or, if that was before, the entry.
    static func later(_ entry: Place, _ started: Place) -> Stamp {
        started.order > entry.order ? started.stamp : entry.stamp
    }

    private func countLeak(_ held: Cold, _ index: Int, _ start: Stamp, _ context: FoldContext) {
        guard held.resources[index].isRunning, !held.resources[index].isLeaked else { return }
        held.resources[index].isLeaked = true
        context.emit(
            .anomaly(.resourceLeak), time: start.corrected + context.limits.resourceGrace, group: start.group)
    }

    /// The app entered the background: its views are off the screen, and little may run on.
    mutating func enterBackground(_ stamp: Stamp, _ context: FoldContext) {
        closeViews(stamp, context)
        guard let held = coldState(context), held.hasGraces else { return }
        held.graces.creations.removeAll { creation in
            held.activities.first { $0.id == creation.activity }.map { $0.state != .created } ?? true
        }
        if !held.resources.isEmpty { held.graces.backgrounded = Place(stamp: stamp, order: context.order) }
    }

    /// The app became active: what ran before may run again, and an overlay has its grace to go.
    mutating func becomeActive(_ stamp: Stamp, _ context: FoldContext) {
        guard let held = coldState(context), held.hasGraces || flags.contains(.overlayUp) else { return }
        held.graces.resigned = nil
        held.graces.backgrounded = nil
        held.resources.removeAll { !$0.isRunning }
        for index in held.resources.indices {
            held.resources[index].ranAtResign = false
            held.resources[index].isLeaked = false
        }
        held.graces.overlay = flags.contains(.overlayUp) ? stamp : nil
    }

    // MARK: Overlays

    mutating func foldOverlay(_ event: Event, _ stamp: Stamp, _ context: FoldContext) {
        if flags.contains(.overlayUp) || event.edge == .overlayShown {
            if let held = coldState(context), held.hasGraces { held.graces.pause?.sawOverlay = true }
        }
        if event.edge == .overlayShown {
            _ = makeCold(context)
            flags.insert([.shownOverlay, .overlayUp, .overlaySeen])
        } else {
            flags.remove(.overlayUp)
            if let held = coldState(context), held.hasGraces { held.graces.overlay = nil }
        }
    }

    mutating func settleOverlay(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        guard let start = held.graces.overlay, isOver(start, context.limits.overlayGrace, clock, context) else {
            return
        }
        held.graces.overlay = nil
        guard state == .active, flags.contains(.overlayUp) else { return }
        context.emit(
            .anomaly(.overlayLeaked), time: start.corrected + context.limits.overlayGrace, group: start.group)
    }

    /// Confidential content was left uncovered while the app was inactive, by an app that has covered it before.
    mutating func checkProtection(_ end: Stamp, _ context: FoldContext) {
        guard began == .resign, flags.contains(.shownOverlay), !flags.contains(.overlaySeen) else { return }
        context.count(.unprotectedInactive, at: end)
    }
}
