import Lifecycle

extension Scene {
    func save(to writer: inout StateWriter) {
        writer[.instances].append(fixed: id)
        let opener = openedBy.map { $0.rawValue + 1 } ?? 0
        writer[.instances].append(byte: phase.rawValue | (isFresh ? 8 : 0) | opener << 4)
        writer.put(since, from: writer.last, to: .instances)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        id = try reader[.instances].fixed64()
        let byte = try reader[.instances].byte()
        let opener = byte >> 4 == 0 ? nil : PhaseEdge(rawValue: (byte >> 4) - 1)
        guard let known = Phase(rawValue: byte & 7), byte >> 4 == 0 || opener != nil else { throw UnreadableBytes() }
        phase = known
        openedBy = opener
        isFresh = byte & 8 != 0
        since = try reader.moment(from: reader.last, .instances)
    }
}

extension Activity {
    func save(to writer: inout StateWriter) {
        writer[.instances].append(fixed: id)
        let marks: UInt8 = (isNamed ? 8 : 0) | (className == id ? 16 : 0) | (isRecreated ? 32 : 0)
        writer[.instances].append(byte: state.rawValue | marks)
        if className != id { writer[.instances].append(fixed: className) }
        writer.put(stopped, to: .instances)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        id = try reader[.instances].fixed64()
        let byte = try reader[.instances].byte()
        guard byte < 64, let known = State(rawValue: byte & 7) else { throw UnreadableBytes() }
        state = known
        isNamed = byte & 8 != 0
        isRecreated = byte & 32 != 0
        className = byte & 16 != 0 ? id : try reader[.instances].fixed64()
        stopped = try reader.optionalStamp(.instances)
    }
}

extension View {
    func save(to writer: inout StateWriter) {
        var bits = UInt64(state.rawValue)
        let marks = [isNamed, hasLoadedView, hasDidLoad, isLoadSpoilt, hadVisit, isVisited, className == id]
        for (place, mark) in marks.enumerated() where mark { bits |= 4 << UInt64(place) }
        writer[.instances].append(fixed: id)
        writer[.instances].append(bits)
        if className != id { writer[.instances].append(fixed: className) }
        writer.put(loading, to: .instances)
        writer.put(visibleSince, to: .instances)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        let id = try reader[.instances].fixed64()
        let bits = try reader[.instances].number()
        guard bits < 1 << 9, let known = State(rawValue: UInt8(bits & 3)) else { throw UnreadableBytes() }
        let className = bits & 4 << 6 != 0 ? id : try reader[.instances].fixed64()
        self.init(id: id, className: className, isNamed: bits & 4 != 0)
        state = known
        hasLoadedView = bits & 4 << 1 != 0
        hasDidLoad = bits & 4 << 2 != 0
        isLoadSpoilt = bits & 4 << 3 != 0
        hadVisit = bits & 4 << 4 != 0
        isVisited = bits & 4 << 5 != 0
        loading = try reader.optionalMoment(.instances)
        visibleSince = try reader.optionalMoment(.instances)
    }
}

extension Resource {
    func save(to writer: inout StateWriter) {
        writer.text(name, to: .instances)
        writer[.instances].append(
            byte: (isOfView ? 1 : 0) | (ranAtResign ? 2 : 0) | (isLeaked ? 4 : 0) | (isRunning ? 8 : 0))
        writer.put(started, to: .instances)
        writer[.instances].append(instance)
        writer[.instances].append(className)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        name = try reader.text(.instances)
        let bits = try reader[.instances].byte()
        guard bits < 16 else { throw UnreadableBytes() }
        started = try reader.place(.instances)
        isRunning = bits & 8 != 0
        isOfView = bits & 1 != 0
        ranAtResign = bits & 2 != 0
        isLeaked = bits & 4 != 0
        instance = try reader[.instances].number()
        className = try reader[.instances].number()
    }
}

extension StateWriter {
    mutating func put(_ place: Place, to column: StateColumn) {
        put(place.stamp, to: column)
        self[column].append(signed: place.order)
    }
}

extension StateReader {
    mutating func place(_ column: StateColumn) throws(UnreadableBytes) -> Place {
        Place(stamp: try stamp(column), order: try self[column].signed())
    }
}

extension Graces {
    /// Holds nothing that a new one would not hold.
    var isNew: Bool {
        pause == nil && stop == nil && creations.isEmpty && destroyed.isEmpty && resigned == nil
            && backgrounded == nil && overlay == nil
    }

    func save(to writer: inout StateWriter) {
        writer[.graces].append(byte: (pause == nil ? 0 : 1) | (stop == nil ? 0 : 2) | (backgrounded == nil ? 0 : 4))
        if let pause {
            writer.put(Place(stamp: pause.stamp, order: pause.order), to: .graces)
            writer[.graces].append(pause.activity)
            writer.text(pause.reason, to: .graces)
            writer[.graces].append(byte: (pause.isMissing ? 1 : 0) | (pause.sawOverlay ? 2 : 0))
        }
        if let stop {
            writer.put(Place(stamp: stop.stamp, order: stop.order), to: .graces)
            writer[.graces].append(stop.activity)
            writer.text(stop.reason, to: .graces)
            writer[.graces].append(byte: stop.sawOverlay ? 1 : 0)
        }
        if let backgrounded { writer.put(backgrounded, to: .graces) }
        for stamp in [resigned, overlay] { writer.put(stamp, to: .graces) }
        writer[.graces].append(UInt64(creations.count))
        for creation in creations {
            writer[.graces].append(creation.activity)
            writer.put(creation.moment, from: writer.last, to: .graces)
        }
        writer[.graces].append(UInt64(destroyed.count))
        for one in destroyed {
            writer[.graces].append(one.activity)
            writer[.graces].append(fixed: one.className)
            writer.put(one.stamp, to: .graces)
        }
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init()
        let bits = try reader[.graces].byte()
        guard bits < 8 else { throw UnreadableBytes() }
        if bits & 1 != 0 { pause = try Pause(&reader) }
        if bits & 2 != 0 { stop = try Stop(&reader) }
        if bits & 4 != 0 { backgrounded = try reader.place(.graces) }
        resigned = try reader.optionalStamp(.graces)
        overlay = try reader.optionalStamp(.graces)
        for _ in 0..<(try reader.length(.graces)) {
            let activity = try reader[.graces].number()
            creations.append(Creation(activity: activity, moment: try reader.moment(from: reader.last, .graces)))
        }
        for _ in 0..<(try reader.length(.graces)) {
            let activity = try reader[.graces].number()
            let className = try reader[.graces].fixed64()
            destroyed.append(Destroyed(activity: activity, className: className, stamp: try reader.stamp(.graces)))
        }
    }
}

extension Graces.Pause {
    fileprivate init(_ reader: inout StateReader) throws(UnreadableBytes) {
        let place = try reader.place(.graces)
        (stamp, order) = (place.stamp, place.order)
        activity = try reader[.graces].number()
        reason = try reader.text(.graces)
        let bits = try reader[.graces].byte()
        guard bits < 4 else { throw UnreadableBytes() }
        (isMissing, sawOverlay) = (bits & 1 != 0, bits & 2 != 0)
    }
}

extension Graces.Stop {
    fileprivate init(_ reader: inout StateReader) throws(UnreadableBytes) {
        let place = try reader.place(.graces)
        (stamp, order) = (place.stamp, place.order)
        activity = try reader[.graces].number()
        reason = try reader.text(.graces)
        sawOverlay = try reader.flag(.graces)
    }
}

extension Echoes {
    /// Holds nothing that a new one would not hold.
    var isNew: Bool { pending.isEmpty && spans.isEmpty }

    func save(to writer: inout StateWriter) {
        writer[.graces].append(UInt64(pending.count))
        for echo in pending {
            writer[.graces].append(byte: echo.phase.rawValue)
            writer.put(Place(stamp: echo.stamp, order: echo.order), to: .graces)
        }
        writer[.graces].append(UInt64(spans.count))
        for span in spans {
            writer[.graces].append(byte: span.state.rawValue)
            writer.put(span.start, to: .graces)
            writer[.graces].append(signed: span.order)
        }
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init()
        for _ in 0..<(try reader.length(.graces)) {
            guard let phase = Phase(rawValue: try reader[.graces].byte()) else { throw UnreadableBytes() }
            let place = try reader.place(.graces)
            pending.append(Echo(stamp: place.stamp, phase: phase, order: place.order))
        }
        for _ in 0..<(try reader.length(.graces)) {
            guard let state = Device.State(rawValue: try reader[.graces].byte()) else { throw UnreadableBytes() }
            let start = try reader.optionalMoment(.graces)
            spans.append(Span(state: state, start: start, order: try reader[.graces].signed()))
        }
    }
}
