// How the story of a device goes on while nobody looks at the app.
extension Device {
    /// After a background entry, or once a scene was given up there.
    mutating func inBackground(_ source: FleetOptions.Source) {
        let stay = away()
        switch (source, random.below(1000)) {
        case (.scenes, 0..<120) where traits.contains(.connected):
            traits.remove(.connected)
            plan(.disconnect, after: stay)
        case (.activities, 0..<120) where below == 0 && step != .finish:
            plan(.finish, after: random.within(20...900))
        case (.appDelegate, 120..<128), (.scenes, 120..<128):
            // Of a scene that was left again before it was in front nobody could tell whether it came back quickly.
            let isLeft = traits.contains(.connected) && step != .abort
            if traits.contains(.sendsForeground), source == .appDelegate || isLeft {
                plan(.reopen, after: random.within(Habits.quickReopen))
            } else {
                goBack(after: stay, source)
            }
        case (_, ..<720): goBack(after: stay, source)
        case (_, 720..<870): killed(then: .launch, after: stay)
        case (_, 870..<930): killed(then: .wake, after: stay)
        case (.appDelegate, 930..<965), (.scenes, 930..<965): killed(then: .prewarm, after: stay)
        case (.appDelegate, 965..<985), (.scenes, 965..<985): plan(.terminate, after: stay)
        case (.appDelegate, 985...), (.scenes, 985...):
            goBack(after: stay, source)
            if traits.contains(.sendsForeground) { traits.insert(.aborting) }
        default: goBack(after: stay, source)
        }
    }

    mutating func away() -> Int64 {
        let kind = random.below(100)
        if kind < 40 { return 1_500 + random.draw(Habits.shortAway) }
        return 1_500 + random.draw(kind < 85 ? Habits.away : Habits.longAway)
    }

    private mutating func goBack(after stay: Int64, _ source: FleetOptions.Source) {
        traits.remove(.aborting)
        planConnected(traits.contains(.sendsForeground) ? .foreground : .reopen, after: stay, source)
    }

    mutating func killed(then step: Step, after stay: Int64) {
        if traits.contains(.immortal) { return plan(.foreground, after: stay) }
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
        traits.remove(.connected)
        makeActivity()
        plan(step, after: stay)
    }

    /// After a process was started into the background.
    mutating func woken(_ source: FleetOptions.Source) {
        if source == .appDelegate || source == .scenes, random.chance(400) {
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
        case ..<60: openWoken(after: stay, source)
        case ..<80: killed(then: .launch, after: stay)
        default: killed(then: .wake, after: stay)
        }
    }

    /// After a start ahead of use: opened at once or hours later.
    mutating func prewarmed(_ source: FleetOptions.Source) {
        if traits.contains(.sendsForeground), random.chance(400) {
            planConnected(.wakeForeground, after: random.within(200...9_000), source)
        } else {
            openWoken(after: Habits.unattended + away(), source)
        }
    }

    private mutating func openWoken(after stay: Int64, _ source: FleetOptions.Source) {
        if source == .activities { return plan(.wakeCreate, after: stay) }
        planConnected(traits.contains(.sendsForeground) ? .wakeForeground : .wakeReopen, after: stay, source)
    }
}
