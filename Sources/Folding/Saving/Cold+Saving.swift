import Lifecycle

/// Parts of a ``Cold`` state, as the checkpoint tells them: those that an entry does not tell are as they were.
struct HeldParts: OptionSet, BitwiseCopyable {
    let rawValue: UInt32

    static let echoes = HeldParts(rawValue: 1 << 0)
    static let scenes = HeldParts(rawValue: 1 << 1)
    static let activities = HeldParts(rawValue: 1 << 2)
    static let views = HeldParts(rawValue: 1 << 3)
    static let graces = HeldParts(rawValue: 1 << 4)
    static let resources = HeldParts(rawValue: 1 << 5)
    static let clock = HeldParts(rawValue: 1 << 6)
    static let offsets = HeldParts(rawValue: 1 << 7)
    static let ids = HeldParts(rawValue: 1 << 8)
    static let contents = HeldParts(rawValue: 1 << 9)
    static let succeeded = HeldParts(rawValue: 1 << 10)
    static let endedCounts = HeldParts(rawValue: 1 << 11)
    static let announcedViews = HeldParts(rawValue: 1 << 12)
    static let announcedClasses = HeldParts(rawValue: 1 << 13)
    static let undecidedViews = HeldParts(rawValue: 1 << 14)
    static let heldByNumber = HeldParts(rawValue: 1 << 15)
    static let heldByTime = HeldParts(rawValue: 1 << 16)
    static let resigns = HeldParts(rawValue: 1 << 17)
    static let lastTold = HeldParts(rawValue: 1 << 18)
    static let steppedFrom = HeldParts(rawValue: 1 << 19)

    static let all = HeldParts(rawValue: 1 << 20 - 1)
    /// Parts that few states have.
    static let seldom: Self = [.clock, .ids, .contents, .heldByNumber, .heldByTime]
    static let odd: Self = [
        .announcedViews, .announcedClasses, .undecidedViews, .resigns, .lastTold, .steppedFrom,
    ]
}

extension Cold {
    /// All that a reader needs who knows nothing of it.
    private var whole: HeldParts {
        var parts: HeldParts = []
        if !echoes.isNew { parts.insert(.echoes) }
        if !scenes.isEmpty { parts.insert(.scenes) }
        if !activities.isEmpty { parts.insert(.activities) }
        if !views.isEmpty { parts.insert(.views) }
        if !graces.isNew { parts.insert(.graces) }
        if !resources.isEmpty { parts.insert(.resources) }
        if !rare.clock.isNew { parts.insert(.clock) }
        if rare.known.hasIDs { parts.insert(.ids) }
        if rare.known.hasContents { parts.insert(.contents) }
        if !succeeded.isEmpty { parts.insert(.succeeded) }
        if !endedCounts.isEmpty { parts.insert(.endedCounts) }
        if !announcedViews.isEmpty { parts.insert(.announcedViews) }
        if !announcedClasses.isEmpty { parts.insert(.announcedClasses) }
        if !undecidedViews.isEmpty { parts.insert(.undecidedViews) }
        if !heldByNumber.isEmpty { parts.insert(.heldByNumber) }
        if !heldByTime.isEmpty { parts.insert(.heldByTime) }
        if !resigns.isEmpty { parts.insert(.resigns) }
        return parts
    }

    /// What is new since it was told last.
    private var changed: HeldParts {
        var parts = unsaved
        if rare.clock.hasNews { parts.insert(.clock) }
        if rare.known.newIDs > 0 { parts.insert(.ids) }
        if rare.known.newContents > 0 { parts.insert(.contents) }
        if newSucceeded > 0 { parts.insert(.succeeded) }
        if newEndedCounts > 0 { parts.insert(.endedCounts) }
        return parts
    }

    /// - Parameters:
    ///   - old: the state as it was told last.
    ///   - isWhole: the reader knows nothing of it.
    func save(_ image: StateImage, over old: StateImage, isWhole: Bool, to writer: inout StateWriter) {
        (writer.offset, writer.events) = (lastOffset, events)
        var parts = isWhole ? whole : changed
        let (new, before) = (image.held, old.held)
        if new.lastOffset != before.lastOffset || new.sinceOffset != before.sinceOffset { parts.insert(.offsets) }
        if new.lastTold != before.lastTold { parts.insert(.lastTold) }
        if new.steppedFrom != before.steppedFrom { parts.insert(.steppedFrom) }
        writer[.cold].append(UInt64(parts.rawValue))
        // Mostly each number is an event.
        writer[.cold].append(signed: (new.events &- before.events) &- (image.sequenceNext &- old.numberBefore))
        if parts.contains(.offsets) {
            writer[.clock].append(signed: lastOffset)
            writer[.clock].append(signed: lastOffset &- sinceOffset)
        }
        if parts.contains(.clock) { rare.clock.save(isWhole: isWhole, to: &writer) }
        if parts.contains(.ids) { rare.known.saveIDs(isWhole: isWhole, to: &writer) }
        if parts.contains(.contents) { rare.known.saveContents(isWhole: isWhole, to: &writer) }
        if parts.contains(.succeeded) { saveSucceeded(over: old, isWhole: isWhole, to: &writer) }
        if parts.contains(.endedCounts) { saveEndedCounts(over: old, isWhole: isWhole, to: &writer) }
        if parts.contains(.heldByNumber) { save(heldByNumber, to: &writer) }
        if parts.contains(.heldByTime) { save(heldByTime, to: &writer) }
        if parts.contains(.scenes) { writer.put(scenes, isWhole: isWhole) }
        if parts.contains(.activities) { writer.put(activities, isWhole: isWhole) }
        if parts.contains(.views) { writer.put(views, isWhole: isWhole) }
        if parts.contains(.resources) { writer.put(resources, isWhole: isWhole) }
        if parts.contains(.graces) { graces.save(to: &writer) }
        if parts.contains(.echoes) { echoes.save(isWhole: isWhole, to: &writer) }
        saveOdd(parts, to: &writer)
    }

    /// What few installations have.
    private func saveOdd(_ parts: HeldParts, to writer: inout StateWriter) {
        if parts.contains(.announcedViews) {
            writer[.instances].append(UInt64(announcedViews.count))
            announcedViews.forEach { id in writer[.ids].append(fixed: id) }
        }
        if parts.contains(.announcedClasses) {
            writer[.instances].append(UInt64(announcedClasses.count))
            announcedClasses.forEach { name in writer.hash(name, to: .instances) }
        }
        if parts.contains(.undecidedViews) {
            writer[.instances].append(UInt64(undecidedViews.count))
            undecidedViews.forEach { view in
                writer.put(view.stamp, to: .instances)
                writer.put(view.loading, to: .instances)
            }
        }
        if parts.contains(.resigns) {
            writer[.resign].append(UInt64(resigns.count))
            resigns.forEach { time in writer[.resign].append(signed: writer.last.time &- time) }
        }
        if parts.contains(.lastTold) { writer[.time].append(signed: writer.last.time &- rare.lastTold) }
        if parts.contains(.steppedFrom) { writer.put(rare.steppedFrom, from: writer.last, to: .since) }
    }

    /// Those at the end that are new; a list that has reached its limit loses as many at its beginning.
    private func saveSucceeded(over old: StateImage, isWhole: Bool, to writer: inout StateWriter) {
        let count = isWhole ? succeeded.count : min(newSucceeded, succeeded.count)
        writer[.cold].append(UInt64(count) << 1 | (count == succeeded.count ? 1 : 0))
        for index in succeeded.indices.suffix(count) { writer.put(short: succeeded[index], known: old.process) }
    }

    private func saveEndedCounts(over old: StateImage, isWhole: Bool, to writer: inout StateWriter) {
        let count = isWhole ? endedCounts.count : min(newEndedCounts, endedCounts.count)
        writer[.cold].append(UInt64(count) << 1 | (count == endedCounts.count ? 1 : 0))
        for index in endedCounts.indices.suffix(count) {
            let ended = endedCounts[index]
            writer.put(short: ended.process, known: old.process)
            writer.put(short: ended.boot, known: old.boot)
            writer[.sequence].append(signed: ended.next &- old.numberBefore)
            let isRun = ended.seen == ended.seenInRun
            writer[.cold].append(byte: isRun ? 1 : 0)
            if !isRun { writer[.identity].append(fixed: ended.seen) }
        }
    }

    private func save(_ events: borrowing Few<HeldEvent>, to writer: inout StateWriter) {
        writer[.held].append(UInt64(events.count))
        events.forEach { $0.save(to: &writer) }
    }

    /// What is new since now is what the next ``save(_:over:isWhole:to:)`` of a part tells.
    func noteSaved(isWhole: Bool) {
        if rare.clock.hasNews { rare.clock.noteSaved() }
        if hasRare { rare.known.noteSaved() }
        if isWhole || !unsaved.isDisjoint(with: [.scenes, .activities, .views, .resources]) {
            Self.noteTold(&scenes)
            Self.noteTold(&activities)
            if hasVisits { Self.noteTold(&views) }
            if hasGraces { Self.noteTold(&resources) }
        }
        if isWhole || unsaved.contains(.echoes) { echoes.noteSaved() }
        (newSucceeded, newEndedCounts) = (0, 0)
        unsaved = []
    }

    private static func noteTold(_ list: inout Few<some Listed>) {
        for place in list.indices where Int(list[place].told) != place + 1 { list[place].told = UInt16(place + 1) }
    }
}

extension EndedCount {
    /// What ``seen`` is where all numbers came in order.
    fileprivate var seenInRun: UInt64 { next >= 0 && next < 64 ? 1 << UInt64(next) - 1 : UInt64.max }
}

extension StateWriter {
    /// A hash that mostly is one that the reader knows.
    fileprivate mutating func put(short hash: UInt32, known: UInt32) {
        self[.cold].append(byte: hash == known ? 1 : 0)
        if hash != known { self[.identity].append(fixed: hash) }
    }
}

// MARK: Reading

extension StateReader {
    fileprivate mutating func short(known: UInt32) throws(UnreadableBytes) -> UInt32 {
        try flag(.cold) ? known : try self[.identity].fixed32()
    }

    /// How many follow in a list of bounded length, and whether they are all of it.
    fileprivate mutating func news(limit: Int) throws(UnreadableBytes) -> (count: Int, isAll: Bool) {
        let head = try self[.cold].number()
        guard head >> 1 <= UInt64(limit) else { throw UnreadableBytes() }
        return (Int(head >> 1), head & 1 == 1)
    }
}

extension ColdState {
    /// As a new one, but that lists keep the room they have.
    mutating func clear() {
        events = 0
        scenes.removeAll()
        activities.removeAll()
        echoes.removeAll()
        succeeded.removeAll()
        endedCounts.removeAll()
        if graces.isThere { graces = Part() }
        if visits.isThere { visits = Part() }
        if rare.isThere { rare = Part() }
    }

    /// Takes what one entry tells.
    ///
    /// - Parameters:
    ///   - device: whose it is, as the entry tells it.
    ///   - old: as that was before.
    ///   - memory: what its lists are made of.
    mutating func load(
        _ reader: inout StateReader, of device: borrowing Device, over old: StateBefore, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        guard let raw = UInt32(exactly: try reader[.cold].number()) else { throw UnreadableBytes() }
        let parts = HeldParts(rawValue: raw)
        guard HeldParts.all.isSuperset(of: parts) else { throw UnreadableBytes() }
        events = events &+ (device.sequenceNext &- old.number) &+ (try reader[.cold].signed())
        reader.events = events
        if parts.contains(.offsets) { try loadOffsets(&reader, in: memory) }
        reader.offset = unsafe rare.isThere ? rare.address(or: Rare.blank).pointee.lastOffset : 0
        if !parts.isDisjoint(with: .seldom) { try loadSeldom(parts, &reader, of: device.key, in: memory) }
        if parts.contains(.succeeded) { try loadSucceeded(&reader, over: old, in: memory) }
        if parts.contains(.endedCounts) { try loadEndedCounts(&reader, over: old, in: memory) }
        if parts.contains(.scenes) { try reader.list(into: &scenes, in: memory) }
        if parts.contains(.activities) { try reader.list(into: &activities, in: memory) }
        if parts.contains(.views) {
            try unsafe reader.list(into: &visits.make(Visits.init, in: memory).pointee.views, in: memory)
        }
        if parts.contains(.resources) {
            try unsafe reader.list(into: &graces.make(Graces.init, in: memory).pointee.resources, in: memory)
        }
        if parts.contains(.graces) {
            try unsafe graces.make(Graces.init, in: memory).pointee.load(&reader, in: memory)
        }
        if parts.contains(.echoes) { try echoes.load(&reader, in: memory) }
        if !parts.isDisjoint(with: .odd) { try loadOdd(parts, &reader, in: memory) }
    }

    private mutating func loadOffsets(
        _ reader: inout StateReader, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        let last = try reader[.clock].signed()
        let since = last &- (try reader[.clock].signed())
        // A state without a part for them stands for none.
        guard rare.isThere || last != 0 || since != 0 else { return }
        let rare = unsafe rare.make(Rare.init, in: memory)
        unsafe (rare.pointee.lastOffset, rare.pointee.sinceOffset) = (last, since)
    }

    private mutating func loadSeldom(
        _ parts: HeldParts, _ reader: inout StateReader, of owner: InstallationKey, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        let rare = unsafe rare.make(Rare.init, in: memory)
        if parts.contains(.clock) { try unsafe rare.pointee.clock.load(&reader, in: memory) }
        if parts.contains(.ids) { try unsafe rare.pointee.known.loadIDs(&reader, in: memory) }
        if parts.contains(.contents) { try unsafe rare.pointee.known.loadContents(&reader, in: memory) }
        if parts.contains(.heldByNumber) {
            try unsafe reader.held(into: &rare.pointee.heldByNumber, owner, in: memory)
        }
        if parts.contains(.heldByTime) { try unsafe reader.held(into: &rare.pointee.heldByTime, owner, in: memory) }
    }

    /// What few installations have.
    private mutating func loadOdd(
        _ parts: HeldParts, _ reader: inout StateReader, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        if !parts.isDisjoint(with: [.announcedViews, .announcedClasses, .undecidedViews]) {
            try unsafe visits.make(Visits.init, in: memory).pointee.loadOdd(parts, &reader, in: memory)
        }
        guard !parts.isDisjoint(with: [.resigns, .lastTold, .steppedFrom]) else { return }
        let rare = unsafe rare.make(Rare.init, in: memory)
        if parts.contains(.resigns) {
            unsafe rare.pointee.resigns.removeAll()
            for _ in 0..<(try reader.length(.resign)) {
                let time = reader.last.time &- (try reader[.resign].signed())
                unsafe rare.pointee.resigns.append(time, in: memory)
            }
        }
        if parts.contains(.lastTold) {
            let told = reader.last.time &- (try reader[.time].signed())
            unsafe rare.pointee.lastTold = told
        }
        if parts.contains(.steppedFrom) {
            let moment = try reader.moment(from: reader.last, .since)
            unsafe rare.pointee.steppedFrom = moment
        }
    }

    private mutating func loadSucceeded(
        _ reader: inout StateReader, over old: StateBefore, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        let (count, isAll) = try reader.news(limit: Self.succeededLimit)
        if isAll { succeeded.removeAll() }
        succeeded.reserve(count, in: memory)
        for _ in 0..<count {
            succeeded.append(try reader.short(known: old.process), limit: Self.succeededLimit, in: memory)
        }
    }

    private mutating func loadEndedCounts(
        _ reader: inout StateReader, over old: StateBefore, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        let (count, isAll) = try reader.news(limit: Self.succeededLimit)
        if isAll { endedCounts.removeAll() }
        endedCounts.reserve(count, in: memory)
        for _ in 0..<count {
            let (process, boot) = (try reader.short(known: old.process), try reader.short(known: old.boot))
            let next = old.number &+ (try reader[.sequence].signed())
            var ended = EndedCount(process: process, boot: boot, next: next, seen: 0)
            ended.seen = try reader.flag(.cold) ? ended.seenInRun : try reader[.identity].fixed64()
            endedCounts.append(ended, limit: Self.succeededLimit, in: memory)
        }
    }
}

extension Visits {
    fileprivate mutating func loadOdd(
        _ parts: HeldParts, _ reader: inout StateReader, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        if parts.contains(.announcedViews) {
            announcedViews.removeAll()
            let count = try reader[.instances].number()
            guard count <= UInt64(reader[.ids].left) else { throw UnreadableBytes() }
            for _ in 0..<count { announcedViews.append(try reader[.ids].fixed64(), in: memory) }
        }
        if parts.contains(.announcedClasses) {
            announcedClasses.removeAll()
            for _ in 0..<(try reader.length(.instances)) {
                announcedClasses.append(try reader.hash(.instances), in: memory)
            }
        }
        if parts.contains(.undecidedViews) {
            undecidedViews.removeAll()
            for _ in 0..<(try reader.length(.instances)) {
                let stamp = try reader.stamp(.instances)
                let loading = try reader.optionalMoment(.instances)
                undecidedViews.append(UndecidedView(stamp: stamp, loading: loading), in: memory)
            }
        }
    }
}

extension StateReader {
    fileprivate mutating func held(
        into events: inout Few<HeldEvent>, _ owner: InstallationKey, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        events.removeAll()
        for _ in 0..<(try length(.held)) { events.append(try HeldEvent(&self, owner), in: memory) }
    }
}
