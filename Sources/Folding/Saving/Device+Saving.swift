import Lifecycle

/// The state that every event needs, in columns.
extension Device {
    /// Bits of ``StateColumn/shape``: what stands in other columns, and what is like something else.
    private enum Shape {
        static let lastReceived: UInt64 = 1 << 0
        static let sinceReceivedIsLast: UInt64 = 1 << 1
        static let sinceReceived: UInt64 = 1 << 2
        static let sinceIsLast: UInt64 = 1 << 3
        static let sinceIsNever: UInt64 = 1 << 4
        static let lastTime: UInt64 = 1 << 5
        static let lastMonotonic: UInt64 = 1 << 6
        static let sequence: UInt64 = 1 << 7
        static let sameGroup: UInt64 = 1 << 8
        static let reason: UInt64 = 1 << 9
        static let process: UInt64 = 1 << 10
        static let boot: UInt64 = 1 << 11
        static let unexplained: UInt64 = 1 << 12
        /// Two bits each: where from, of four places.
        static let domain: UInt64 = 13
        static let setting: UInt64 = 15
        static let latency: UInt64 = 17
        static let resign: UInt64 = 19
        static let lastLaunch: UInt64 = 1 << 21
        static let launchBefore: UInt64 = 1 << 22
    }

    /// Flags that are the writer's own business, in no checkpoint.
    private static let unsaved: Flags = [.changed, .savedEven, .savedOdd, .inUse]

    func save(place: UInt32, isWhole: Bool, _ held: Cold?, to writer: inout StateWriter) {
        var entry = StateEntry.isState
        if isWhole { entry |= StateEntry.isWhole }
        if held != nil { entry |= StateEntry.hasCold }
        writer.begin(place: place, entry: entry)
        writer.last = last
        writer.lastReceived = lastReceived
        if isWhole {
            writer[.key].append(fixed: key.high)
            writer[.key].append(fixed: key.low)
        }
        writer[.phase].append(byte: state.rawValue | began.rawValue << 3 | launch.rawValue << 6)
        writer[.phase].append(byte: before.rawValue)
        writer[.flags].append(UInt64(flags.subtracting(Self.unsaved).rawValue))
        writer[.shape].append(shape)
        saveTimes(to: &writer)
        saveIdentity(to: &writer)
        held?.save(isWhole: isWhole, to: &writer)
    }

    private var shape: UInt64 {
        var shape: UInt64 = 0
        if lastReceived != Moment.absent { shape |= Shape.lastReceived }
        if sinceReceived == lastReceived { shape |= Shape.sinceReceivedIsLast }
        if sinceReceived != Moment.absent { shape |= Shape.sinceReceived }
        if since == last { shape |= Shape.sinceIsLast }
        if since == .never { shape |= Shape.sinceIsNever }
        if last.isKnown { shape |= Shape.lastTime }
        if last.monotonic != Moment.absent { shape |= Shape.lastMonotonic }
        if sequenceNext != Moment.absent || sequenceSeen != 0 { shape |= Shape.sequence }
        if sinceGroup == lastGroup { shape |= Shape.sameGroup }
        if reason != 0 { shape |= Shape.reason }
        if process != 0 { shape |= Shape.process }
        if boot != 0 { shape |= Shape.boot }
        if unexplained != 0 { shape |= Shape.unexplained }
        if lastLaunch != 0 { shape |= Shape.lastLaunch }
        if launchBefore != 0 { shape |= Shape.launchBefore }
        let domain: UInt64 = last.domain == 0 ? 0 : last.domain == process ? 1 : last.domain == boot ? 2 : 3
        let setting: UInt64 = last.setting == 0 ? 0 : last.setting == Moment.fixed ? 1 : 3
        let latency: UInt64 = latencyFrom == .never ? 0 : latencyFrom == since ? 1 : latencyFrom == last ? 2 : 3
        let resign: UInt64 =
            lastResign == Moment.absent ? 0 : lastResign == since.time ? 1 : lastResign == last.time ? 2 : 3
        return shape | domain << Shape.domain | setting << Shape.setting | latency << Shape.latency
            | resign << Shape.resign
    }

    private func saveTimes(to writer: inout StateWriter) {
        let shape = shape
        if shape & Shape.lastReceived != 0 { writer[.received].append(signed: writer.stream &- lastReceived) }
        if last.isKnown { writer[.time].append(signed: lastReceived &- last.time) }
        if last.monotonic != Moment.absent { writer[.monotonic].append(signed: last.monotonic) }
        if shape >> Shape.domain & 3 == 3 { writer[.identity].append(fixed: last.domain) }
        if shape >> Shape.setting & 3 == 3 { writer[.monotonic].append(UInt64(last.setting)) }
        if shape & (Shape.sinceIsLast | Shape.sinceIsNever) == 0 { writer.put(since, from: last, to: .since) }
        if shape & Shape.sinceReceivedIsLast == 0, shape & Shape.sinceReceived != 0 {
            // Uploads take about as long each time.
            writer[.since].append(signed: (lastReceived &- last.time) &- (sinceReceived &- since.time))
        }
        if shape >> Shape.latency & 3 == 3 { writer.put(latencyFrom, from: last, to: .latency) }
        if shape >> Shape.resign & 3 == 3 { writer[.resign].append(signed: last.time &- lastResign) }
    }

    private func saveIdentity(to writer: inout StateWriter) {
        if sequenceNext != Moment.absent || sequenceSeen != 0 {
            writer[.sequence].append(signed: sequenceNext)
            let run = (~sequenceSeen).trailingZeroBitCount
            let isRun = run == 64 || sequenceSeen >> UInt64(run) == 0
            writer[.sequence].append(byte: isRun ? UInt8(run) : 0xFF)
            if !isRun { writer[.sequence].append(fixed: sequenceSeen) }
        }
        if process != 0 { writer[.identity].append(fixed: process) }
        if boot != 0 { writer[.identity].append(fixed: boot) }
        if lastLaunch != 0 { writer[.identity].append(fixed: lastLaunch) }
        if launchBefore != 0 { writer[.identity].append(fixed: launchBefore) }
        if unexplained != 0 { writer[.flags].append(UInt64(unexplained)) }
        writer.group(lastGroup, to: .names)
        if sinceGroup != lastGroup { writer.group(sinceGroup, to: .names) }
        if reason != 0 { writer.text(reason, to: .names) }
    }

    // MARK: Reading

    /// Takes the state of one entry, but for its key and what is cold.
    mutating func load(_ reader: inout StateReader) throws(UnreadableBytes) {
        let phase = try reader[.phase].byte()
        guard let state = State(rawValue: phase & 7), let began = Began(rawValue: phase >> 3 & 7),
            let launch = Launch(rawValue: phase >> 6), let before = State(rawValue: try reader[.phase].byte())
        else { throw UnreadableBytes() }
        (self.state, self.before, self.began, self.launch) = (state, before, began, launch)
        let flags = Flags(rawValue: try reader[.flags].small(UInt32.self))
        guard flags.isDisjoint(with: Self.unsaved) else { throw UnreadableBytes() }
        self.flags = flags.union(.inUse)
        let shape = try reader[.shape].number()
        let (domain, seen) = try loadLast(shape, &reader)
        try loadIdentity(shape, &reader, domain: domain, seen: seen)
        try loadSince(shape, &reader)
        reader.last = last
        reader.lastReceived = lastReceived
        timer = 0
    }

    /// The last event's times, of which its domain may be named by the identity that follows.
    private mutating func loadLast(
        _ shape: UInt64, _ reader: inout StateReader
    ) throws(UnreadableBytes) -> (domain: UInt32, seen: Bool) {
        lastReceived = Moment.absent
        if shape & Shape.lastReceived != 0 { lastReceived = reader.stream &- (try reader[.received].signed()) }
        last = .never
        if shape & Shape.lastTime != 0 { last.time = lastReceived &- (try reader[.time].signed()) }
        if shape & Shape.lastMonotonic != 0 { last.monotonic = try reader[.monotonic].signed() }
        let domain = shape >> Shape.domain & 3 == 3 ? try reader[.identity].fixed32() : 0
        switch shape >> Shape.setting & 3 {
        case 0: last.setting = 0
        case 1: last.setting = Moment.fixed
        default: last.setting = try reader[.monotonic].small(UInt32.self)
        }
        return (domain, shape & Shape.sequence != 0)
    }

    private mutating func loadIdentity(
        _ shape: UInt64, _ reader: inout StateReader, domain: UInt32, seen: Bool
    ) throws(UnreadableBytes) {
        (sequenceNext, sequenceSeen) = (Moment.absent, 0)
        if seen {
            sequenceNext = try reader[.sequence].signed()
            let run = try reader[.sequence].byte()
            guard run <= 64 || run == 0xFF else { throw UnreadableBytes() }
            sequenceSeen =
                run == 0xFF ? try reader[.sequence].fixed64() : run == 64 ? UInt64.max : (1 << UInt64(run)) - 1
        }
        process = shape & Shape.process != 0 ? try reader[.identity].fixed32() : 0
        boot = shape & Shape.boot != 0 ? try reader[.identity].fixed32() : 0
        lastLaunch = shape & Shape.lastLaunch != 0 ? try reader[.identity].fixed32() : 0
        launchBefore = shape & Shape.launchBefore != 0 ? try reader[.identity].fixed32() : 0
        unexplained = shape & Shape.unexplained != 0 ? try reader[.flags].small(UInt16.self) : 0
        switch shape >> Shape.domain & 3 {
        case 0: last.domain = 0
        case 1: last.domain = process
        case 2: last.domain = boot
        default: last.domain = domain
        }
        lastGroup = try reader.group(.names)
        sinceGroup = shape & Shape.sameGroup != 0 ? lastGroup : try reader.group(.names)
        reason = shape & Shape.reason != 0 ? try reader.text(.names) : 0
    }

    private mutating func loadSince(_ shape: UInt64, _ reader: inout StateReader) throws(UnreadableBytes) {
        if shape & Shape.sinceIsLast != 0 {
            since = last
        } else {
            since = shape & Shape.sinceIsNever != 0 ? .never : try reader.moment(from: last, .since)
        }
        sinceReceived = Moment.absent
        if shape & Shape.sinceReceivedIsLast != 0 {
            sinceReceived = lastReceived
        } else if shape & Shape.sinceReceived != 0 {
            sinceReceived = (lastReceived &- last.time) &- (try reader[.since].signed()) &+ since.time
        }
        switch shape >> Shape.latency & 3 {
        case 0: latencyFrom = .never
        case 1: latencyFrom = since
        case 2: latencyFrom = last
        default: latencyFrom = try reader.moment(from: last, .latency)
        }
        switch shape >> Shape.resign & 3 {
        case 0: lastResign = Moment.absent
        case 1: lastResign = since.time
        case 2: lastResign = last.time
        default: lastResign = last.time &- (try reader[.resign].signed())
        }
    }
}
