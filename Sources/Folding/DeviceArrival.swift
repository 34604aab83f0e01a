import Lifecycle

/// From an event as it arrived to an event in its order: clock, duplicates, order.
extension Device {
    /// Takes an event in: folds it at once where nothing stands against it, else counts or holds it.
    ///
    /// - Parameter sortsRecord: events without a number wait for the end of their record.
    mutating func arrive(_ event: borrowing Event, sortsRecord: Bool, _ context: FoldContext) {
        if event.sent != Moment.absent, event.received != Moment.absent {
            let tolerance = context.limits.futureTolerance
            makeCold(context).rare.clock.observe(
                sent: event.sent, received: event.received, tolerance: tolerance, in: context.memory)
        }
        let stamp = stamp(of: event, context)
        if isNext(event, context) {
            fold(event, stamp, context)
            mark(event.sequence)
        } else if isDuplicate(event, stamp, context) {
            context.counts.duplicates += 1
            context.count(.duplicateEvent, at: stamp)
        } else if isSucceeded(event, stamp, context) {
            drop(stamp, context)
        } else if event.sequence != Moment.absent {
            arriveBySequence(event, stamp, context)
        } else {
            arriveByTime(event, stamp, sortsRecord: sortsRecord, context)
        }
    }

    /// The event bears the number that the running process has come to, and nothing waits for a lower one: what
    /// input in order is made of. It is no copy of another, and there is nothing to put in order.
    @inline(__always)
    private func isNext(_ event: borrowing Event, _ context: FoldContext) -> Bool {
        let (number, id) = (event.sequence, event.eventID)
        guard number == sequenceNext, number != Moment.absent, id == 0 else { return false }
        if namesAnother(event) { return false }
        return coldState(context)?.heldByNumber.isEmpty ?? true
    }

    /// Counts an event that came too late to be folded.
    mutating func drop(_ stamp: Stamp, _ context: FoldContext) {
        context.counts.late += 1
        context.emit(.lateEvent, value: stamp.received, at: stamp)
    }

    // MARK: Time

    /// When an event happened: what its source tells late counts when it was, with whatever hangs on it.
    @inline(__always)
    mutating func stamp(of event: borrowing Event, _ context: FoldContext) -> Stamp {
        let (time, received) = (event.time, event.received)
        let latest = received == Moment.absent ? Moment.absent : received &+ context.limits.futureTolerance
        guard !flags.contains(.hasCold), event.monotonic == Moment.absent, event.edge != .processBackground,
            time <= latest
        else { return correctedStamp(of: event, context) }
        let moment = Moment(time: time, monotonic: Moment.absent, domain: 0, setting: 0)
        return Stamp(moment: moment, corrected: time, received: received, group: event.group)
    }

    /// The stamp of an event that has a monotonic time, or of a device whose clock is known to be off, and such.
    @inline(never)
    private mutating func correctedStamp(of event: borrowing Event, _ context: FoldContext) -> Stamp {
        let known = coldState(context)
        let lateness = event.edge == .processBackground ? context.limits.androidBackgroundGrace : 0
        let time = event.time &- lateness
        let corrected = time &+ (known?.rare.clock.offset ?? 0)
        var moment = Moment(time: time, monotonic: event.monotonic, domain: 0, setting: known?.rare.clock.tag ?? 0)
        if event.monotonic != Moment.absent {
            moment.monotonic -= lateness * 1000
            moment.domain = Device.shortHash(event.boot != 0 ? event.boot : event.process)
        }
        guard event.received != Moment.absent else {
            let received = max(corrected, context.stream)
            return Stamp(moment: moment, corrected: corrected, received: received, group: event.group)
        }
        guard corrected > event.received &+ context.limits.futureTolerance else {
            return Stamp(moment: moment, corrected: corrected, received: event.received, group: event.group)
        }
        moment.time = event.received
        moment.setting = Moment.fixed
        return Stamp(moment: moment, corrected: event.received, received: event.received, group: event.group)
    }

    static func shortHash(_ hash: UInt64) -> UInt32 {
        guard hash != 0 else { return 0 }
        let short = UInt32(truncatingIfNeeded: hash ^ hash >> 32)
        return short == 0 ? 1 : short
    }

    /// The moment on the corrected time line, by what is known of the clock now.
    @inline(__always)
    func corrected(_ moment: Moment, _ context: FoldContext) -> Int64 {
        guard moment.setting != Moment.fixed, let known = coldState(context) else { return moment.time }
        return moment.time &+ known.rare.clock.offset(of: moment.setting)
    }

    /// The time by which an event is ordered: what its source tells late keeps the place in which it was told.
    @inline(__always)
    func place(of event: borrowing Event, _ stamp: Stamp) -> Moment {
        var place = stamp.moment
        if place.setting != Moment.fixed { place.time = event.time }
        return place
    }

    /// The place of the last event that was folded.
    @inline(__always)
    func newestPlace(_ context: FoldContext) -> Moment {
        var place = moment(.last, context)
        if place.setting != Moment.fixed { place.time = lastTold(context) }
        return place
    }

    /// Whether two moments were read from the clock without its being set between them.
    @inline(__always)
    func isSameSetting(_ first: Moment, _ second: Moment, _ context: FoldContext) -> Bool {
        if first.setting == second.setting { return true }
        guard first.setting != Moment.fixed, second.setting != Moment.fixed, let known = coldState(context)
        else { return false }
        return known.rare.clock.canonical(first.setting) == known.rare.clock.canonical(second.setting)
    }

    /// Whether `first` was before `second`, both judged with one offset unless the clock was set between them.
    @inline(__always)
    func isOlder(_ first: Moment, than second: Moment, _ context: FoldContext) -> Bool {
        if isSameSetting(first, second, context) { return first.time < second.time }
        return corrected(first, context) < corrected(second, context)
    }

    // MARK: Duplicates

    private mutating func isDuplicate(
        _ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext
    ) -> Bool {
        var isKnown = false
        if event.eventID != 0 {
            let window = context.limits.dedupeWindow
            isKnown = makeCold(context).rare.known.isKnown(
                id: event.eventID, received: stamp.received, window: window, in: context.memory)
        }
        if event.sequence != Moment.absent {
            return isKnownNumber(event, stamp, context) || isKnown
        }
        guard event.eventID == 0 else { return isKnown }
        let resource = context.hash(ofText: event.resource)
        return makeCold(context).rare.known.isKnown(content: event, resource: resource, in: context.memory)
    }

    private mutating func isKnownNumber(
        _ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext
    ) -> Bool {
        let process = Device.shortHash(event.process)
        if let cold = coldState(context), !cold.heldByNumber.isEmpty {
            let number = event.sequence
            let isHeld = cold.heldByNumber.contains {
                $0.event.sequence == number && Device.shortHash($0.event.process) == process
            }
            if isHeld { return true }
        }
        if namesAnother(event) { return isKnownOfEnded(event, context) }
        guard sequenceNext != Moment.absent, !beginsCount(event, stamp, context) else { return false }
        let back = sequenceNext - 1 - event.sequence
        return (0..<64).contains(back) && sequenceSeen >> UInt64(back) & 1 == 1
    }

    /// Whether a process that has been succeeded has sent the number before; notes it.
    private func isKnownOfEnded(_ event: borrowing Event, _ context: FoldContext) -> Bool {
        guard let cold = context.store[cold], let index = endedIndex(of: event, cold) else { return false }
        let back = cold.endedCounts[index].next - 1 - event.sequence
        guard (0..<64).contains(back) else { return false }
        let isSeen = cold.endedCounts[index].seen >> UInt64(back) & 1 == 1
        cold.endedCounts[index].seen |= 1 << UInt64(back)
        return isSeen
    }

    func endedCount(of event: borrowing Event, _ context: FoldContext) -> EndedCount? {
        guard let cold = context.store[cold], let index = endedIndex(of: event, cold) else { return nil }
        return cold.endedCounts[index]
    }

    private func endedIndex(of event: borrowing Event, _ cold: Cold) -> Int? {
        let named = event.process != 0 ? Device.shortHash(event.process) : process
        let booted = event.boot != 0 ? Device.shortHash(event.boot) : boot
        return cold.endedCounts.lastIndex { $0.process == named && $0.boot == booted }
    }

    /// A launch whose number is lower than expected, younger than what has been folded: the count begins anew.
    @inline(__always)
    func beginsCount(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) -> Bool {
        guard event.edge == .launch, sequenceNext != Moment.absent, event.sequence < sequenceNext,
            !namesAnother(event)
        else { return false }
        if isCopyOfLaunch(event) { return false }
        return !isOlder(place(of: event, stamp), than: newestPlace(context), context)
    }

    func isCopyOfLaunch(_ event: borrowing Event) -> Bool {
        let hash = Device.launchHash(event)
        return hash == lastLaunch || hash == launchBefore
    }

    static func launchHash(_ event: borrowing Event) -> UInt32 {
        shortHash(StableHash.combine(UInt64(bitPattern: event.time), event.session))
    }

    // MARK: Processes

    /// The event names another process, or another boot, than the running one.
    @inline(__always)
    func namesAnother(_ event: borrowing Event) -> Bool {
        if event.process != 0, process != 0, Device.shortHash(event.process) != process { return true }
        guard event.boot != 0, boot != 0 else { return false }
        return Device.shortHash(event.boot) != boot
    }

    /// The event is of a process that has been succeeded.
    @inline(__always)
    mutating func isSucceeded(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) -> Bool {
        // A launch begins a process whatever its id, if it is not an old one that comes late.
        guard event.edge != .exit, namesAnother(event) else { return false }
        if event.edge == .launch, !isOlder(place(of: event, stamp), than: newestPlace(context), context) {
            return false
        }
        return isSucceededProcess(event, context)
    }

    mutating func isSucceededProcess(_ event: borrowing Event, _ context: FoldContext) -> Bool {
        guard namesAnother(event), let cold = context.store[cold] else { return false }
        let named = Device.shortHash(event.process)
        let booted = Device.shortHash(event.boot)
        return named != 0 && named != process && cold.succeeded.contains(named)
            || booted != 0 && booted != boot && cold.succeeded.contains(booted)
    }

    // MARK: Cold state

    /// What only some installations have; nil where this one has none, or none but the processes before.
    @inline(__always)
    func coldState(_ context: FoldContext) -> Cold? {
        flags.contains(.hasCold) ? context.store[cold] : nil
    }

    /// Events that are held back.
    func heldEvents(_ context: FoldContext) -> Int {
        guard let held = coldState(context), held.holds else { return 0 }
        return held.heldByNumber.count + held.heldByTime.count
    }

    /// Ends what only some installations have.
    mutating func removeParts(_ context: FoldContext) {
        removeCold(context)
        removeClocks(context)
    }

    /// The device must not name its cold state any longer: a restoration may come to it once more, when another one has
    /// been given the same memory.
    mutating func removeCold(_ context: FoldContext) {
        context.store.remove(cold)
        cold = Self.noCold
    }

    @inline(__always)
    mutating func makeCold(_ context: FoldContext) -> Cold {
        flags.insert(.hasCold)
        return makePast(context)
    }

    /// A place for the processes before the running one, which few events ask for.
    @inline(__always)
    mutating func makePast(_ context: FoldContext) -> Cold {
        if cold == Device.noCold { cold = context.store.make() }
        guard let made = context.store[cold] else { preconditionFailure("a state has been made") }
        return made
    }
}
