/// The counter of one process: which numbers were seen and which is expected next.
final class SequenceCount {
    static let width = 64
    var next: Int
    var highest: Int
    var seen: Set<Int> = []

    init(first: Int) {
        next = first
        highest = first
    }

    func isBelow(_ number: Int) -> Bool { number <= highest - Self.width }

    func note(_ number: Int) {
        highest = max(highest, number)
        seen.insert(number)
        if seen.count > 4 * Self.width { seen = seen.filter { !isBelow($0) } }
    }
}

/// Duplicates, then order.
extension Installation {
    private static let recentEvents = 16
    private static let recentIDCount = 64

    /// Notes what the event says of the clock, and when it was received.
    func prepare(_ event: Event, stream: Int) {
        arrivals += 1
        event.arrival = arrivals
        clock.observe(event, tolerance: limits.futureTolerance)
        for other in held where other.setting != clock.setting(of: other) { correct(other) }
        correct(event)
        event.receive = event.received ?? max(event.ts + event.offset, stream)
        judgeFuture(event)
    }

    private func correct(_ event: Event) {
        event.offset = clock.offset
        event.setting = clock.setting(of: event)
        judgeFuture(event)
    }

    private func judgeFuture(_ event: Event) {
        event.future = event.ts + event.offset > event.receive + limits.futureTolerance
    }

    /// Takes an event in: folds it, holds it back, or counts it as what it is.
    func accept(_ event: Event, stream: Int) {
        event.stream = stream
        lastStream = stream
        let key = sequenceKey(event)
        if let number = event.seq, let count = sequences[key], !isKnownByID(event),
            beginsNewCount(event, number, count)
        {
            // What waits and is older is of the old count: its missing numbers cannot be told from new ones any more.
            while let head = held.first, clock.lead(of: event, over: head.place) > 0 { foldHead(0) }
            sequences[key] = nil
        }
        if isDuplicate(event, sequences[key]) {
            anomaly(.duplicateEvent, at: event)
            return
        }
        let known = sequences[key]
        let isBelow = event.seq.map { known?.isBelow($0) ?? false } ?? false
        note(event, known)
        if isBelow || isTooOld(event) || isTooLate(event, known) {
            ledger.addLate(event)
            return
        }
        if event.isExit, event.seq != nil, hasSucceeded(event) {
            fold(event)
            return
        }
        if let number = event.seq {
            let count = known ?? SequenceCount(first: number)
            sequences[key] = count
            count.note(number)
            event.sequence = count
        }
        hold(event)
        release(stream: stream)
        while held.count(where: { $0.sequence != nil }) > limits.reorderBuffer { giveUpLowestGap(stream: stream) }
    }

    /// The record is read: what waited only to be sorted among its events may fold.
    func endRecord(stream: Int) {
        for event in held { event.fresh = false }
        release(stream: stream)
        while held.count > limits.reorderBuffer { giveUpLowestGap(stream: stream) }
    }

    func endInput() {
        for event in held { event.fresh = false }
        while let head = held.first { foldHead(head.sequence == nil ? firstOfEqualTimes() : 0) }
    }

    // MARK: Duplicates

    /// No id: the running process; a first id names a process that had none.
    private func sequenceKey(_ event: Event) -> [String] {
        let key = [event.process ?? sequenceOfRunning[0], event.boot ?? sequenceOfRunning[1]]
        let names = zip(sequenceOfRunning, key).allSatisfy { $0.isEmpty || $0 == $1 }
        if names, key != sequenceOfRunning, let unnamed = sequences.removeValue(forKey: sequenceOfRunning) {
            sequences[key] = unnamed
        }
        if !hasSucceeded(event) { sequenceOfRunning = key }
        return key
    }

    /// A launch with a lower number than expected that is no copy and not older than what has been folded.
    private func beginsNewCount(_ event: Event, _ number: Int, _ count: SequenceCount) -> Bool {
        guard event.edge == .launch, number < count.next, !launches.contains(where: { $0.says(sameAs: event) }) else {
            return false
        }
        return last.map { clock.lead(of: event, over: $0) >= 0 } ?? true
    }

    private func isKnownByID(_ event: Event) -> Bool {
        recentIDs.contains { $0.id == event.id && event.receive - $0.receive <= limits.dedupeWindow }
    }

    private func isDuplicate(_ event: Event, _ count: SequenceCount?) -> Bool {
        if isKnownByID(event) { return true }
        if let number = event.seq, let count, !count.isBelow(number), count.seen.contains(number) { return true }
        return event.id == nil && event.seq == nil && recent.contains { $0.says(sameAs: event) }
    }

    private func note(_ event: Event, _ count: SequenceCount?) {
        recent = (recent + [event]).suffix(Self.recentEvents)
        if let id = event.id { recentIDs = (recentIDs + [(id, event.receive)]).suffix(Self.recentIDCount) }
        if let number = event.seq, let count, !count.isBelow(number) { count.note(number) }
    }

    // MARK: Order

    /// Older than what has been folded and past the buffer.
    private func isTooLate(_ event: Event, _ count: SequenceCount?) -> Bool {
        if let number = event.seq, let count { return number < count.next }
        guard !event.isExit, let last else { return false }
        return clock.lead(of: event, over: last) < 0
    }

    private func hold(_ event: Event) {
        if event.isExit, event.seq == nil, let before = held.last?.place ?? last,
            clock.lead(of: event, over: before) < 0
        {
            // It tells of a death before the launch that reports it: it stays behind what came before it.
            event.placedBy = before
        }
        var place = held.count
        while place > 0, precedes(event, held[place - 1]) { place -= 1 }
        event.putBack = place < held.count
        held.insert(event, at: place)
    }

    /// Whether a newcomer is ordered before an event that is held: by number within a count, else by time.
    private func precedes(_ newcomer: Event, _ other: Event) -> Bool {
        if let count = newcomer.sequence, count === other.sequence, let number = newcomer.seq, let held = other.seq {
            return number < held
        }
        if newcomer.sequence != nil, other.sequence != nil {
            // Another process waits for the running one.
            let (isOther, isOtherHeld) = (namesAnother(newcomer), namesAnother(other))
            if isOther != isOtherHeld { return isOtherHeld }
        }
        if let isFirst = isFirstOfFuture(newcomer, other) { return isFirst }
        return clock.lead(of: newcomer.place, over: other.place) < 0
    }

    private func namesAnother(_ event: Event) -> Bool {
        let isOtherID = event.process.map { process.id != nil && $0 != process.id } ?? false
        return isOtherID || event.boot.map { process.boot != nil && $0 != process.boot } ?? false
    }

    /// Of those that are folded at one receive time the device tells the order.
    private func isFirstOfFuture(_ one: Event, _ other: Event) -> Bool? {
        guard one.future, other.future, one.receive == other.receive, !one.isExit, !other.isExit else { return nil }
        return one.ts < other.ts
    }

    /// Folds what need not wait any longer: the next number of its count, and what is ordered before any event whose
    /// own time of waiting is over. Those of the open record wait for its end, to be sorted.
    func release(stream: Int) {
        while let head = held.first {
            if head.sequence == nil, head.fresh { return }
            let isNext = head.sequence != nil && head.seq == head.sequence?.next
            guard isNext || holdDue.map({ stream > $0 }) ?? false else { return }
            foldHead(head.sequence == nil ? firstOfEqualTimes() : 0)
        }
    }

    /// When stream time alone makes held events fold: once it has passed this.
    var holdDue: Int? {
        guard let head = held.first, head.sequence != nil || !head.fresh else { return nil }
        let beforeNumbers = held.firstIndex { $0.sequence != nil } ?? held.count
        let dues = held.enumerated().filter { !$0.element.fresh }.map { place, event in
            // A delay is over when it has passed, a timeout when it is exceeded. What has no number waits behind
            // a missing one as long as a number would.
            event.stream + (place < beforeNumbers ? limits.reorderDelay - 1 : limits.reorderTimeout)
        }
        return dues.min()
    }

    private func giveUpLowestGap(stream: Int) {
        guard !held.isEmpty else { return }
        foldHead(0)
        release(stream: stream)
    }

    private func foldHead(_ place: Int) {
        let event = held.remove(at: place)
        if let count = event.sequence, let number = event.seq {
            event.gap = max(0, number - count.next)
            count.next = max(count.next, number + 1)
        }
        fold(event)
    }

    /// Among held events of one time: the first that the machine can take now and that none of them goes before.
    private func firstOfEqualTimes() -> Int {
        guard held.count > 1, let head = held.first else { return 0 }
        let equal = held.prefix {
            $0.sequence == nil && !$0.isExit && clock.lead(of: $0, over: head) == 0
                && isFirstOfFuture(head, $0) != true
        }
        guard equal.count > 1 else { return 0 }
        let takeable = equal.indices.filter { canTake(equal[$0]) }
        let candidates = takeable.isEmpty ? Array(equal.indices) : takeable
        return candidates.first { place in
            !candidates.contains { Self.goesBefore(equal[$0], equal[place]) }
        } ?? 0
    }

    private static func goesBefore(_ first: Event, _ second: Event) -> Bool {
        let isOfSame = first.scope == .app || first.instance == second.instance && first.className == second.className
        guard first.scope == second.scope, isOfSame else { return false }
        let (one, other) = (first.edge, second.edge)
        let chains: [[Edge]] = [
            [.launch, .enterForeground, .activate], [.resign, .enterBackground, .terminate],
            [.connect, .enterForeground, .activate], [.resign, .enterBackground, .disconnect],
            [.create, .restart, .start, .resume], [.pause, .stop, .destroy],
            [.loadView, .didLoad, .willAppear, .isAppearing, .didAppear], [.willDisappear, .didDisappear, .end],
        ]
        return chains.contains { chain in
            guard let first = chain.firstIndex(of: one), let second = chain.firstIndex(of: other) else { return false }
            return first < second
        }
    }
}
