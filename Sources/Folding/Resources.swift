import Lifecycle

/// Something that an installation has running: an animation, a camera, an observer …
struct Resource: BitwiseCopyable {
    /// Id in the lexicon's texts.
    var name: UInt32
    var instance: UInt64
    var className: UInt64
    /// A view started it.
    var isOfView: Bool
    var ranAtResign = false
    /// Counted since the last activate.
    var isLeaked = false
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
            if let index { held.resources.remove(at: index) }
            return
        }
        guard index == nil else { return }
        let resource = Resource(
            name: name, instance: instance, className: className, isOfView: event.scope == .view)
        Instances.append(resource, to: &held.resources, limit: context.limits.instancesLimit)
        if state == .background, held.graces.backgrounded == nil { held.graces.backgrounded = stamp }
    }

    mutating func settleResources(_ held: Cold, _ clock: GraceClock, _ context: FoldContext) {
        let grace = context.limits.resourceGrace
        let names = context.names
        if let start = held.graces.resigned, isOver(start, grace, clock, context) {
            held.graces.resigned = nil
            countLeaks(held, start, context) { $0.ranAtResign && names.foreground.contains($0.name) }
        }
        if let start = held.graces.backgrounded, isOver(start, grace, clock, context) {
            held.graces.backgrounded = nil
            countLeaks(held, start, context) { !names.background.contains($0.name) }
        }
    }

    private mutating func countLeaks(
        _ held: Cold, _ start: Stamp, _ context: FoldContext, _ mustStop: (Resource) -> Bool
    ) {
        for index in held.resources.indices {
            guard !held.resources[index].isLeaked, mustStop(held.resources[index]) else { continue }
            held.resources[index].isLeaked = true
            context.emit(
                .anomaly(.resourceLeak), time: start.corrected + context.limits.resourceGrace, group: start.group)
        }
    }

    /// The app entered the background: its views are off the screen, and little may run on.
    mutating func enterBackground(_ stamp: Stamp, _ context: FoldContext) {
        closeViews(stamp, context)
        guard let held = context.store[cold], !held.resources.isEmpty else { return }
        held.graces.backgrounded = stamp
    }

    /// The app became active: what ran before may run again, and an overlay has its grace to go.
    mutating func becomeActive(_ stamp: Stamp, _ context: FoldContext) {
        guard let held = context.store[cold] else { return }
        held.graces.resigned = nil
        held.graces.backgrounded = nil
        for index in held.resources.indices {
            held.resources[index].ranAtResign = false
            held.resources[index].isLeaked = false
        }
        held.graces.overlay = flags.contains(.overlayUp) ? stamp : nil
    }

    // MARK: Overlays

    mutating func foldOverlay(_ event: Event, _ stamp: Stamp, _ context: FoldContext) {
        if event.edge == .overlayShown {
            _ = makeCold(context)
            flags.insert([.shownOverlay, .overlayUp, .overlaySeen])
        } else {
            flags.remove(.overlayUp)
            context.store[cold]?.graces.overlay = nil
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
