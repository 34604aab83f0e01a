import Lifecycle

/// What only some installations have, in columns.
extension Cold {
    private enum Part {
        static let lastOffset: UInt64 = 1 << 0
        static let sinceOffset: UInt64 = 1 << 1
        static let clock: UInt64 = 1 << 2
        static let ids: UInt64 = 1 << 3
        static let contents: UInt64 = 1 << 4
        static let succeeded: UInt64 = 1 << 5
        static let resigns: UInt64 = 1 << 6
        static let heldByNumber: UInt64 = 1 << 7
        static let heldByTime: UInt64 = 1 << 8
        static let scenes: UInt64 = 1 << 9
        static let activities: UInt64 = 1 << 10
        static let views: UInt64 = 1 << 11
        static let resources: UInt64 = 1 << 12
        static let announced: UInt64 = 1 << 13
        static let graces: UInt64 = 1 << 14
        static let echoes: UInt64 = 1 << 15
        static let endedCounts: UInt64 = 1 << 16
        static let lastTold: UInt64 = 1 << 17
        static let steppedFrom: UInt64 = 1 << 18
        static let announcedViews: UInt64 = 1 << 19
        static let undecidedViews: UInt64 = 1 << 20
        static let all: UInt64 = (1 << 21) - 1
    }

    private func parts(isWhole: Bool) -> UInt64 {
        var parts: UInt64 = 0
        if lastOffset != 0 { parts |= Part.lastOffset }
        if sinceOffset != 0 { parts |= Part.sinceOffset }
        if !clock.isNew { parts |= Part.clock }
        if isWhole ? known.hasIDs : known.newIDs > 0 { parts |= Part.ids }
        if isWhole ? known.hasContents : known.newContents > 0 { parts |= Part.contents }
        if !succeeded.isEmpty { parts |= Part.succeeded }
        if !resigns.isEmpty { parts |= Part.resigns }
        if !heldByNumber.isEmpty { parts |= Part.heldByNumber }
        if !heldByTime.isEmpty { parts |= Part.heldByTime }
        if !scenes.isEmpty { parts |= Part.scenes }
        if !activities.isEmpty { parts |= Part.activities }
        if !views.isEmpty { parts |= Part.views }
        if !resources.isEmpty { parts |= Part.resources }
        if !announcedClasses.isEmpty { parts |= Part.announced }
        if !graces.isNew { parts |= Part.graces }
        if !echoes.isNew { parts |= Part.echoes }
        if !endedCounts.isEmpty { parts |= Part.endedCounts }
        if lastTold != 0 { parts |= Part.lastTold }
        if steppedFrom.isKnown { parts |= Part.steppedFrom }
        if !announcedViews.isEmpty { parts |= Part.announcedViews }
        if !undecidedViews.isEmpty { parts |= Part.undecidedViews }
        return parts
    }

    func save(isWhole: Bool, to writer: inout StateWriter) {
        let parts = parts(isWhole: isWhole)
        writer[.cold].append(parts)
        writer[.cold].append(signed: events)
        if lastOffset != 0 { writer[.cold].append(signed: lastOffset) }
        if sinceOffset != 0 { writer[.cold].append(signed: lastOffset &- sinceOffset) }
        if parts & Part.clock != 0 { clock.save(isWhole: isWhole, to: &writer) }
        if parts & Part.ids != 0 { known.saveIDs(isWhole: isWhole, to: &writer) }
        if parts & Part.contents != 0 { known.saveContents(isWhole: isWhole, to: &writer) }
        if parts & Part.succeeded != 0 {
            writer[.cold].append(UInt64(succeeded.count))
            for process in succeeded { writer[.cold].append(fixed: process) }
        }
        if parts & Part.resigns != 0 {
            writer[.cold].append(UInt64(resigns.count))
            for time in resigns { writer[.cold].append(signed: writer.last.time &- time) }
        }
        save(heldByNumber, to: &writer)
        save(heldByTime, to: &writer)
        saveInstances(to: &writer)
        if parts & Part.graces != 0 { graces.save(to: &writer) }
        if parts & Part.echoes != 0 { echoes.save(to: &writer) }
        saveOdd(to: &writer)
    }

    /// What stands out of the ordinary: the clock went back, a launch is not decided, processes were succeeded.
    private func saveOdd(to writer: inout StateWriter) {
        if !endedCounts.isEmpty {
            writer[.cold].append(UInt64(endedCounts.count))
            for count in endedCounts {
                writer[.cold].append(fixed: count.process)
                writer[.cold].append(fixed: count.boot)
                writer[.cold].append(signed: count.next)
                writer[.cold].append(fixed: count.seen)
            }
        }
        if lastTold != 0 { writer[.cold].append(signed: lastTold) }
        if steppedFrom.isKnown { writer.put(steppedFrom, from: writer.last, to: .cold) }
        if !announcedViews.isEmpty {
            writer[.instances].append(UInt64(announcedViews.count))
            for id in announcedViews { writer[.instances].append(fixed: id) }
        }
        if !undecidedViews.isEmpty {
            writer[.instances].append(UInt64(undecidedViews.count))
            for view in undecidedViews {
                writer.put(view.stamp, to: .instances)
                writer.put(view.loading, to: .instances)
            }
        }
    }

    private func save(_ events: [HeldEvent], to writer: inout StateWriter) {
        if events.isEmpty { return }
        writer[.held].append(UInt64(events.count))
        for event in events { event.save(to: &writer) }
    }

    private func saveInstances(to writer: inout StateWriter) {
        if !scenes.isEmpty {
            writer[.instances].append(UInt64(scenes.count))
            for scene in scenes { scene.save(to: &writer) }
        }
        if !activities.isEmpty {
            writer[.instances].append(UInt64(activities.count))
            for activity in activities { activity.save(to: &writer) }
        }
        if !views.isEmpty {
            writer[.instances].append(UInt64(views.count))
            for view in views { view.save(to: &writer) }
        }
        if !resources.isEmpty {
            writer[.instances].append(UInt64(resources.count))
            for resource in resources { resource.save(to: &writer) }
        }
        if !announcedClasses.isEmpty {
            writer[.instances].append(UInt64(announcedClasses.count))
            for name in announcedClasses { writer[.instances].append(fixed: name) }
        }
    }

    /// What is new since now is what the next ``save(isWhole:to:)`` of a part tells.
    func noteSaved() {
        clock.noteSaved()
        known.noteSaved()
    }

    // MARK: Reading

    /// Takes what one entry tells; lists of known events and clock readings are added to where it is no whole one.
    func load(_ reader: inout StateReader, owner: InstallationKey) throws(UnreadableBytes) {
        let parts = try reader[.cold].number()
        guard parts & ~Part.all == 0 else { throw UnreadableBytes() }
        events = try reader[.cold].signed()
        lastOffset = parts & Part.lastOffset != 0 ? try reader[.cold].signed() : 0
        sinceOffset = parts & Part.sinceOffset != 0 ? lastOffset &- (try reader[.cold].signed()) : 0
        if parts & Part.clock != 0 { try clock.load(&reader) } else { clock = DeviceClock() }
        if parts & Part.ids != 0 { try known.loadIDs(&reader) }
        if parts & Part.contents != 0 { try known.loadContents(&reader) }
        succeeded = []
        if parts & Part.succeeded != 0 {
            for _ in 0..<(try reader.length(.cold)) { succeeded.append(try reader[.cold].fixed32()) }
        }
        resigns = []
        if parts & Part.resigns != 0 {
            for _ in 0..<(try reader.length(.cold)) {
                resigns.append(reader.last.time &- (try reader[.cold].signed()))
            }
        }
        heldByNumber = parts & Part.heldByNumber != 0 ? try Self.loadHeld(&reader, owner) : []
        heldByTime = parts & Part.heldByTime != 0 ? try Self.loadHeld(&reader, owner) : []
        try loadInstances(parts, &reader)
        graces = parts & Part.graces != 0 ? try Graces(&reader) : Graces()
        echoes = parts & Part.echoes != 0 ? try Echoes(&reader) : Echoes()
        try loadOdd(parts, &reader)
    }

    private func loadOdd(_ parts: UInt64, _ reader: inout StateReader) throws(UnreadableBytes) {
        (endedCounts, announcedViews, undecidedViews) = ([], [], [])
        if parts & Part.endedCounts != 0 {
            for _ in 0..<(try reader.length(.cold)) {
                let (process, boot) = (try reader[.cold].fixed32(), try reader[.cold].fixed32())
                let next = try reader[.cold].signed()
                endedCounts.append(
                    EndedCount(process: process, boot: boot, next: next, seen: try reader[.cold].fixed64()))
            }
        }
        lastTold = parts & Part.lastTold != 0 ? try reader[.cold].signed() : 0
        steppedFrom = parts & Part.steppedFrom != 0 ? try reader.moment(from: reader.last, .cold) : .never
        if parts & Part.announcedViews != 0 {
            for _ in 0..<(try reader.length(.instances)) { announcedViews.append(try reader[.instances].fixed64()) }
        }
        if parts & Part.undecidedViews != 0 {
            for _ in 0..<(try reader.length(.instances)) {
                let stamp = try reader.stamp(.instances)
                undecidedViews.append(UndecidedView(stamp: stamp, loading: try reader.optionalMoment(.instances)))
            }
        }
    }

    private static func loadHeld(
        _ reader: inout StateReader, _ owner: InstallationKey
    ) throws(UnreadableBytes) -> [HeldEvent] {
        var events: [HeldEvent] = []
        for _ in 0..<(try reader.length(.held)) { events.append(try HeldEvent(&reader, owner)) }
        return events
    }

    private func loadInstances(_ parts: UInt64, _ reader: inout StateReader) throws(UnreadableBytes) {
        (scenes, activities, views, resources, announcedClasses) = ([], [], [], [], [])
        if parts & Part.scenes != 0 {
            for _ in 0..<(try reader.length(.instances)) { scenes.append(try Scene(&reader)) }
        }
        if parts & Part.activities != 0 {
            for _ in 0..<(try reader.length(.instances)) { activities.append(try Activity(&reader)) }
        }
        if parts & Part.views != 0 {
            for _ in 0..<(try reader.length(.instances)) { views.append(try View(&reader)) }
        }
        if parts & Part.resources != 0 {
            for _ in 0..<(try reader.length(.instances)) { resources.append(try Resource(&reader)) }
        }
        if parts & Part.announced != 0 {
            for _ in 0..<(try reader.length(.instances)) { announcedClasses.append(try reader[.instances].fixed64()) }
        }
    }
}
