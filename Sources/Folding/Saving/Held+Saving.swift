import Lifecycle

/// An event that waits: rare, so its fields stand one behind the other.
extension HeldEvent {
    func save(to writer: inout StateWriter) {
        writer.put(stamp, to: .held)
        writer.put(place, from: stamp.moment, to: .held)
        writer[.held].append(byte: isPutBack ? 1 : 0)
        writer[.held].append(signed: due)
        for value in [event.time, event.received, event.sent, event.monotonic, event.sequence, event.handler] {
            writer[.held].append(signed: value)
        }
        for hash in [event.process, event.session, event.boot, event.eventID] { writer[.held].append(hash) }
        for hash in [event.instance, event.className, event.unknownName] { writer[.held].append(hash) }
        writer.group(event.group, to: .held)
        for text in [event.reason, event.resource, event.exitReason] { writer.text(text, to: .held) }
        writer[.held].append(byte: event.edge.rawValue)
        writer[.held].append(byte: event.scope.rawValue)
        writer[.held].append(byte: event.flags.rawValue)
    }

    init(_ reader: inout StateReader, _ owner: InstallationKey) throws(UnreadableBytes) {
        stamp = try reader.stamp(.held)
        place = try reader.moment(from: stamp.moment, .held)
        isPutBack = try reader.flag(.held)
        due = try reader[.held].signed()
        event = Event(owner, .unknown, time: try reader[.held].signed(), received: try reader[.held].signed())
        event.sent = try reader[.held].signed()
        event.monotonic = try reader[.held].signed()
        event.sequence = try reader[.held].signed()
        event.handler = try reader[.held].signed()
        event.process = try reader[.held].number()
        event.session = try reader[.held].number()
        event.boot = try reader[.held].number()
        event.eventID = try reader[.held].number()
        event.instance = try reader[.held].number()
        event.className = try reader[.held].number()
        event.unknownName = try reader[.held].number()
        event.group = try reader.group(.held)
        event.reason = try reader.text(.held)
        event.resource = try reader.text(.held)
        event.exitReason = try reader.text(.held)
        guard let edge = Edge(rawValue: try reader[.held].byte()), let scope = Scope(rawValue: try reader[.held].byte())
        else { throw UnreadableBytes() }
        (event.edge, event.scope) = (edge, scope)
        event.flags = Event.Flags(rawValue: try reader[.held].byte())
    }
}
