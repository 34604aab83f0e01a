import Lifecycle

/// What only some installations have. Every collection is bounded; the bounds stand beside them.
final class Cold {
    var clock = DeviceClock()
    /// What was added to the device time of the last event, and of the one that began the phase, ms.
    var lastOffset: Int64 = 0
    var sinceOffset: Int64 = 0
    var known = KnownEvents()
    /// Processes and boots that have been succeeded, oldest first; at most ``succeededLimit``.
    var succeeded: [UInt32] = []
    /// Events with a number that wait for missing ones, as they came; at most `reorder.buffer`.
    var heldByNumber: [HeldEvent] = []
    /// Events without one that wait for older ones, in their order; at most `reorder.buffer` beside one record's.
    var heldByTime: [HeldEvent] = []
    /// Wall clock of the edges that left Active within the span of flapping, ms; at most the count and one.
    var resigns: [Int64] = []
    /// At most `instances.limit` each.
    var scenes: [Scene] = []
    var activities: [Activity] = []
    var views: [View] = []
    var resources: [Resource] = []
    /// Classes whose views announced an appearance; at most `instances.limit`.
    var announcedClasses: [UInt64] = []
    var graces = Graces()
    var echoes = Echoes()

    static let succeededLimit = 15

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
        scenes.removeAll(keepingCapacity: true)
        activities.removeAll(keepingCapacity: true)
        views.removeAll(keepingCapacity: true)
        resources.removeAll(keepingCapacity: true)
        graces = Graces()
        echoes = Echoes()
    }
}

/// An event that waits, with what was found out when it arrived.
struct HeldEvent {
    var event: Event
    var stamp: Stamp
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
