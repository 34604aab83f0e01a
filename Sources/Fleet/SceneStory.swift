// What scenes and activities add to the story of a device.
extension Device {
    /// Plans what comes next, with the scene before it where there is none yet.
    mutating func planConnected(_ step: Step, after delay: Int64, _ source: FleetOptions.Source) {
        guard source == .scenes, !traits.contains(.connected) else { return plan(step, after: delay) }
        afterConnect = step
        plan(.connect, after: delay)
    }

    /// After a scene has come to be: at a launch, or for the user who comes back.
    mutating func connected() {
        traits.insert(.connected)
        let isLaunch = afterConnect == .launchForeground
        plan(afterConnect, after: isLaunch ? random.within(Habits.foregroundEdge) : random.within(5...90))
    }

    // MARK: Echoes

    /// Puts the application's own notification behind that of its scene, where there is time for it.
    mutating func echo(_ happened: Step, at time: Int64) {
        guard traits.contains(.echoes), happened.isEchoed, !step.beginsProcess, step != .vanish, due - time > 2
        else { return }
        postponed = Postponed(step: step, due: due, reason: reason, handler: handler)
        echoed = happened
        reason = .none
        handler = 0
        plan(.echo, at: time + random.within(1...min(25, due - time - 1)))
    }

    mutating func afterEcho() {
        plan(postponed.step, at: postponed.due)
        reason = postponed.reason
        handler = postponed.handler
    }

    // MARK: Activities

    /// Chooses what happens in front without the app leaving it, if anything.
    mutating func chooseEpisode(_ world: World) -> Bool {
        guard world.hasEpisodes else { return false }
        switch world.source {
        case .processLifecycle: return false
        case .appDelegate:
            guard random.chance(Habits.viewEpisode) else { return false }
            let kind = random.below(1000)
            episode = kind < Habits.camera ? .camera : kind < Habits.camera + Habits.cover ? .cover : chooseVisit()
        case .scenes:
            if traits.contains(.hasSideScene), random.chance(Habits.sideScene) {
                episode = .sideScene
            } else {
                guard random.chance(Habits.viewEpisode) else { return false }
                episode = chooseVisit()
            }
        case .activities:
            guard random.chance(Habits.activityEpisode) else { return false }
            let isRotation = random.chance(Habits.rotation)
            episode = isRotation ? .rotation : below == 0 ? .open : .back
        }
        return true
    }

    private mutating func chooseVisit() -> Episode {
        if random.chance(Habits.faultyVisit) { return .faultyVisit }
        return random.chance(Habits.cancelledVisit) ? .cancelledVisit : .visit
    }

    mutating func makeActivity() {
        made &+= 1
        top = made
        below = 0
    }

    /// After the only activity was destroyed: the process lives on for a while.
    mutating func openFinished() {
        let stay = away()
        if traits.contains(.immortal) || random.chance(600) {
            makeActivity()
            plan(.wakeCreate, after: stay)
        } else {
            killed(then: .launch, after: stay)
        }
    }
}

extension Step {
    /// A scene's edge for which the application has a notification too.
    var isEchoed: Bool {
        switch self {
        case .launchForeground, .launchActivate, .wakeForeground, .wakeActivate, .foreground, .resume, .reopen,
            .abort, .interrupt, .reactivate, .depart, .enterBackground:
            true
        default: false
        }
    }
}
