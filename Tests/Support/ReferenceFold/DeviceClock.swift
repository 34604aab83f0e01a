/// Time: what an installation's send times say about its wall clock.
///
/// The correction is the smallest of the last 16 differences between receipt and sending. A difference far off is
/// left out until a second one in a row agrees with it: then the clock was set before the first of them.
struct DeviceClock {
    /// One position of the wall clock.
    private struct Setting {
        /// Arrival of the first event that belongs to it.
        var since: Int
        var differences: [Int]
        /// The correction that it began with.
        var begins = 0
    }

    private static let remembered = 16
    private static let absurd = 10 * 366 * 86_400_000
    private var settings = [Setting(since: 0, differences: [])]
    private var sendTimes: [Int] = []
    private var outlier: (difference: Int, departure: Int, arrival: Int)?

    /// Correction to add to device times, ms.
    var offset: Int { settings.last?.differences.min() ?? 0 }

    /// Which setting of the clock an event belongs to.
    func setting(of event: Event) -> Int {
        settings.lastIndex { $0.since <= event.arrival } ?? 0
    }

    /// Notes what the arrival of an event tells.
    mutating func observe(_ event: Event, tolerance: Int) {
        guard let sent = event.sent, let received = event.received, !sendTimes.contains(sent) else { return }
        sendTimes = (sendTimes + [sent]).suffix(Self.remembered)
        let difference = received - sent
        guard abs(difference) <= Self.absurd else { return }
        let current = settings.count - 1
        let departure = settings[current].differences.isEmpty ? 0 : difference - offset
        if abs(departure) <= tolerance {
            settings[current].differences = (settings[current].differences + [difference]).suffix(Self.remembered)
            outlier = nil
        } else if let first = outlier, (first.departure < 0) == (departure < 0) {
            let both = [first.difference, difference]
            settings.append(Setting(since: first.arrival, differences: both, begins: min(both[0], both[1])))
            outlier = nil
        } else {
            outlier = (difference, departure, event.arrival)
        }
    }

    /// Whole milliseconds from one edge to a later one; monotonic time where both have it from the same boot.
    func duration(_ start: Event, _ end: Event) -> Int {
        if let from = start.mono, let to = end.mono, Self.shareMonotonicClock(start, end) {
            return (to - from) / 1000 + start.lateBy - end.lateBy
        }
        let from = start.future ? start.receive : start.ts - start.lateBy + offset(of: start, beside: end)
        return end.time - from
    }

    /// By how much `later` is younger than `earlier` in the order of events: the time told, judged with one offset.
    func lead(of later: Event, over earlier: Event) -> Int {
        let to = later.future ? later.receive : later.ts + later.offset
        let from = earlier.future ? earlier.receive : earlier.ts + offset(of: earlier, beside: later)
        return to - from
    }

    private func offset(of earlier: Event, beside later: Event) -> Int {
        let own = setting(of: earlier)
        if own == setting(of: later) { return later.offset }
        return own == earlier.setting ? earlier.offset : settings[own].begins
    }

    private static func shareMonotonicClock(_ one: Event, _ other: Event) -> Bool {
        if let boot = one.boot ?? other.boot { return one.boot == boot && other.boot == boot }
        guard let process = one.process else { return false }
        return process == other.process
    }
}
