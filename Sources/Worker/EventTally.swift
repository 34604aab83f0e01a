internal import Synchronization

/// Events of all tasks, and those of them that could not be read: whether too many of a minute's are bad.
final class EventTally: Sendable {
    private let events = Atomic<Int>(0)
    private let unreadable = Atomic<Int>(0)
    private let minute = Mutex(Minute())

    private struct Minute {
        var began: Int64 = 0
        var events = 0
        var unreadable = 0
        var isBad = false
    }

    /// ms.
    private static let span: Int64 = 60_000

    func add(events count: Int, unreadable bad: Int) {
        events.wrappingAdd(count, ordering: .relaxed)
        unreadable.wrappingAdd(bad, ordering: .relaxed)
    }

    /// Whether more than `ratio` of the events of the last whole minute could not be read.
    /// - Parameter now: ms since the epoch; a minute begins at the first call after the last one ended.
    func isBad(ratio: Double, now: Int64) -> Bool {
        minute.withLock { minute in
            guard now - minute.began >= Self.span || now < minute.began else { return minute.isBad }
            let (all, bad) = (events.load(ordering: .relaxed), unreadable.load(ordering: .relaxed))
            let (newEvents, newBad) = (all - minute.events, bad - minute.unreadable)
            let isBad = minute.began > 0 && newEvents > 0 && Double(newBad) > ratio * Double(newEvents)
            minute = Minute(began: now, events: all, unreadable: bad, isBad: isBad)
            return isBad
        }
    }
}
