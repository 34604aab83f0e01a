// How the story of a device goes on while nobody looks at the app.
extension Device {
    /// After a background entry.
    mutating func inBackground(_ source: FleetOptions.Source) {
        let stay = away()
        let fate = random.below(1000)
        switch fate {
        case 0..<8 where traits.contains(.sendsForeground):
            plan(.reopen, after: random.within(Habits.quickReopen))
        case ..<720: goBack(after: stay)
        case 720..<870: killed(then: .launch, after: stay)
        case 870..<930: killed(then: .wake, after: stay)
        case 930..<965 where source == .appDelegate: killed(then: .prewarm, after: stay)
        case 965..<985 where source == .appDelegate: plan(.terminate, after: stay)
        case 985... where traits.contains(.sendsForeground):
            goBack(after: stay)
            traits.insert(.aborting)
        default: goBack(after: stay)
        }
    }

    mutating func away() -> Int64 {
        let kind = random.below(100)
        if kind < 40 { return 1_500 + random.draw(Habits.shortAway) }
        return 1_500 + random.draw(kind < 85 ? Habits.away : Habits.longAway)
    }

    private mutating func goBack(after stay: Int64) {
        traits.remove(.aborting)
        plan(traits.contains(.sendsForeground) ? .foreground : .reopen, after: stay)
    }

    private mutating func killed(then step: Step, after stay: Int64) {
        former = .killed
        begin(step, after: stay)
    }

    /// After a termination.
    mutating func notRunning(_ source: FleetOptions.Source) {
        former = .terminated
        begin(random.chance(900) ? .launch : .wake, after: away())
    }

    /// A process begins.
    mutating func begin(_ step: Step, after stay: Int64) {
        process &+= 1
        if !traits.contains(.countsOn) { sequence = 0 }
        plan(step, after: stay)
    }

    /// After a process was started into the background.
    mutating func woken(_ source: FleetOptions.Source) {
        if source == .appDelegate, random.chance(400) {
            plan(.wakeSettle, after: random.within(100...600))
        } else if random.chance(600) {
            plan(.work, after: random.within(100...3_000))
        } else {
            leftInBackground(source)
        }
    }

    mutating func leftInBackground(_ source: FleetOptions.Source) {
        let stay = Habits.unattended + away()
        switch random.below(100) {
        case ..<25 where step != .work: plan(.work, after: random.within(500...5_000))
        case ..<60: openWoken(after: stay)
        case ..<80: killed(then: .launch, after: stay)
        default: killed(then: .wake, after: stay)
        }
    }

    /// After a start ahead of use: opened at once or hours later.
    mutating func prewarmed() {
        if traits.contains(.sendsForeground), random.chance(400) {
            plan(.wakeForeground, after: random.within(200...9_000))
        } else {
            openWoken(after: Habits.unattended + away())
        }
    }

    private mutating func openWoken(after stay: Int64) {
        plan(traits.contains(.sendsForeground) ? .wakeForeground : .wakeReopen, after: stay)
    }
}
