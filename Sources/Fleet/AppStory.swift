// How the story of a device goes on: from the event that has just happened to the next one.
extension Device {
    mutating func proceed(_ source: FleetOptions.Source, heartbeat: Int64) {
        let told = reason
        reason = .none
        handler = 0
        switch step {
        case .launch: launched()
        case .launchForeground: plan(.launchActivate, after: launchLatency(Habits.coldLaunch))
        case .wake: woken(source)
        case .prewarm: prewarmed()
        case .wakeSettle, .work: leftInBackground(source)
        case .wakeForeground: plan(.wakeActivate, after: launchLatency(Habits.warmLaunch))
        case .foreground: returning()
        case .launchActivate, .wakeActivate, .wakeReopen, .resume, .reopen, .reactivate: active(source, heartbeat)
        case .heartbeat: untilChange(heartbeat)
        case .interrupt: interrupted(by: told)
        case .depart: departing()
        case .enterBackground, .abort: inBackground(source)
        case .terminate: notRunning(source)
        }
    }

    private mutating func launched() {
        if traits.contains(.sendsForeground) {
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

    private mutating func active(_ source: FleetOptions.Source, _ heartbeat: Int64) {
        nextBeat = due + heartbeat
        if burst < burstSize {
            change = due + random.within(Habits.burstPiece)
            changeStep = .interrupt
            return untilChange(heartbeat)
        }
        let calm = burstSize > 0 ? Habits.calm : Habits.shortestPiece
        burst = 0
        burstSize = 0
        guard source == .appDelegate else {
            changeStep = .enterBackground
            change = due + calm + random.draw(Habits.stay) + Habits.processLateness
            return untilChange(heartbeat)
        }
        if random.chance(Habits.interrupted) {
            changeStep = .interrupt
            change = due + calm + random.draw(Habits.piece)
        } else if random.chance(Habits.burst) {
            changeStep = .interrupt
            change = due + Habits.calm + random.draw(Habits.piece)
            burstSize = UInt8(random.within(5...10))
        } else {
            changeStep = .depart
            change = due + calm + random.draw(Habits.stay)
        }
        untilChange(heartbeat)
    }

    private mutating func untilChange(_ heartbeat: Int64) {
        if nextBeat < change {
            plan(.heartbeat, at: nextBeat)
            nextBeat += heartbeat
            return
        }
        plan(changeStep, at: change)
        switch changeStep {
        case .interrupt: reason = burstSize > 0 ? .notificationCenter : interruptionReason()
        case .depart: if random.chance(300) { reason = .appSwitcher }
        case .enterBackground: break
        default: preconditionFailure("nothing else ends an active stay")
        }
        if changeStep == .depart { measureHandler() }
    }

    private mutating func interruptionReason() -> Reason {
        var place = random.below(100)
        for (reason, weight) in Habits.interruptionReasons {
            if place < weight { return reason }
            place -= weight
        }
        return .none
    }

    private mutating func interrupted(by reason: Reason) {
        if burstSize > 0 {
            burst += 1
            return plan(.reactivate, after: random.within(Habits.burstInterruption))
        }
        let spread = reason == .call ? Habits.call : Habits.interruption
        plan(.reactivate, after: min(random.draw(spread), Habits.longestInterruption))
    }

    private mutating func departing() {
        if random.chance(Habits.removed) {
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
