/// What is to happen at a time.
struct DueEvent {
    var time: Int64
    var actor: Actor?
    var work: () -> Void
    fileprivate var order = 0

    init(time: Int64, actor: Actor?, work: @escaping () -> Void) {
        self.time = time
        self.actor = actor
        self.work = work
    }
}

/// Events by their time; those of one time in the order in which they came.
struct EventHeap {
    private var events: [DueEvent] = []
    private var count = 0

    mutating func push(_ event: DueEvent) {
        var event = event
        count += 1
        event.order = count
        events.append(event)
        var child = events.count - 1
        while child > 0, precedes(child, (child - 1) / 2) {
            events.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> DueEvent? {
        guard let first = events.first else { return nil }
        let last = events.removeLast()
        guard !events.isEmpty else { return first }
        events[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < events.count && precedes(child, smallest) {
                smallest = child
            }
            if smallest == parent { return first }
            events.swapAt(parent, smallest)
            parent = smallest
        }
    }

    private func precedes(_ one: Int, _ other: Int) -> Bool {
        events[one].time == events[other].time
            ? events[one].order < events[other].order : events[one].time < events[other].time
    }
}
