package import Lifecycle

/// The fold of one partition: events in, contributions out, a state for every installation between.
///
/// Owned by one task and touched on its queue alone. A class, so that what it is made of is known to this module
/// alone and can change without a trace in those that use it.
package final class InstallationFold {
    private var core: FoldCore

    /// - Parameter lexicon: takes in the names that the rules speak of.
    package init(_ limits: FoldingLimits, lexicon: inout Lexicon) {
        core = FoldCore(limits, lexicon: &lexicon)
    }

    /// What became of the events so far.
    package var counts: FoldCounts { core.context.counts }
    /// Installations whose state is kept.
    package var devices: Int { core.table.count }
    /// Bytes that the states and their index take; what only some installations need beside it is not in it.
    package var byteCount: Int { core.table.byteCount }
    /// Bytes that only some installations need: scenes, activities, views, processes before the running one, clocks.
    package var partByteCount: Int { core.context.partByteCount }
    /// The largest receive time that a record told, ms since the epoch; ``Event/absent`` before the first.
    package var watermark: Int64 { core.context.watermark }

    /// Takes in the texts of the batches to come: states name them by hash where they outlive the process.
    package func learn(_ lexicon: borrowing Lexicon) { core.context.learn(lexicon.texts) }

    /// What is known of one installation; nil where it has no state.
    package func state(of key: InstallationKey) -> InstallationState? { core.state(of: key) }

    /// Folds a batch, appending to `contributions`.
    package func fold(_ batch: borrowing EventBatch, into contributions: inout ContributionBatch) {
        core.fold(batch, into: &contributions)
    }

    /// Lends the installations that were heard of in a new ``Sighting/span`` since the last call, and forgets them.
    package func takeSightings<Result>(_ body: (Span<Sighting>) throws -> Result) rethrows -> Result {
        var taken: ContiguousArray<Sighting> = []
        swap(&taken, &core.context.sightings)
        defer {
            taken.removeAll(keepingCapacity: true)
            swap(&taken, &core.context.sightings)
        }
        return try body(taken.span)
    }

    /// Moves stream time and watermark, as an idle partition does by the wall clock.
    package func advance(to time: Int64, into contributions: inout ContributionBatch) {
        core.advance(to: time, into: &contributions)
    }

    /// The input has ended: what was held back is folded; open intervals stay open.
    package func finish(into contributions: inout ContributionBatch) {
        core.finish(into: &contributions)
    }

    // MARK: The checkpoint

    /// Places of states: those below were ever in use.
    package var places: UInt32 { core.table.indices.upperBound }

    /// From here on changes are noted for ``saveChanges(pass:lexicon:)``: of what nobody asks for no list is kept.
    package func noteChanges() { core.notesChanges = true }

    /// A state changed or ended since the last ``saveChanges(pass:lexicon:)``.
    package var hasChanges: Bool { !core.changed.isEmpty }

    /// Stream time, ms since the epoch; ``Event/absent`` before the first record.
    package var stream: Int64 { core.context.stream }

    /// The states that changed or ended since the last call, in blocks.
    ///
    /// - Parameter pass: counts the passes over all states: of a state that a pass has not told yet, all is told.
    package func saveChanges(pass: UInt64, lexicon: borrowing Lexicon) -> [SavedStates] {
        core.saveChanges(pass: pass, lexicon)
    }

    /// The states of some places, as far as this pass has not told them yet, in blocks.
    package func saveSlice(_ places: Range<UInt32>, pass: UInt64, lexicon: borrowing Lexicon) -> [SavedStates] {
        core.saveSlice(places, pass: pass, lexicon)
    }

    /// All states in one form, the same for equal states: to compare.
    package func snapshot(lexicon: borrowing Lexicon) -> ContiguousArray<UInt8> { core.snapshot(lexicon) }

    /// Takes one block back, in the order in which they were saved, before any event is folded.
    ///
    /// - Parameters:
    ///   - stream: ``stream`` when the block was saved.
    ///   - places: no state stands at this place or beyond.
    /// - Returns: how many states it told of.
    /// - Throws: where the block cannot be; the fold is good for nothing then.
    package func restore(
        _ block: RawSpan, stream: Int64, places: UInt32, lexicon: inout Lexicon
    ) throws(UnreadableBytes) -> Int {
        try core.restore(block, stream: stream, places: places, &lexicon)
    }

    /// All blocks have been taken: events can be folded from here on.
    ///
    /// - Parameter suspects: places that blocks without effect have told of: the next commit tells them again.
    /// - Throws: where the blocks contradict each other; the fold is good for nothing then.
    package func finishRestore(
        stream: Int64, watermark: Int64, suspects: some Sequence<UInt32>
    ) throws(UnreadableBytes) {
        guard let held = core.finishRestore(stream: stream, watermark: watermark) else { throw UnreadableBytes() }
        // What waits came to whoever wrote it.
        let counts = core.context.counts
        core.context.counts.arrived = counts.folded + counts.duplicates + counts.late + held
        core.noteAll(suspects)
    }

    /// The states go on in another life: what this one has counted and told counts no more.
    package func endLife() {
        core.forgetTold()
        core.context.counts = FoldCounts()
        core.context.counts.arrived = core.heldEvents
        core.context.sightings = []
    }

    /// The places of which a block tells.
    package static func places(in block: RawSpan) throws(UnreadableBytes) -> ContiguousArray<UInt32> {
        var lexicon = Lexicon()
        return try unsafe block.withUnsafeBytes { (bytes) throws(UnreadableBytes) -> ContiguousArray<UInt32> in
            var reader = unsafe try StateReader(bytes, stream: 0, &lexicon)
            return try reader.places()
        }
    }
}

/// A block of states.
package struct SavedStates: Sendable {
    package var entries: Int
    package var bytes: ContiguousArray<UInt8>
}

/// What the fold of a partition is made of.
struct FoldCore: ~Copyable {
    var table = InstallationTable()
    var wheel = TimerWheel()
    var context: FoldContext
    /// Devices whose timer falls in the tick that has begun, earliest first.
    private var near = MinHeap<NearTimer>()
    private var candidates: ContiguousArray<UInt32> = []
    /// States that were asked for and are likely those of the events to come.
    private var asked = AskedStates()
    /// What the next commit of the checkpoint tells.
    var changed = ChangedStates()
    /// Marks the states that the pass of the last commit has told. The next one may begin a pass: then that one has
    /// told all there were.
    var toldInPass: Device.Flags = .savedEven
    /// A checkpoint is written.
    var notesChanges = false

    init(_ limits: FoldingLimits, lexicon: inout Lexicon) {
        context = FoldContext(limits: limits, names: FoldNames(limits: limits, lexicon: &lexicon))
    }

    mutating func fold(
        _ batch: borrowing EventBatch, into contributions: inout ContributionBatch
    ) {
        swap(&context.contributions, &contributions)
        defer { swap(&context.contributions, &contributions) }
        let events = batch.events.span
        let count = events.count
        var index = 0
        while index < count {
            let record = unsafe events[unchecked: index].record
            var end = index + 1
            while end < count, unsafe events[unchecked: end].record == record { end += 1 }
            if end == index + 1 {
                if index % FoldCore.askedTogether == 0 { ask(events, index) }
                unsafe arrive(events[unchecked: index], at: asked[index], sortsRecord: false)
            } else {
                foldRecord(events, index..<end)
            }
            index = end
        }
    }

    mutating func advance(to time: Int64, into contributions: inout ContributionBatch) {
        swap(&context.contributions, &contributions)
        defer { swap(&context.contributions, &contributions) }
        context.watermark = max(context.watermark, time)
        advanceStream(to: time)
    }

    /// Events that are held back, counted state by state.
    var heldEvents: Int {
        table.indices.reduce(0) { sum, place in
            table[place].flags.contains(.inUse) ? sum + table[place].heldEvents(context) : sum
        }
    }

    mutating func finish(into contributions: inout ContributionBatch) {
        swap(&context.contributions, &contributions)
        defer { swap(&context.contributions, &contributions) }
        for index in table.indices where table[index].flags.contains(.inUse) && table[index].cold != Device.noCold {
            table[index].releaseAll(context)
        }
    }

    /// Events between the asking for a state and its use, where states are gone through one by one.
    static let ahead = 3

    /// Events whose memory is asked for together, so that the waits for translations of addresses overlap; and the
    /// events between two steps of the asking: some hundred ns each, more than memory takes to answer.
    static let askedTogether = 4

    /// Asks for what events to come will need, each thing once what tells its address is there: of the latest ones the
    /// place in the index, then the state, what only some have, and the parts of that.
    ///
    /// - Parameter index: a multiple of ``askedTogether``.
    private mutating func ask(_ events: Span<Event>, _ index: Int) {
        let step = FoldCore.askedTogether
        for entry in min(index + 4 * step, events.count)..<min(index + 5 * step, events.count) {
            unsafe table.prefetchEntry(events[unchecked: entry].installation)
        }
        for state in min(index + 3 * step, events.count)..<min(index + 4 * step, events.count) {
            asked[state] = unsafe table.prefetchState(events[unchecked: state].installation)
        }
        for cold in min(index + 2 * step, events.count)..<min(index + 3 * step, events.count) {
            guard let device = asked[cold] else { continue }
            context.store.prefetch(table[device].coldIfUsed)
            context.clocks.prefetch(table[device].clocks)
        }
        for parts in min(index + step, events.count)..<min(index + 2 * step, events.count) {
            if let device = asked[parts] { context.store.prefetchParts(table[device].coldIfUsed) }
        }
    }

    // MARK: Records

    /// Folds the events of one record, those without a number in the order of their times.
    private mutating func foldRecord(_ events: Span<Event>, _ range: Range<Int>) {
        let isOrdered = FoldCore.isOrdered(events, range)
        context.isInRecord = true
        for index in range {
            if index % FoldCore.askedTogether == 0 { ask(events, index) }
            arrive(events[index], at: asked[index], sortsRecord: !isOrdered)
        }
        context.isInRecord = false
        guard context.holdsOfRecord else { return }
        context.holdsOfRecord = false
        for index in range {
            guard events[index].edge != .tick, let device = table.find(events[index].installation) else { continue }
            note(device)
            table[device].closeRecord(context)
            schedule(device)
        }
    }

    /// Nothing is to be sorted: numbers tell the order, or each event is younger than the one before and none was
    /// stamped by a clock that is ahead.
    private static func isOrdered(_ events: Span<Event>, _ range: Range<Int>) -> Bool {
        for index in range.dropFirst() where events[index].sequence == Moment.absent {
            let time = events[index].time
            guard events[index].installation == events[index - 1].installation, time > events[index - 1].time
            else { return false }
            let (received, sent) = (events[index].received, events[index].sent)
            if received != Moment.absent, time > received { return false }
            if sent != Moment.absent, time > sent { return false }
        }
        return true
    }

    @inline(__always)
    private mutating func arrive(_ event: borrowing Event, at place: UInt32?, sortsRecord: Bool) {
        if event.received != Moment.absent {
            if event.received > context.watermark { context.watermark = event.received }
            advanceStream(to: event.received)
        }
        guard event.edge != .tick else { return }
        context.counts.arrived += 1
        var device = table.index(of: event.installation, at: place)
        if event.received == Moment.absent {
            advanceStream(to: table[device].stamp(of: event, context).received)
            // Its own time may have been over by then.
            device = table.index(of: event.installation)
        }
        note(device)
        table[device].arrive(event, sortsRecord: sortsRecord, context)
        schedule(device)
    }

    // MARK: Timers

    @inline(__always)
    private mutating func advanceStream(to time: Int64) {
        guard time > context.stream else { return }
        context.stream = time
        fireDue()
    }

    private mutating func fireDue() {
        wheel.advance(to: TimerWheel.tick(context.stream), into: &candidates)
        for place in candidates.indices {
            if place + 2 * FoldCore.ahead < candidates.count {
                table.prefetch(candidates[place + 2 * FoldCore.ahead])
            }
            fire(candidates[place])
        }
        candidates.removeAll(keepingCapacity: true)
        while let entry = near.least, entry.due <= context.stream {
            _ = near.removeLeast()
            fire(entry.device)
        }
    }

    /// Looks at a device whose time may have come.
    private mutating func fire(_ device: UInt32) {
        guard table[device].flags.contains(.inUse) else { return }
        let wanted = table[device].timer
        // Later than now: the entry is stale, and another one is on its way.
        guard wanted != 0, wanted <= TimerWheel.tick(context.stream) else { return }
        table[device].timer = 0
        // One limit after another, each as if no more time had passed: in what steps time goes on decides nothing.
        let stream = context.stream
        var due = table[device].nextDue(context)
        var isExpired = false
        while !isExpired, due <= stream {
            note(device)
            context.stream = due
            table[device].fire(context)
            isExpired = table[device].isExpired(context)
            due = table[device].nextDue(context)
        }
        context.stream = stream
        if isExpired { expire(device) } else { schedule(device, due) }
    }

    private mutating func expire(_ device: UInt32) {
        removeParts(device)
        table.remove(device)
        if notesChanges { changed.append(device) }
    }

    /// Ends what only some installations have.
    mutating func removeParts(_ device: UInt32) { table[device].removeParts(context) }

    /// The device is going to change: remembers it for the next commit, as it is.
    @inline(__always)
    private mutating func note(_ device: UInt32) {
        guard notesChanges, !table[device].flags.contains(.changed) else { return }
        keep(device)
    }

    @inline(never)
    private mutating func keep(_ device: UInt32) {
        table[device].flags.insert(.changed)
        // What the pass has not told yet is told whole, whatever it was before.
        guard table[device].flags.contains(toldInPass) else { return changed.append(device) }
        changed.append(device, StateImage(of: table[device], context))
    }

    /// Looks out for every device anew, from stream time on, whatever was looked out for before.
    ///
    /// - Returns: how many events are held back.
    mutating func scheduleAll() -> Int {
        var held = 0
        wheel = TimerWheel()
        near = MinHeap()
        var none: ContiguousArray<UInt32> = []
        if context.stream != Moment.absent { wheel.advance(to: TimerWheel.tick(context.stream), into: &none) }
        for device in table.indices where table[device].flags.contains(.inUse) {
            prefetchCold(behind: device)
            table[device].timer = 0
            schedule(device)
            held += table[device].heldEvents(context)
        }
        return held
    }

    /// Asks for what devices that come soon have beside their states, where all are gone through in order.
    private func prefetchCold(behind device: UInt32) {
        let (state, parts) = (device &+ 4 * UInt32(FoldCore.ahead), device &+ 2 * UInt32(FoldCore.ahead))
        if table.indices.contains(state) { context.store.prefetch(table[state].cold) }
        if table.indices.contains(parts) { context.store.prefetchParts(table[parts].cold) }
    }

    /// Ticks after which a device is looked at in any case, some 9 hours. The end of a state is days away and moves
    /// with each use; an entry for it would stand in the wheel, stale, as long as that.
    private static let longestWait: UInt32 = 1 << 15

    /// Sees to it that the device is looked at when its next limit passes, or before.
    @inline(__always)
    mutating func schedule(_ device: UInt32) { schedule(device, table[device].nextDue(context)) }

    /// - Parameter due: the device's next limit.
    @inline(__always)
    private mutating func schedule(_ device: UInt32, _ due: Int64) {
        guard due != Int64.max else { return }
        let now = TimerWheel.tick(context.stream)
        let latest = now < UInt32.max - FoldCore.longestWait ? now + FoldCore.longestWait : UInt32.max
        let tick = min(max(TimerWheel.tick(due), 1), latest)
        let wanted = table[device].timer
        guard wanted == 0 || tick < wanted else { return }
        table[device].timer = tick
        if tick <= now {
            near.insert(NearTimer(due: due, device: device))
        } else {
            wheel.insert(device, tick: tick)
        }
    }
}

/// Places of states by the number of an event in its batch, of the last few events.
private struct AskedStates {
    private var places = InlineArray<16, UInt32>(repeating: .max)

    subscript(event: Int) -> UInt32? {
        @inline(__always) get {
            let place = places[event & 15]
            return place == .max ? nil : place
        }
        @inline(__always) set { places[event & 15] = newValue ?? .max }
    }
}
