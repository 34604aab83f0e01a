import Lifecycle

/// One of a list that a state tells again and again: of one that was told before, only what may have changed.
protocol Listed: BitwiseCopyable {
    /// Its place in the list as the checkpoint was told it last, from 1; 0 before.
    var told: UInt16 { get set }

    /// - Parameter isKnown: it was told before.
    func save(isKnown: Bool, to writer: inout StateWriter)
    init(_ reader: inout StateReader) throws(UnreadableBytes)
    mutating func update(_ reader: inout StateReader) throws(UnreadableBytes)
}

extension StateWriter {
    mutating func put<Element: Listed>(_ list: borrowing Few<Element>, isWhole: Bool) {
        var isSteady = !isWhole
        for place in list.indices where Int(list[place].told) != place + 1 { isSteady = false }
        self[.instances].append(UInt64(list.count) << 1 | (isSteady ? 1 : 0))
        for place in list.indices {
            let one = list[place]
            let told = isWhole ? 0 : one.told
            if !isSteady { self[.instances].append(UInt64(told)) }
            one.save(isKnown: told != 0, to: &self)
        }
    }
}

extension StateReader {
    /// - Parameter list: as it was told before.
    mutating func list<Element: Listed>(into list: inout Few<Element>, in memory: SlabMemory) throws(UnreadableBytes) {
        let head = try self[.instances].number()
        guard head >> 1 <= UInt64(self[.instances].left) else { throw UnreadableBytes() }
        let count = Int(head >> 1)
        if head & 1 == 1 {
            guard count <= list.count else { throw UnreadableBytes() }
            while list.count > count { list.remove(at: list.count - 1) }
            for place in list.indices { try list[place].update(&self) }
            return
        }
        // Mostly it is told whole, and there was none.
        var old = Few<Element>()
        if !list.isEmpty { swap(&old, &list) }
        list.reserve(count, in: memory)
        for _ in 0..<count {
            let told = try self[.instances].number()
            if told == 0 {
                list.append(try Element(&self), in: memory)
                continue
            }
            guard told <= UInt64(old.count) else { throw UnreadableBytes() }
            list.append(old[Int(told) - 1], in: memory)
            try list[list.count - 1].update(&self)
        }
    }
}

extension Scene {
    func save(isKnown: Bool, to writer: inout StateWriter) {
        if !isKnown { writer[.ids].append(fixed: id) }
        let opener = openedBy.map { $0.rawValue + 1 } ?? 0
        writer[.instances].append(byte: phase.rawValue | (isFresh ? 8 : 0) | opener << 4)
        writer.put(since, from: writer.last, to: .instances, times: .instants)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init(
            id: try reader[.ids].fixed64(), phase: .unknown, isFresh: false, openedBy: nil, since: .never)
        try update(&reader)
    }

    mutating func update(_ reader: inout StateReader) throws(UnreadableBytes) {
        let byte = try reader[.instances].byte()
        let opener = byte >> 4 == 0 ? nil : PhaseEdge(rawValue: (byte >> 4) - 1)
        guard let known = Phase(rawValue: byte & 7), byte >> 4 == 0 || opener != nil else { throw UnreadableBytes() }
        phase = known
        openedBy = opener
        isFresh = byte & 8 != 0
        since = try reader.moment(from: reader.last, .instances, times: .instants)
    }
}

extension Activity {
    func save(isKnown: Bool, to writer: inout StateWriter) {
        let marks: UInt8 = (isNamed ? 8 : 0) | (className == id ? 16 : 0) | (isRecreated ? 32 : 0)
        writer[.instances].append(byte: state.rawValue | marks | (stopped == nil ? 0 : 64))
        if !isKnown { writer.put(id: id, isNamed: isNamed) }
        if className != id { writer.hash(className, to: .instances) }
        if let stopped { writer.put(listed: stopped) }
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init(id: 0, className: 0, state: .created, isNamed: false)
        try update(&reader, isKnown: false)
    }

    mutating func update(_ reader: inout StateReader) throws(UnreadableBytes) {
        try update(&reader, isKnown: true)
    }

    private mutating func update(_ reader: inout StateReader, isKnown: Bool) throws(UnreadableBytes) {
        let byte = try reader[.instances].byte()
        guard byte < 128, let known = State(rawValue: byte & 7) else { throw UnreadableBytes() }
        state = known
        isNamed = byte & 8 != 0
        isRecreated = byte & 32 != 0
        if !isKnown { id = try reader.id(isNamed: isNamed) }
        className = byte & 16 != 0 ? id : try reader.hash(.instances)
        stopped = byte & 64 != 0 ? try reader.listedStamp() : nil
    }
}

extension View {
    func save(isKnown: Bool, to writer: inout StateWriter) {
        var bits = UInt64(state.rawValue)
        let marks = [hasLoadedView, hasDidLoad, isLoadSpoilt, hadVisit, isVisited, isNamed, className == id]
        for (place, mark) in marks.enumerated() where mark { bits |= 4 << UInt64(place) }
        writer[.instances].append(bits)
        if !isKnown { writer.put(id: id, isNamed: isNamed) }
        if className != id { writer.hash(className, to: .instances) }
        writer.put(loading, to: .instances, times: .instants)
        writer.put(visibleSince, to: .instances, times: .instants)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init(id: 0, className: 0, isNamed: false)
        try update(&reader, isKnown: false)
    }

    mutating func update(_ reader: inout StateReader) throws(UnreadableBytes) {
        try update(&reader, isKnown: true)
    }

    private mutating func update(_ reader: inout StateReader, isKnown: Bool) throws(UnreadableBytes) {
        let bits = try reader[.instances].number()
        guard bits < 1 << 9, let known = State(rawValue: UInt8(bits & 3)) else { throw UnreadableBytes() }
        state = known
        hasLoadedView = bits & 4 != 0
        hasDidLoad = bits & 4 << 1 != 0
        isLoadSpoilt = bits & 4 << 2 != 0
        hadVisit = bits & 4 << 3 != 0
        isVisited = bits & 4 << 4 != 0
        isNamed = bits & 4 << 5 != 0
        if !isKnown { id = try reader.id(isNamed: isNamed) }
        className = bits & 4 << 6 != 0 ? id : try reader.hash(.instances)
        loading = try reader.optionalMoment(.instances, times: .instants)
        visibleSince = try reader.optionalMoment(.instances, times: .instants)
    }
}

extension Resource {
    func save(isKnown: Bool, to writer: inout StateWriter) {
        let marks = [isOfView, ranAtResign, isLeaked, isRunning, instance != 0, className != 0]
        var bits: UInt8 = 0
        for (place, mark) in marks.enumerated() where mark { bits |= 1 << UInt8(place) }
        writer[.instances].append(byte: bits)
        if !isKnown {
            writer.text(name, to: .instances)
            if instance != 0 { writer[.ids].append(fixed: instance) }
            if className != 0 { writer.hash(className, to: .instances) }
        }
        writer.put(listed: started.stamp)
        writer[.instants].append(signed: writer.events &- started.order)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        let stamp = Stamp(moment: .never, corrected: 0, received: 0, group: 0)
        self.init(name: 0, instance: 0, className: 0, isOfView: false, started: Place(stamp: stamp, order: 0))
        try update(&reader, isKnown: false)
    }

    mutating func update(_ reader: inout StateReader) throws(UnreadableBytes) {
        try update(&reader, isKnown: true)
    }

    private mutating func update(_ reader: inout StateReader, isKnown: Bool) throws(UnreadableBytes) {
        let bits = try reader[.instances].byte()
        guard bits < 64 else { throw UnreadableBytes() }
        isOfView = bits & 1 != 0
        ranAtResign = bits & 2 != 0
        isLeaked = bits & 4 != 0
        isRunning = bits & 8 != 0
        if !isKnown {
            name = try reader.text(.instances)
            instance = bits & 16 != 0 ? try reader[.ids].fixed64() : 0
            className = bits & 32 != 0 ? try reader.hash(.instances) : 0
        }
        let stamp = try reader.listedStamp()
        started = Place(stamp: stamp, order: reader.events &- (try reader[.instants].signed()))
    }
}

extension StateWriter {
    /// What has no instance of its own goes by its class, which others share.
    mutating func put(id: UInt64, isNamed: Bool) {
        if isNamed { self[.ids].append(fixed: id) } else { hash(id, to: .instances) }
    }

    /// A stamp of something in a list; its offset is mostly that of the last event.
    mutating func put(listed stamp: Stamp) {
        let isUsual = stamp.offset == offset
        put(stamp.moment, from: last, to: .instances, times: .instants)
        self[.instances].append(names.group(stamp.group) << 1 | (isUsual ? 0 : 1))
        if !isUsual { self[.instants].append(signed: stamp.offset) }
        self[.instants].append(signed: stamp.received &- stamp.corrected)
    }
}

extension StateReader {
    mutating func id(isNamed: Bool) throws(UnreadableBytes) -> UInt64 {
        isNamed ? try self[.ids].fixed64() : try hash(.instances)
    }

    mutating func listedStamp() throws(UnreadableBytes) -> Stamp {
        let moment = try moment(from: last, .instances, times: .instants)
        let form = try self[.instances].number()
        let corrected = moment.time &+ (form & 1 == 0 ? offset : try self[.instants].signed())
        let received = corrected &+ (try self[.instants].signed())
        return Stamp(moment: moment, corrected: corrected, received: received, group: try names.group(form >> 1))
    }
}
