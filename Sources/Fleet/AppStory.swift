// How the story of a device goes on: from the event that has just happened to the next one.
extension Device {
    mutating func proceed(_ world: World) {
        let told = reason
        let before = received
        let happened = step
        let when = due
        reason = .none
        handler = 0
        switch step {
        case .launch: launched(world.source)
        case .connect: connected()
        case .disconnect: inBackground(world.source)
        case .echo: afterEcho()
        case .followStart: returning()
        case .wakeCreate: plan(.wakeForeground, after: random.within(0...15))
        case .finish: openFinished()
        case .episode: continueEpisode(world)
        case .launchForeground: plan(.launchActivate, after: launchLatency(Habits.coldLaunch))
        case .wake: woken(world.source)
        case .prewarm: prewarmed(world.source)
        case .wakeSettle, .work: leftInBackground(world.source)
        case .wakeForeground: plan(.wakeActivate, after: launchLatency(Habits.warmLaunch))
        case .foreground where world.source == .activities: plan(.followStart, after: random.within(0...4))
        case .foreground: returning()
        case .launchActivate, .wakeActivate, .wakeReopen, .resume, .reopen, .reactivate: active(world)
        case .heartbeat, .exitReport: untilChange(world)
        case .interrupt: interrupted(by: told, world)
        case .depart: departing(world.source)
        case .enterBackground, .abort: inBackground(world.source)
        case .terminate: notRunning(world.source)
        case .vanish: return
        }
        echo(happened, at: when)
        waitForStragglers()
        if received > before { uploadBy(world.end, after: before) }
        decideLoss(world)
    }

    private mutating func launched(_ source: FleetOptions.Source) {
        if source == .scenes {
            planConnected(.launchForeground, after: random.within(5...60), source)
        } else if traits.contains(.sendsForeground) {
            plan(.launchForeground, after: random.within(Habits.foregroundEdge))
        } else {
            plan(.launchActivate, after: launchLatency(Habits.coldLaunch))
        }
    }

    private mutating func launchLatency(_ spread: Spread) -> Int64 {
        let latency = random.draw(spread) * (random.chance(Habits.slow) ? Habits.slowness : 1)
        return min(latency, Habits.longestLaunch)
    }

    private mutating func returning() {
        if traits.contains(.aborting) {
            plan(.abort, after: random.draw(Habits.aborted))
        } else if random.chance(Habits.forgottenResume) {
            plan(.resume, after: random.within(50_000...180_000))
        } else {
            let latency = random.draw(Habits.resume)
            plan(.resume, after: random.chance(Habits.slow) ? latency * Habits.slowness : latency)
        }
    }

    // MARK: In front

    private mutating func active(_ world: World) {
        nextBeat = due + world.heartbeat
        if burst < burstSize {
            changeStep = .interrupt
            change = due + random.within(Habits.burstPiece)
        } else {
            let calm = burstSize > 0 ? Habits.calm : Habits.shortestPiece
            burst = 0
            burstSize = 0
            choosePiece(after: calm, world)
        }
        if former == .died, step == .launchActivate, random.chance(Habits.deathReport) {
            former = .unseen
            return plan(.exitReport, after: random.within(20...400))
        }
        untilChange(world)
    }

    /// How the piece of time in front ends that has just begun.
    mutating func choosePiece(after calm: Int64, _ world: World) {
        changeStep = world.source.isInterrupted ? .depart : .enterBackground
        change = due + calm + random.draw(Habits.stay)
        if world.faults.contains(.silence), random.chance(Habits.silent) {
            nextBeat = .max
            change = due + random.within(Habits.silentFor)
            if random.chance(Habits.vanished) { changeStep = .vanish }
        } else if world.faults.contains(.crashes), !traits.contains(.immortal), random.chance(Habits.death) {
            changeStep = .launch
        } else if chooseEpisode(world) {
            change = due + calm + random.draw(Habits.piece)
            let hasTime = change + Episode.longest < world.end
            if hasTime { changeStep = .episode } else { episode = .none }
        } else if world.source.isInterrupted, random.chance(Habits.interrupted) {
            changeStep = .interrupt
            change = due + calm + random.draw(Habits.piece)
        } else if world.source.isInterrupted, random.chance(Habits.burst) {
            changeStep = .interrupt
            change = due + Habits.calm + random.draw(Habits.piece)
            burstSize = UInt8(random.within(5...10))
        }
    }

    mutating func untilChange(_ world: World) {
        if nextBeat < change {
            plan(.heartbeat, at: nextBeat)
            nextBeat += world.heartbeat
            return
        }
        switch changeStep {
        case .interrupt:
            plan(.interrupt, at: change)
            reason = burstSize > 0 ? .notificationCenter : interruptionReason()
        case .depart:
            plan(.depart, at: change)
            if traits.contains(.hasGraces) { uploadTogether() }
            if random.chance(300) { reason = .appSwitcher }
            measureHandler()
        case .launch: die(at: change)
        case .episode: beginEpisode()
        default: plan(changeStep, at: change)
        }
    }

    /// The process dies without a word; some time later the app is opened anew.
    private mutating func die(at time: Int64) {
        former = .died
        died = time
        begin(.launch, after: max(0, time - due) + away())
    }

    private mutating func interruptionReason() -> Reason {
        var place = random.below(100)
        for (reason, weight) in Habits.interruptionReasons {
            if place < weight { return reason }
            place -= weight
        }
        return .none
    }

    private mutating func interrupted(by reason: Reason, _ world: World) {
        if burstSize > 0 {
            burst += 1
            return plan(.reactivate, after: random.within(Habits.burstInterruption))
        }
        let isMortal = world.faults.contains(.crashes) && !traits.contains(.immortal)
        if isMortal, random.chance(Habits.deathInterrupted) { return die(at: due) }
        let spread = reason == .call ? Habits.call : Habits.interruption
        plan(.reactivate, after: min(random.draw(spread), Habits.longestInterruption))
    }

    private mutating func departing(_ source: FleetOptions.Source) {
        if source != .activities, random.chance(Habits.removed) {
            plan(.terminate, after: random.draw(Habits.departure))
        } else {
            plan(.enterBackground, after: random.draw(Habits.departure))
            measureHandler()
        }
    }

    private mutating func measureHandler() {
        guard random.chance(Habits.measuredHandler) else { return }
        let time = random.draw(Habits.handler)
        handler = UInt16(clamping: random.chance(Habits.slowHandler) ? time + 5_000 : time)
    }
}
