internal import Lifecycle

// What each event of a device means for the figures: told by the device, which knows why the event happens.
extension Device {
    /// The limits of the specification, ms.
    enum Limit {
        static let stuck: Int64 = 60_000
        static let silence: Int64 = 30 * 60_000
        static let slowResume: Int64 = 1_500
        static let forgottenResume: Int64 = 60_000
        static let slowCold: Int64 = 5_000
        static let slowWarm: Int64 = 2_000
        static let slowHandler: Int64 = 5_000
        static let launchGap: Int64 = 10_000
        static let flapping: UInt8 = 6
        static let grace: Int64 = 700
        static let resource: Int64 = 2_000
        static let overlay: Int64 = 1_000
        /// A return so soon needs no announcement.
        static let quick: Int64 = 1_000
        /// Graces are decided by stream time only so much after they are over.
        static let reorder: Int64 = 10_000
    }

    /// ``opened`` of a return from where nobody knows.
    private static let notMeasured = Int64.min

    /// - Parameters:
    ///   - shift: what has to be added to true time to make the corrected time that is measured by.
    ///   - received: when the event is received.
    ///   - arrival: when the first of the events that are not yet told of is received.
    mutating func witness(_ truth: inout Truth, number: Int, shift: Int64, received: Int64, arrival: Int64) {
        decideGraces(to: due, by: decidesGraces ? .max : arrival, &truth, shift: shift)
        passTime(to: step == .exitReport ? last : due, received: arrival, &truth, shift: shift)
        if overtaken { truth.anomaly(.outOfOrder, moment(last, shift: shift, stream: lastReceived)) }
        let now = moment(eventTime, shift: shift, stream: received)
        if missing > 0, !step.beginsProcess || traits.contains(.countsOn) {
            truth.anomaly(.sequenceGap, now, count: Int64(missing))
        }
        missing = 0
        truth.event(now, device: number, known: step != .work)
        let isStop = step == .enterBackground && traits.contains(.hasGraces)
        if Int64(handler) > Limit.slowHandler, !isStop { truth.anomaly(.slowResign, now) }
        switch step {
        case .launch, .wake, .prewarm: beginProcess(&truth, now)
        case .launchForeground, .foreground, .wakeForeground: enterForeground(&truth, now)
        case .launchActivate: activateLaunched(&truth, now)
        case .wakeActivate, .wakeReopen: activateWoken(&truth, now)
        case .resume: activateReturned(&truth, now)
        case .reopen: reopen(&truth, now)
        case .interrupt where traits.contains(.hasGraces), .depart where traits.contains(.hasGraces):
            paused = undecided(received)
        case .enterBackground where traits.contains(.hasGraces): stopped = undecided(received)
        case .episode where episode.isOfViews: passViewStage(&truth, now)
        case .episode where episode == .camera: passCameraStage(&truth, now, shift: shift)
        case .episode where episode == .cover: passCoverStage(&truth, now, shift: shift)
        case .episode: passStage(&truth, now)
        case .wakeCreate: opened = due
        case .interrupt, .depart: resign(&truth, now)
        case .reactivate: reactivate(&truth, now)
        case .enterBackground: leave(&truth, now)
        case .abort:
            if phase == .inactive { truth.count(.backgrounds, now) }
            if phase == .background, !traits.contains(.fresh) { truth.anomaly(.illegalTransition, now) }
            closeInactive(.aborted, &truth, now)
        case .terminate: terminate(&truth, now)
        case .exitReport: truth.exit(crashReason, now)
        case .wakeSettle, .work, .heartbeat, .vanish, .connect, .disconnect, .echo, .followStart, .finish: break
        }
        enterPhase(received)
        if step == .connect { traits.insert(.fresh) } else if step.isEchoed { traits.remove(.fresh) }
        if step == .exitReport { return }
        last = due
        lastReceived = received
    }

    func moment(_ time: Int64, shift: Int64, stream: Int64) -> Truth.Moment {
        Truth.Moment(time: time + shift, stream: stream, profile: profile)
    }

    /// Where the step leads; the reason of an inactive interval is that of the edge which began it.
    private mutating func enterPhase(_ received: Int64) {
        let next: Phase
        switch step {
        case .interrupt where traits.contains(.hasGraces), .depart where traits.contains(.hasGraces),
            .enterBackground where traits.contains(.hasGraces):
            return
        case .launch, .wake, .prewarm, .enterBackground, .abort: next = .background
        case .launchForeground, .foreground, .wakeForeground, .interrupt, .depart: next = .inactive
        case .launchActivate, .wakeActivate, .wakeReopen, .resume, .reopen, .reactivate: next = .active
        case .terminate: next = .notRunning
        case .work, .heartbeat, .wakeSettle, .exitReport, .vanish, .connect, .disconnect, .echo, .followStart,
            .wakeCreate, .finish, .episode:
            return
        }
        if next == .active { traits.insert(.used) }
        let repeats = step == .reactivate || step == .abort
        if repeats, phase == next { return }
        phase = next
        phaseStart = due
        phaseReceived = received
        phaseReason = reason
        traits.remove(.stuck)
    }

    /// What the clock alone brings, by the time that the next event is received (or, at the end, is not).
    mutating func passTime(to time: Int64, received: Int64, _ truth: inout Truth, shift: Int64) {
        guard phase == .inactive || phase == .active else { return }
        if phase == .inactive, !traits.contains(.stuck),
            time - phaseStart > Limit.stuck || received - phaseReceived > Limit.stuck
        {
            traits.insert(.stuck)
            let stream = min(received, phaseReceived + Limit.stuck + 1)
            truth.anomaly(
                .stuckInactive,
                Truth.Moment(time: phaseStart + Limit.stuck + shift, stream: stream, profile: profile))
        }
        if time - last > Limit.silence || received - lastReceived > Limit.silence {
            let stream = min(received, lastReceived + Limit.silence + 1)
            let end = Truth.Moment(time: last + shift, stream: stream, profile: profile)
            truth.inferred(phase, last - phaseStart, end)
            phase = .unknown
            opened = Self.notMeasured
        }
    }

    private mutating func beginProcess(_ truth: inout Truth, _ now: Truth.Moment) {
        switch former {
        case .killed:
            truth.count(.backgroundExits, now)
            truth.inferred(.background, last - phaseStart, now)
            endUnused(&truth, now)
        case .died:
            truth.anomaly(.uncleanExit, now)
            if phase == .active || phase == .inactive { truth.inferred(phase, last - phaseStart, now) }
            endUnused(&truth, now)
        case .unseen, .terminated: break
        }
        traits.subtract([.used, .prewarmed])
        traits.insert(.launched)
        if step == .prewarm { traits.insert(.prewarmed) }
        opened = due
    }

    /// A process that was launched is gone without ever having been active.
    private func endUnused(_ truth: inout Truth, _ now: Truth.Moment) {
        if traits.contains(.launched), !traits.contains(.used) { truth.count(.backgroundLaunches, now) }
    }

    private mutating func enterForeground(_ truth: inout Truth, _ now: Truth.Moment) {
        if phase == .background { truth.count(.foregrounds, now) }
        guard step != .launchForeground else { return }
        let isLaunch = step == .wakeForeground && !traits.contains(.hasGraces)
        let belongsToLaunch = isLaunch && due - phaseStart <= Limit.launchGap
        if phase == .background, !belongsToLaunch { truth.interval(.background, due - phaseStart, now) }
        if step == .wakeForeground, traits.contains(.hasGraces) { return }
        opened = phase == .background ? due : Self.notMeasured
    }

    private mutating func activateLaunched(_ truth: inout Truth, _ now: Truth.Moment) {
        if phase == .background {
            truth.count(.foregrounds, now)
            truth.inactive(.arrival, due - opened, reason: .none, now)
        } else {
            closeInactive(.arrival, &truth, now)
        }
        guard opened != Self.notMeasured else { return }
        let latency = due - opened
        truth.count(.launchesCold, now)
        truth.latency(.launchCold, latency, now)
        if latency > Limit.slowCold { truth.anomaly(.slowLaunch, now) }
    }

    private mutating func activateWoken(_ truth: inout Truth, _ now: Truth.Moment) {
        guard opened != Self.notMeasured else { return }
        truth.count(.launchesWarm, now)
        guard step == .wakeActivate else { return reopen(&truth, now) }
        closeInactive(.arrival, &truth, now)
        let latency = due - opened
        truth.latency(.launchWarm, latency, now)
        if latency > Limit.slowWarm { truth.anomaly(.slowLaunch, now) }
    }

    private mutating func activateReturned(_ truth: inout Truth, _ now: Truth.Moment) {
        if phase == .background { return returnUnannounced(&truth, now) }
        closeInactive(.arrival, &truth, now)
        guard opened != Self.notMeasured else { return }
        let latency = due - opened
        if latency > Limit.forgottenResume {
            truth.count(.resumeDiscarded, now)
        } else {
            truth.latency(.resume, latency, now)
            if latency > Limit.slowResume { truth.anomaly(.slowResume, now) }
        }
    }

    private func reopen(_ truth: inout Truth, _ now: Truth.Moment) {
        // Where an entry was lost before the app was left again, the background has lasted all the while.
        let isQuick = step != .reopen || !traits.contains(.sendsForeground) || due - phaseStart <= Limit.quick
        guard isQuick else { return returnUnannounced(&truth, now) }
        truth.count(.foregrounds, now)
        truth.interval(.background, due - phaseStart, now)
    }

    /// The foreground edge was lost: a gap, but for a scene of which nothing is known yet.
    private func returnUnannounced(_ truth: inout Truth, _ now: Truth.Moment) {
        truth.count(.foregrounds, now)
        if traits.contains(.fresh) { return truth.interval(.background, due - phaseStart, now) }
        truth.anomaly(.missingEvent, now)
        truth.inferred(.background, due - phaseStart, now)
    }

    private mutating func resign(_ truth: inout Truth, _ now: Truth.Moment) {
        leaveActive(at: due, burst: burst, &truth, now)
    }

    /// - Parameter burst: how many resignations of the running burst came before this one.
    mutating func leaveActive(at time: Int64, burst: UInt8, _ truth: inout Truth, _ now: Truth.Moment) {
        if burst == 0 { burstLeft = 0 }
        // A pause tells that its activity was resumed, though not since when.
        guard phase == .active || phase == .unknown && traits.contains(.hasGraces) else { return }
        if phase == .active { truth.interval(.active, time - phaseStart, now) }
        burstLeft += 1
        if burstLeft == Limit.flapping + 1 { truth.anomaly(.inactiveFlapping, now) }
    }

    /// Where the resignation before was lost, the app has been active all the while, as far as anyone knows.
    private func reactivate(_ truth: inout Truth, _ now: Truth.Moment) {
        if phase == .active { truth.anomaly(.illegalTransition, now) }
        closeInactive(.interruption, &truth, now)
    }

    private func leave(_ truth: inout Truth, _ now: Truth.Moment) {
        if phase == .active || phase == .inactive { truth.count(.backgrounds, now) }
        closeInactive(.departure, &truth, now)
        guard phase == .active else { return }
        if tellsLate {
            truth.interval(.active, due - phaseStart, now)
        } else {
            truth.anomaly(.missingEvent, now)
            truth.inferred(.active, due - phaseStart, now)
        }
    }

    private mutating func terminate(_ truth: inout Truth, _ now: Truth.Moment) {
        truth.count(.terminations, now)
        closeInactive(.departure, &truth, now)
        if phase == .active { truth.interval(.active, due - phaseStart, now) }
        if phase == .background { truth.interval(.background, due - phaseStart, now) }
        endUnused(&truth, now)
    }

    func closeInactive(_ way: InactiveClass, _ truth: inout Truth, _ now: Truth.Moment) {
        guard phase == .inactive else { return }
        let isFromResign = way == .interruption || way == .departure
        if isFromResign, knowsCover, !isCovered { truth.anomaly(.unprotectedInactive, now) }
        truth.inactive(way, due - phaseStart, reason: phaseReason == .none ? reason : phaseReason, now)
    }
}
