import Lifecycle

/// Holding events back until what is ordered before them is there.
extension Device {
    // MARK: By number

    mutating func arriveBySequence(_ event: borrowing Event, _ stamp: Stamp, _ context: FoldContext) {
        // The report of a process that is gone has no place in the order of the running one.
        if event.edge == .exit, isSucceededProcess(event, context) {
            let number = event.sequence
            let isTooLow = endedCount(of: event, context).map { number < $0.next } ?? false
            return isTooLow ? drop(stamp, context) : fold(event, stamp, context)
        }
        let place = place(of: event, stamp)
        if beginsCount(event, stamp, context) { return foldNewCount(event, stamp, at: place, context) }
        let begins = sequenceNext == Moment.absent ? true : namesAnother(event)
        if !begins, event.sequence < sequenceNext {
            mark(event.sequence)
            return drop(stamp, context)
        }
        if begins, event.edge != .exit, isOlder(place, than: newestPlace(context), context) {
            return drop(stamp, context)
        }
        let number = event.sequence
        guard let held = coldState(context), !held.heldByNumber.isEmpty else {
            guard begins || number == sequenceNext else {
                return holdByNumber(copy event, stamp, at: place, isPutBack: false, context)
            }
            fold(event, stamp, context)
            return begins ? beginCount(at: number) : mark(number)
        }
        let copy = copy event
        // The first number seen of a process is its beginning.
        if begins, let first = held.heldByNumber.first(where: { Device.isOfSameCount($0.event, copy) }),
            number < first.event.sequence
        {
            if copy.edge == .launch { return foldNewCount(copy, stamp, at: place, context) }
            return drop(stamp, context)
        }
        let isPutBack = held.heldByNumber.contains { other in
            if Device.isOfSameCount(other.event, copy) { return other.event.sequence > number }
            // Another process waits for the running one.
            let isOfRunning = !namesAnother(other.event)
            return begins == isOfRunning ? !begins : isOlder(place, than: other.place, context)
        }
        holdByNumber(copy, stamp, at: place, isPutBack: isPutBack, context)
    }

    private static func isOfSameCount(_ first: Event, _ second: Event) -> Bool {
        first.process == second.process && first.boot == second.boot
    }

    /// A launch begins a new count. What waits and is older is of the old one, whose missing numbers cannot be told
    /// from new ones any more.
    private mutating func foldNewCount(
        _ event: borrowing Event, _ stamp: Stamp, at place: Moment, _ context: FoldContext
    ) {
        while let held = coldState(context) {
            let older = held.heldByNumber.indices.filter {
                isOlder(held.heldByNumber[$0].place, than: place, context)
            }
            guard let index = lowest(of: older, held, context) else { break }
            foldHeld(at: index, held, context)
        }
        if isOlder(place, than: newestPlace(context), context) { return drop(stamp, context) }
        let isPutBack = coldState(context).map { !$0.heldByNumber.isEmpty } ?? false
        if isPutBack { context.count(.outOfOrder, at: stamp) }
        fold(event, stamp, context)
        beginCount(at: event.sequence)
        foldConsecutive(context)
    }

    private mutating func holdByNumber(
        _ event: Event, _ stamp: Stamp, at place: Moment, isPutBack: Bool, _ context: FoldContext
    ) {
        let cold = makeCold(context)
        let wait = context.limits.reorderTimeout + 1
        cold.heldByNumber.append(
            held(event, stamp, at: place, for: wait, isPutBack: isPutBack, context), in: context.memory)
        foldConsecutive(context)
        if cold.heldByNumber.count > context.limits.reorderBuffer {
            _ = foldLowestHeld(context)
        }
    }

    private mutating func held(
        _ event: Event, _ stamp: Stamp, at place: Moment, for wait: Int64, isPutBack: Bool, _ context: FoldContext
    ) -> HeldEvent {
        if context.isInRecord { context.holdsOfRecord = true }
        let due = context.isInRecord ? Int64.max : stamp.received &+ wait
        return HeldEvent(event: event, stamp: stamp, place: place, isPutBack: isPutBack, due: due)
    }

    /// The record of several events has ended: what it held back waits from its own arrival on.
    mutating func closeRecord(_ context: FoldContext) {
        guard let cold = coldState(context) else { return }
        for index in cold.heldByNumber.indices where cold.heldByNumber[index].due == Int64.max {
            let received = cold.heldByNumber[index].stamp.received
            cold.heldByNumber[index].due = received &+ context.limits.reorderTimeout &+ 1
        }
        for index in cold.heldByTime.indices where cold.heldByTime[index].due == Int64.max {
            let wait = cold.heldByNumber.isEmpty ? context.limits.reorderDelay : context.limits.reorderTimeout + 1
            cold.heldByTime[index].due = cold.heldByTime[index].stamp.received &+ wait
        }
        releaseByNumber(context)
        releaseByTime(context)
        while cold.heldByTime.count > context.limits.reorderBuffer { foldOldestHeld(cold, context) }
    }

    /// Folds an event that was held, unless its process was succeeded meanwhile.
    private mutating func foldHeld(_ held: HeldEvent, _ context: FoldContext) {
        if isSucceeded(held.event, held.stamp, context) {
            drop(held.stamp, context)
        } else {
            if held.isPutBack { context.count(.outOfOrder, at: held.stamp) }
            fold(held.event, held.stamp, context)
        }
    }

    /// Gives up the gaps before every held event whose time to wait is over.
    mutating func releaseByNumber(_ context: FoldContext) {
        guard let held = coldState(context) else { return }
        while held.heldByNumber.contains(where: { $0.due <= context.stream }) {
            _ = foldLowestHeld(context)
        }
    }

    /// Folds the lowest held event and all that follow it without a gap; counts the gap before it.
    ///
    /// - Returns: false where none is held.
    mutating func foldLowestHeld(_ context: FoldContext) -> Bool {
        guard let held = coldState(context) else { return false }
        guard let index = lowest(of: Array(held.heldByNumber.indices), held, context) else { return false }
        foldHeld(at: index, held, context)
        foldConsecutive(context)
        return true
    }

    /// Folds a held event and counts the gap before it.
    private mutating func foldHeld(at index: Int, _ held: Cold, _ context: FoldContext) {
        let next = held.heldByNumber.remove(at: index)
        let begins = namesAnother(next.event) || sequenceNext == Moment.absent
        if !begins, next.event.sequence > sequenceNext {
            context.count(.sequenceGap, at: next.stamp, next.event.sequence - sequenceNext)
        }
        foldHeld(next, context)
        begins ? beginCount(at: next.event.sequence) : mark(next.event.sequence)
    }

    private mutating func foldConsecutive(_ context: FoldContext) {
        guard let held = coldState(context) else { return }
        while let index = held.heldByNumber.firstIndex(where: {
            $0.event.sequence == sequenceNext && !namesAnother($0.event)
        }) {
            let next = held.heldByNumber.remove(at: index)
            foldHeld(next, context)
            mark(next.event.sequence)
        }
        // A process that came meanwhile has waited for the one before it.
        if let first = held.heldByNumber.first,
            !held.heldByNumber.contains(where: { !namesAnother($0.event) }),
            namesAnother(first.event)
        {
            _ = foldLowestHeld(context)
        }
        if held.heldByNumber.isEmpty, context.limits.reorderDelay == 0 { foldAllByTime(held, context) }
    }

    /// The held event that is next: the lowest number of the running process, else of the one that is oldest.
    private func lowest(of indices: [Int], _ held: Cold, _ context: FoldContext) -> Int? {
        func event(_ index: Int) -> Event { held.heldByNumber[index].event }
        let running = indices.filter { !namesAnother(event($0)) }
        if !running.isEmpty { return running.min { event($0).sequence < event($1).sequence } }
        let lowest = indices.filter { index in
            let own = event(index)
            return !indices.contains {
                Device.isOfSameCount(event($0), own) && event($0).sequence < own.sequence
            }
        }
        return lowest.min { first, second in
            isOlder(held.heldByNumber[first].place, than: held.heldByNumber[second].place, context)
        }
    }

    private mutating func beginCount(at number: Int64) {
        sequenceNext = number &+ 1
        sequenceSeen = 1
    }

    /// Notes a number as seen.
    @inline(__always)
    mutating func mark(_ number: Int64) {
        if number >= sequenceNext {
            let step = number &- sequenceNext &+ 1
            sequenceSeen = step < 64 ? sequenceSeen << UInt64(step) | 1 : 1
            sequenceNext = number &+ 1
        } else {
            let back = sequenceNext - 1 - number
            if back < 64 { sequenceSeen |= 1 << UInt64(back) }
        }
    }

    // MARK: By time

    mutating func arriveByTime(
        _ event: Event, _ stamp: Stamp, sortsRecord: Bool, _ context: FoldContext
    ) {
        var place = place(of: event, stamp)
        if event.edge != .exit, isOlder(place, than: newestPlace(context), context) {
            return drop(stamp, context)
        }
        var delay = context.limits.reorderDelay
        // What is younger than a missing number waits behind it.
        let waits = coldState(context).map { !$0.heldByNumber.isEmpty } ?? false
        guard delay > 0 || sortsRecord || waits else { return fold(event, stamp, context) }
        if waits { delay = max(delay, context.limits.reorderTimeout + 1) }
        let held = makeCold(context)
        if event.edge == .exit {
            // It tells of a death before the launch that reports it: it stays behind what came before it.
            let before = held.heldByTime.last?.place ?? newestPlace(context)
            if before.isKnown, isOlder(place, than: before, context) { place = before }
        }
        var index = held.heldByTime.count
        var waiting = self.held(event, stamp, at: place, for: delay, isPutBack: false, context)
        while index > 0, goesBefore(waiting, held.heldByTime[index - 1], context) { index -= 1 }
        waiting.isPutBack = index < held.heldByTime.count
        held.heldByTime.insert(waiting, at: index, in: context.memory)
        if !sortsRecord, held.heldByTime.count > context.limits.reorderBuffer { foldOldestHeld(held, context) }
    }

    /// The order of events that wait. Of those that are folded at one receive time the device tells the order.
    private mutating func goesBefore(_ first: HeldEvent, _ second: HeldEvent, _ context: FoldContext) -> Bool {
        if first.place.setting == Moment.fixed, second.place.setting == Moment.fixed,
            first.place.time == second.place.time, first.event.edge != .exit, second.event.edge != .exit
        {
            return first.event.time < second.event.time
        }
        return isOlder(first.place, than: second.place, context)
    }

    /// Folds every held event whose time to wait is over, and all that are ordered before it.
    mutating func releaseByTime(_ context: FoldContext) {
        guard let held = coldState(context) else { return }
        while held.heldByTime.contains(where: { $0.due <= context.stream }) {
            foldOldestHeld(held, context)
        }
    }

    /// Folds every held event, as at the end of the input.
    mutating func releaseAll(_ context: FoldContext) {
        while foldLowestHeld(context) {}
        guard let held = coldState(context) else { return }
        foldAllByTime(held, context)
    }

    private mutating func foldAllByTime(_ held: Cold, _ context: FoldContext) {
        while !held.heldByTime.isEmpty { foldOldestHeld(held, context) }
    }

    /// Events of one moment among which the first is looked for, pair by pair: a record may have thousands.
    private static let equalLimit = 64

    private mutating func foldOldestHeld(_ held: Cold, _ context: FoldContext) {
        var end = 1
        while end < min(held.heldByTime.count, Device.equalLimit), held.heldByTime[0].event.edge != .exit,
            held.heldByTime[end].event.edge != .exit,
            !goesBefore(held.heldByTime[0], held.heldByTime[end], context)
        {
            end += 1
        }
        let index = end == 1 ? 0 : firstOfEqualTimes(held, end, context)
        foldHeld(held.heldByTime.remove(at: index), context)
    }

    /// Which of the events of one moment comes first: one that the machine can take now; of those that follow each
    /// other on the way in or out, the one before the other.
    private mutating func firstOfEqualTimes(_ held: Cold, _ count: Int, _ context: FoldContext) -> Int {
        let events = (0..<count).map { held.heldByTime[$0] }
        let takeable = events.indices.filter { canTake(events[$0].event, events[$0].stamp, context) }
        let candidates = takeable.isEmpty ? Array(events.indices) : takeable
        let isPreceded = { (index: Int) in
            candidates.contains { Ranks.precedes(events[$0].event, events[index].event) }
        }
        return candidates.first { !isPreceded($0) } ?? 0
    }
}

/// The order of edges that bear the same time.
enum Ranks {
    /// Whether `first` always comes before `second` where both happened in one moment.
    static func precedes(_ first: Event, _ second: Event) -> Bool {
        guard let one = rank(first.edge), let two = rank(second.edge), one.way == two.way else { return false }
        let isSame = first.scope == second.scope && (first.scope == .app || isSameInstance(first, second))
        return isSame && one.step < two.step
    }

    private static func isSameInstance(_ first: Event, _ second: Event) -> Bool {
        first.instance == second.instance && (first.instance != 0 || first.className == second.className)
    }

    private enum Way { case inward, outward }

    private static func rank(_ edge: Edge) -> (way: Way, step: Int)? {
        switch edge {
        case .launch, .sceneConnect, .activityCreate: (.inward, 0)
        case .enterForeground, .sceneEnterForeground, .activityRestart: (.inward, 1)
        case .activityStart: (.inward, 2)
        case .activate, .sceneActivate, .activityResume, .processForeground: (.inward, 3)
        case .resign, .sceneResign, .activityPause: (.outward, 0)
        case .enterBackground, .sceneEnterBackground, .activityStop, .processBackground: (.outward, 1)
        case .terminate, .sceneDisconnect, .activityDestroy: (.outward, 2)
        case .viewLoadView: (.inward, 0)
        case .viewDidLoad: (.inward, 1)
        case .viewWillAppear: (.inward, 2)
        case .viewIsAppearing: (.inward, 3)
        case .viewDidAppear: (.inward, 4)
        case .viewWillDisappear: (.outward, 0)
        case .viewDidDisappear: (.outward, 1)
        case .viewDeinit: (.outward, 2)
        default: nil
        }
    }
}
