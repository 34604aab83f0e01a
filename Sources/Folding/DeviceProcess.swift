import Lifecycle

/// Processes: how they begin, and how they end where nobody says so.
extension Device {
    /// Ends the running process, whose end was not reported, and begins the one that an event belongs to.
    mutating func beginProcess(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        let wasSeen = knowsLast
        if wasSeen { endUnreported(stamp, context) }
        let isExplained = state == .notRunning
        if wasSeen { unexplained = unexplained << 1 & 0x7FFF | (isExplained ? 0 : 1) }
        succeed(by: event, context)
        coldState(context)?.forgetProcess()
        flags.remove(.ofProcess)
        launch = .none
        before = state
        state = .unknown
        began = .nothing
        set(.since, .never, context)
        process = 0
    }

    /// What a launch, or another process, says about the one that ran until then.
    private mutating func endUnreported(_ stamp: Stamp, _ context: FoldContext) {
        if state == .launching { launchIntoBackground(context) }
        switch state {
        case .active, .inactive:
            closePhase(lastStamp(context), at: stamp, nil, isObserved: false, reason: 0, context)
            context.count(.uncleanExit, at: stamp)
        case .background:
            closePhase(lastStamp(context), at: stamp, nil, isObserved: false, reason: 0, context)
            context.count(.backgroundExits, at: stamp)
        case .unknown:
            if flags.contains(.silentInForeground) { context.count(.uncleanExit, at: stamp) }
        case .notRunning, .launching:
            break
        }
        countBackgroundLaunch(stamp, context)
    }

    /// A launched process has ended without ever having been active.
    mutating func countBackgroundLaunch(_ stamp: Stamp, _ context: FoldContext) {
        guard flags.contains(.launchSeen), flags.isDisjoint(with: [.wasActive, .launchCounted]) else { return }
        flags.insert(.launchCounted)
        context.count(.backgroundLaunches, at: stamp)
    }

    private mutating func succeed(by event: borrowing Event, _ context: FoldContext) {
        let named = Device.shortHash(event.process)
        let booted = Device.shortHash(event.boot)
        let replacesProcess = process != 0 && named != process
        let replacesBoot = boot != 0 && booted != 0 && booted != boot
        let (next, seen) = (sequenceNext, sequenceSeen)
        if namesAnother(event) {
            sequenceNext = Moment.absent
            sequenceSeen = 0
        }
        guard replacesProcess || replacesBoot else { return }
        let held = makePast(context)
        if next != Moment.absent {
            held.append(ended: EndedCount(process: process, boot: boot, next: next, seen: seen))
        }
        if named != 0, held.succeeded.contains(named) { held.succeeded.removeAll { $0 == named } }
        if replacesProcess { held.append(succeeded: process) }
        if replacesBoot { held.append(succeeded: boot) }
    }

    // MARK: Exits

    /// An exit report: it tells of a process before, or ends the running one.
    mutating func foldExit(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        let text = event.exitReason
        context.emit(.exit, at: stamp, text: text != TextTable.empty ? text : context.names.unknownReason)
        if endsRunning(event, context) {
            settle(stamp, endsProcess: true, context)
            endReported(stamp, context)
        }
        // Otherwise its time is that of another death: no sign of life of the running process.
        if !event.flags.contains(.namesItsProcess) { nameProcess(event) }
        if lastReceived == Moment.absent { lastReceived = stamp.received }
    }

    /// Whose end an exit tells: that of the running process, or of one before it, which it then explains.
    private mutating func endsRunning(_ event: borrowing Event, _ context: FoldContext) -> Bool {
        if event.flags.contains(.namesItsProcess) { return !namesAnother(event) && knowsLast }
        if flags.contains(.exitExpected) {
            flags.remove(.exitExpected)
            unexplained &= ~1
            return false
        }
        if unexplained != 0 {
            unexplained &= unexplained - 1
            return false
        }
        return !namesAnother(event) && knowsLast
    }

    /// The running process ends here, inferred.
    private mutating func endReported(_ stamp: Stamp, _ context: FoldContext) {
        guard state != .notRunning else { return }
        if state == .launching { launchIntoBackground(context) }
        let wasForeground = phase.isForeground
        if wasForeground || flags.contains(.silentInForeground) { context.count(.uncleanExit, at: stamp) }
        closePhase(stamp, at: stamp, nil, isObserved: false, reason: 0, context)
        countBackgroundLaunch(stamp, context)
        if let held = coldState(context) {
            held.forgetScreens()
            held.loseVisits()
            noteSpan(.notRunning, from: stamp.moment, context)
        }
        flags.subtract([.silentInForeground, .latencyOpen])
        flags.insert(.ended)
        launch = .none
        before = state
        state = .notRunning
        began = .nothing
        set(.since, stamp.moment, context)
    }
}
