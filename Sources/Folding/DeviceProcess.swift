import Lifecycle

/// Processes: how they begin, and how they end where nobody says so.
extension Device {
    /// Ends the running process, whose end was not reported, and begins the one that an event belongs to.
    mutating func beginProcess(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        let wasSeen = last.isKnown
        if wasSeen { endUnreported(stamp, context) }
        let isExplained = state == .notRunning
        if wasSeen { unexplained = unexplained << 1 & 0x7FFF | (isExplained ? 0 : 1) }
        succeed(by: event, context)
        forget(context)
        flags.remove(.ofProcess)
        launch = .none
        state = .unknown
        began = .nothing
        since = .never
        process = 0
    }

    /// What a launch, or another process, says about the one that ran until then.
    private mutating func endUnreported(_ stamp: Stamp, _ context: FoldContext) {
        switch state {
        case .active, .inactive:
            closePhase(lastStamp(context), nil, isObserved: false, reason: 0, teller: stamp, context)
            context.count(.uncleanExit, at: stamp)
        case .background, .launching:
            closePhase(lastStamp(context), nil, isObserved: false, reason: 0, teller: stamp, context)
            context.count(.backgroundExits, at: stamp)
        case .unknown:
            if flags.contains(.silentInForeground) { context.count(.uncleanExit, at: stamp) }
        case .notRunning:
            break
        }
        countBackgroundLaunch(stamp, context)
    }

    /// A launched process has ended without ever having been active.
    private mutating func countBackgroundLaunch(_ stamp: Stamp, _ context: FoldContext) {
        guard flags.contains(.launchSeen), !flags.contains(.wasActive), state != .notRunning else { return }
        flags.remove(.launchSeen)
        context.count(.backgroundLaunches, at: stamp)
    }

    private mutating func succeed(by event: borrowing Event, _ context: FoldContext) {
        let named = Device.shortHash(event.process)
        let booted = Device.shortHash(event.boot)
        let replacesProcess = process != 0 && named != process
        let replacesBoot = boot != 0 && booted != 0 && booted != boot
        if namesAnother(event) {
            sequenceNext = Moment.absent
            sequenceSeen = 0
        }
        guard replacesProcess || replacesBoot else { return }
        let held = makeCold(context)
        held.succeeded.removeAll { $0 == named && named != 0 }
        if replacesProcess { held.succeeded.append(process) }
        if replacesBoot { held.succeeded.append(boot) }
        let excess = held.succeeded.count - Cold.succeededLimit
        if excess > 0 { held.succeeded.removeFirst(excess) }
    }

    /// What does not outlive a process.
    private mutating func forget(_ context: FoldContext) {
        context.store[cold]?.forgetProcess()
    }

    /// Scenes and activities are forgotten, as with a termination.
    mutating func forgetInstances(_ context: FoldContext) {
        guard let held = context.store[cold] else { return }
        held.scenes.removeAll()
        held.activities.removeAll()
        held.graces.pause = nil
        held.graces.stop = nil
    }

    // MARK: Exits

    /// An exit report: it tells of a process before, or ends the running one.
    mutating func foldExit(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        let text = event.exitReason
        context.emit(.exit, at: stamp, text: text != TextTable.empty ? text : context.names.unknownReason)
        if endsRunning(event, context) {
            settle(stamp, endsProcess: true, context)
            adoptIdentity(event)
            endReported(stamp, context)
            noteLast(stamp, context)
        }
        // Otherwise its time is that of another death: no sign of life of the running process.
    }

    /// Whose end an exit tells: that of the running process, or of one before it, which it then explains.
    private mutating func endsRunning(_ event: borrowing Event, _ context: FoldContext) -> Bool {
        if event.flags.contains(.namesItsProcess) { return !namesAnother(event) && last.isKnown }
        if flags.contains(.exitExpected) {
            flags.remove(.exitExpected)
            unexplained &= ~1
            return false
        }
        if unexplained != 0 {
            unexplained &= unexplained - 1
            return false
        }
        return !namesAnother(event) && last.isKnown
    }

    /// The running process ends here, inferred.
    private mutating func endReported(_ stamp: Stamp, _ context: FoldContext) {
        guard state != .notRunning else { return }
        let wasForeground = phase.isForeground
        if wasForeground || flags.contains(.silentInForeground) { context.count(.uncleanExit, at: stamp) }
        closePhase(stamp, nil, isObserved: false, reason: 0, context)
        countBackgroundLaunch(stamp, context)
        forget(context)
        flags.subtract([.silentInForeground, .latencyOpen, .overlayUp])
        flags.insert(.ended)
        launch = .none
        state = .notRunning
        began = .nothing
        since = .never
    }
}
