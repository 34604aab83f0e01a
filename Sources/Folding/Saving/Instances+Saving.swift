import Lifecycle

extension Scene {
    func save(to writer: inout StateWriter) {
        writer[.instances].append(fixed: id)
        writer[.instances].append(byte: phase.rawValue | (isFresh ? 8 : 0))
        writer.put(since, from: writer.last, to: .instances)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        id = try reader[.instances].fixed64()
        let byte = try reader[.instances].byte()
        guard byte < 16, let known = Phase(rawValue: byte & 7) else { throw UnreadableBytes() }
        phase = known
        isFresh = byte & 8 != 0
        since = try reader.moment(from: reader.last, .instances)
    }
}

extension Activity {
    func save(to writer: inout StateWriter) {
        writer[.instances].append(fixed: id)
        writer[.instances].append(byte: state.rawValue | (isNamed ? 8 : 0) | (className == id ? 16 : 0))
        if className != id { writer[.instances].append(fixed: className) }
        writer.put(stopped, to: .instances)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        id = try reader[.instances].fixed64()
        let byte = try reader[.instances].byte()
        guard byte < 32, let known = State(rawValue: byte & 7) else { throw UnreadableBytes() }
        state = known
        isNamed = byte & 8 != 0
        className = byte & 16 != 0 ? id : try reader[.instances].fixed64()
        stopped = try reader.optionalStamp(.instances)
    }
}

extension View {
    func save(to writer: inout StateWriter) {
        var bits = UInt64(state.rawValue)
        let marks = [
            isNamed, isAnnounced, hasLoadedView, hasDidLoad, isLoadSpoilt, hadVisit, isVisited, className == id,
        ]
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
        guard bits < 1 << 10, let known = State(rawValue: UInt8(bits & 3)) else { throw UnreadableBytes() }
        let className = bits & 4 << 7 != 0 ? id : try reader[.instances].fixed64()
        self.init(id: id, className: className, isNamed: bits & 4 != 0)
        state = known
        isAnnounced = bits & 4 << 1 != 0
        hasLoadedView = bits & 4 << 2 != 0
        hasDidLoad = bits & 4 << 3 != 0
        isLoadSpoilt = bits & 4 << 4 != 0
        hadVisit = bits & 4 << 5 != 0
        isVisited = bits & 4 << 6 != 0
        loading = try reader.optionalMoment(.instances)
        visibleSince = try reader.optionalMoment(.instances)
    }
}

extension Resource {
    func save(to writer: inout StateWriter) {
        writer.text(name, to: .instances)
        writer[.instances].append(byte: (isOfView ? 1 : 0) | (ranAtResign ? 2 : 0) | (isLeaked ? 4 : 0))
        writer[.instances].append(instance)
        writer[.instances].append(className)
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        name = try reader.text(.instances)
        let bits = try reader[.instances].byte()
        guard bits < 8 else { throw UnreadableBytes() }
        isOfView = bits & 1 != 0
        ranAtResign = bits & 2 != 0
        isLeaked = bits & 4 != 0
        instance = try reader[.instances].number()
        className = try reader[.instances].number()
    }
}

extension Graces {
    /// Holds nothing that a new one would not hold.
    var isNew: Bool {
        pause == nil && stop == nil && stopReason == 0 && creating == nil && destroyed.isEmpty && resigned == nil
            && backgrounded == nil && overlay == nil
    }

    func save(to writer: inout StateWriter) {
        writer[.graces].append(byte: (pause == nil ? 0 : 1) | (creating == nil ? 0 : 2))
        if let pause {
            writer.put(pause.stamp, to: .graces)
            writer[.graces].append(pause.activity)
            writer.text(pause.reason, to: .graces)
            writer[.graces].append(byte: pause.isRecreation ? 1 : 0)
        }
        if let creating {
            writer[.graces].append(creating.activity)
            writer.put(creating.stamp, to: .graces)
        }
        writer.text(stopReason, to: .graces)
        for stamp in [stop, resigned, backgrounded, overlay] { writer.put(stamp, to: .graces) }
        writer[.graces].append(UInt64(destroyed.count))
        for one in destroyed {
            writer[.graces].append(fixed: one.className)
            writer.put(one.stamp, to: .graces)
        }
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init()
        let bits = try reader[.graces].byte()
        guard bits < 4 else { throw UnreadableBytes() }
        if bits & 1 != 0 {
            let stamp = try reader.stamp(.graces)
            let activity = try reader[.graces].number()
            let reason = try reader.text(.graces)
            pause = Pause(
                stamp: stamp, activity: activity, reason: reason, isRecreation: try reader.flag(.graces))
        }
        if bits & 2 != 0 {
            let activity = try reader[.graces].number()
            creating = Creation(activity: activity, stamp: try reader.stamp(.graces))
        }
        stopReason = try reader.text(.graces)
        stop = try reader.optionalStamp(.graces)
        resigned = try reader.optionalStamp(.graces)
        backgrounded = try reader.optionalStamp(.graces)
        overlay = try reader.optionalStamp(.graces)
        for _ in 0..<(try reader.length(.graces)) {
            let className = try reader[.graces].fixed64()
            destroyed.append(Destroyed(className: className, stamp: try reader.stamp(.graces)))
        }
    }
}

extension Echoes {
    /// Holds nothing that a new one would not hold.
    var isNew: Bool { pending.isEmpty && spans.isEmpty }

    func save(to writer: inout StateWriter) {
        writer[.graces].append(UInt64(pending.count))
        for echo in pending {
            writer[.graces].append(byte: echo.phase.rawValue)
            writer.put(echo.stamp, to: .graces)
        }
        writer[.graces].append(UInt64(spans.count))
        for span in spans {
            writer[.graces].append(byte: span.phase.rawValue)
            writer[.graces].append(signed: writer.last.time &- span.from)
        }
    }

    init(_ reader: inout StateReader) throws(UnreadableBytes) {
        self.init()
        for _ in 0..<(try reader.length(.graces)) {
            guard let phase = Phase(rawValue: try reader[.graces].byte()) else { throw UnreadableBytes() }
            pending.append(Echo(stamp: try reader.stamp(.graces), phase: phase))
        }
        for _ in 0..<(try reader.length(.graces)) {
            guard let phase = Phase(rawValue: try reader[.graces].byte()) else { throw UnreadableBytes() }
            spans.append(Span(phase: phase, from: reader.last.time &- (try reader[.graces].signed())))
        }
    }
}
