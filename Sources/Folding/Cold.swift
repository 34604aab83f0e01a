internal import CPrefetch
import Lifecycle

/// What only some installations have. Every collection is bounded; the bounds stand beside them.
///
/// Each list remembers that it changed, so that a commit of the checkpoint tells it only then.
final class Cold {
    /// What the checkpoint has not been told of.
    var unsaved: HeldParts = []
    var clock = DeviceClock()
    /// What was added to the device time of the last event, and of the one that began the phase, ms.
    var lastOffset: Int64 = 0
    var sinceOffset: Int64 = 0
    /// Device time of the last event as its source told it, ms; see ``Device/Flags/toldApart``.
    var lastTold: Int64 = 0
    /// Events that were folded since there is this state.
    var events: Int64 = 0
    /// The edge before the last one, where the clock went back between them; see ``Device/Flags/stepCounted``.
    var steppedFrom = Moment.never
    var known = KnownEvents()
    /// Processes and boots that have been succeeded, oldest first; at most ``succeededLimit``.
    var succeeded: [UInt32] = [] { didSet { newSucceeded = Self.succeededLimit } }
    /// Their numbers; at most ``succeededLimit``.
    var endedCounts: [EndedCount] = [] { didSet { newEndedCounts = Self.succeededLimit } }
    /// Those at the end of the lists that the checkpoint has not been told of, or all.
    var newSucceeded = 0
    var newEndedCounts = 0
    /// Events with a number that wait for missing ones, as they came; at most `reorder.buffer`.
    var heldByNumber: [HeldEvent] = [] { didSet { unsaved.insert(.heldByNumber) } }
    /// Events without one that wait for older ones, in their order; at most `reorder.buffer` beside one record's.
    var heldByTime: [HeldEvent] = [] { didSet { unsaved.insert(.heldByTime) } }
    /// Wall clock of the edges that left Active within the span of flapping, ms; at most the count and one.
    var resigns: [Int64] = [] { didSet { unsaved.insert(.resigns) } }
    /// At most `instances.limit` each.
    var scenes: [Scene] = [] { didSet { unsaved.insert(.scenes) } }
    var activities: [Activity] = [] { didSet { unsaved.insert(.activities) } }
    var views: [View] = [] { didSet { unsaved.insert(.views) } }
    var resources: [Resource] = [] { didSet { unsaved.insert(.resources) } }
    /// Views and classes of views that announced an appearance; at most `instances.limit` each.
    var announcedViews: [UInt64] = [] { didSet { unsaved.insert(.announcedViews) } }
    var announcedClasses: [UInt64] = [] { didSet { unsaved.insert(.announcedClasses) } }
    /// What views did since a launch that is not decided yet; at most `instances.limit`.
    var undecidedViews: [UndecidedView] = [] { didSet { unsaved.insert(.undecidedViews) } }
    var graces = Graces() { didSet { unsaved.insert(.graces) } }
    var echoes = Echoes() { didSet { unsaved.insert(.echoes) } }

    static let succeededLimit = 15

    /// A process or a boot has been succeeded.
    func append(succeeded hash: UInt32) {
        let new = newSucceeded
        Instances.append(hash, to: &succeeded, limit: Self.succeededLimit)
        newSucceeded = new + 1
    }

    /// So far its numbers had come.
    func append(ended count: EndedCount) {
        let new = newEndedCounts
        Instances.append(count, to: &endedCounts, limit: Self.succeededLimit)
        newEndedCounts = new + 1
    }

    /// Holds events back.
    var holds: Bool { !heldByNumber.isEmpty || !heldByTime.isEmpty }

    /// Stream time at which the next held event is folded at the latest, ms.
    var releaseDue: Int64 {
        var due = Int64.max
        for event in heldByNumber { due = min(due, event.due) }
        for event in heldByTime { due = min(due, event.due) }
        return due
    }

    /// Holds nothing that a new one would not hold.
    var isEmpty: Bool { !holds && scenes.isEmpty && activities.isEmpty && views.isEmpty && resources.isEmpty }

    /// What does not outlive the process.
    func forgetProcess() {
        forgetScreens()
        views.removeAll(keepingCapacity: true)
        resources.removeAll(keepingCapacity: true)
        echoes = Echoes()
    }

    /// Scenes and activities are gone, and whatever was pending with them.
    func forgetScreens() {
        scenes.removeAll(keepingCapacity: true)
        activities.removeAll(keepingCapacity: true)
        undecidedViews.removeAll(keepingCapacity: true)
        graces = Graces()
    }
}

/// What is known of the numbers of a process that has been succeeded.
struct EndedCount {
    var process: UInt32
    var boot: UInt32
    /// As ``Device/sequenceNext`` and ``Device/sequenceSeen`` were.
    var next: Int64
    var seen: UInt64
}

/// An event that waits, with what was found out when it arrived.
struct HeldEvent {
    var event: Event
    var stamp: Stamp
    /// The time by which it is ordered.
    var place: Moment
    /// It came after one that is ordered after it.
    var isPutBack = false
    /// Stream time at which it is folded at the latest, ms.
    var due: Int64
}

/// The cold states of one partition, by index.
struct ColdStore {
    private var states: ContiguousArray<Cold?> = []
    private var free: [UInt32] = []

    var count: Int { states.count - free.count }

    subscript(index: UInt32) -> Cold? { index == Device.noCold ? nil : states[Int(index)] }

    /// Asks for a state that will be used soon.
    @inline(__always)
    func prefetch(_ index: UInt32) {
        guard index != Device.noCold else { return }
        unsafe states.withUnsafeBufferPointer { states in
            guard let cold = unsafe states[Int(index)] else { return }
            let object = unsafe UnsafeRawPointer(Unmanaged.passUnretained(cold).toOpaque())
            for line in 0..<Self.lines { unsafe prefetch_line(object + line * 64) }
        }
    }

    /// Cache lines of a state that saving and restoring look at.
    private static let lines = 8

    mutating func make() -> (UInt32, Cold) {
        let cold = Cold()
        if let index = free.popLast() {
            states[Int(index)] = cold
            return (index, cold)
        }
        states.append(cold)
        return (UInt32(states.count - 1), cold)
    }

    mutating func remove(_ index: UInt32) {
        guard index != Device.noCold else { return }
        states[Int(index)] = nil
        free.append(index)
    }
}
