import Lifecycle

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
        creations.forEach { creation in
            writer[.graces].append(creation.activity)
            writer.put(creation.moment, from: writer.last, to: .graces)
        }
        writer[.graces].append(UInt64(destroyed.count))
        destroyed.forEach { one in
            writer[.graces].append(one.activity)
            writer.hash(one.className, to: .graces)
            writer.put(one.stamp, to: .graces)
        }
    }

    mutating func load(_ reader: inout StateReader, in memory: SlabMemory) throws(UnreadableBytes) {
        forget()
        let bits = try reader[.graces].byte()
        guard bits < 8 else { throw UnreadableBytes() }
        if bits & 1 != 0 { pause = try Pause(&reader) }
        if bits & 2 != 0 { stop = try Stop(&reader) }
        if bits & 4 != 0 { backgrounded = try reader.place(.graces) }
        resigned = try reader.optionalStamp(.graces)
        overlay = try reader.optionalStamp(.graces)
        for _ in 0..<(try reader.length(.graces)) {
            let activity = try reader[.graces].number()
            let moment = try reader.moment(from: reader.last, .graces)
            creations.append(Creation(activity: activity, moment: moment), in: memory)
        }
        for _ in 0..<(try reader.length(.graces)) {
            let activity = try reader[.graces].number()
            let className = try reader.hash(.graces)
            let stamp = try reader.stamp(.graces)
            destroyed.append(Destroyed(activity: activity, className: className, stamp: stamp), in: memory)
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
