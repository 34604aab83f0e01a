/// Figures of one window and group, as they stand in a record.
final class Tally {
    enum Count: String, CaseIterable {
        case events, eventsOther = "events_other", lateEvents = "late_events"
        case launchesCold = "launches_cold", launchesWarm = "launches_warm"
        case backgroundLaunches = "background_launches", foregrounds, backgrounds, terminations
        case backgroundExits = "background_exits", handovers, recreates
        case cancelledTransitions = "cancelled_transitions", resumeDiscarded = "resume_discarded"
    }

    /// Durations that get a summary.
    enum Measure: String, CaseIterable {
        case inactive, resume, launchCold = "launch_cold", launchWarm = "launch_warm", viewLoad = "view_load"
    }

    /// Durations of which count and sum are kept.
    enum Span: String, CaseIterable {
        case active, background, viewVisible = "view_visible"
    }

    enum Anomaly: String {
        case illegalTransition = "illegal_transition", missingEvent = "missing_event", sequenceGap = "sequence_gap"
        case duplicateEvent = "duplicate_event", outOfOrder = "out_of_order", lateEvent = "late_event"
        case clockRegression = "clock_regression", futureClock = "future_clock", stuckInactive = "stuck_inactive"
        case slowResume = "slow_resume", slowLaunch = "slow_launch", slowResign = "slow_resign"
        case inactiveFlapping = "inactive_flapping", uncleanExit = "unclean_exit", viewReloaded = "view_reloaded"
        case viewUnbalanced = "view_unbalanced", viewInBackground = "view_in_background"
        case resourceLeak = "resource_leak", unprotectedInactive = "unprotected_inactive"
        case overlayLeaked = "overlay_leaked", splitKey = "split_key"
    }

    struct Sum {
        var count = 0
        var milliseconds = 0

        mutating func add(_ duration: Int) {
            count += 1
            milliseconds += duration
        }
    }

    var devices: Set<String> = []
    var counts: [Count: Int] = [:]
    var measures: [Measure: [Int]] = [:]
    var spans: [Span: Sum] = [:]
    var inactiveByClass: [String: Sum] = [:]
    var inactiveByReason: [String: Sum] = [:]
    var inferred: [String: Sum] = [:]
    var anomalies: [Anomaly: Int] = [:]
    var exitsByReason: [String: Int] = [:]
}

/// Every window and group that anything was added to, over all partitions.
final class Totals {
    struct Key: Hashable {
        let start: Int
        let size: Int
        let group: [String]
    }

    let options: Options
    private(set) var tallies: [Key: Tally] = [:]
    private var groupsOfWindow: [[Int]: Int] = [:]
    private let groupLimit: Int

    init(options: Options) {
        self.options = options
        groupLimit = options.number("group.limit")
    }

    func tally(start: Int, size: Int, group: [String]) -> Tally {
        let key = Key(start: start, size: size, group: group)
        if let known = tallies[key] { return known }
        guard groupsOfWindow[[start, size], default: 0] < groupLimit else {
            let other = zip(options.dimensions, group).map { $0 == "app_id" ? $1 : "__other__" }
            return tallies.getOrInsert(Key(start: start, size: size, group: other))
        }
        groupsOfWindow[[start, size], default: 0] += 1
        return tallies.getOrInsert(key)
    }
}

extension [Totals.Key: Tally] {
    fileprivate mutating func getOrInsert(_ key: Totals.Key) -> Tally {
        if let known = self[key] { return known }
        let new = Tally()
        self[key] = new
        return new
    }
}

/// What one partition adds to the totals: it drops what belongs to windows that its stream time has made final.
final class Ledger {
    let totals: Totals
    private let sizes: [Int]
    private let grace: Int
    /// Largest receive time told by the input, ms.
    var watermark = Int.min

    init(totals: Totals) {
        self.totals = totals
        sizes = totals.options.windowSizes
        grace = totals.options.windowGrace
    }

    /// Adds to the windows of all sizes around `time` that are open still.
    func add(at time: Int, _ group: [String], _ change: (Tally) -> Void) {
        for size in sizes where !isFinal(time, size) { change(tally(time, size, group)) }
    }

    func allFinal(_ time: Int) -> Bool { sizes.allSatisfy { isFinal(time, $0) } }

    /// A late event counts in its window if that is open, else in that of its receive time.
    func addLate(_ event: Event) {
        for size in sizes {
            let time = isFinal(event.time, size) ? event.receive : event.time
            let tally = tally(time, size, event.group)
            tally.counts[.lateEvents, default: 0] += 1
            tally.anomalies[.lateEvent, default: 0] += 1
        }
    }

    private func isFinal(_ time: Int, _ size: Int) -> Bool {
        watermark != .min && watermark > time.quotientAndRemainderDown(by: size).quotient * size + size + grace
    }

    private func tally(_ time: Int, _ size: Int, _ group: [String]) -> Tally {
        let start = time.quotientAndRemainderDown(by: size).quotient * size
        return totals.tally(start: start, size: size, group: group)
    }
}
