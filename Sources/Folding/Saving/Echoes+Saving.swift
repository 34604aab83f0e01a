import Lifecycle

extension Echoes {
    private enum Start {
        static let none: UInt8 = 0
        static let told: UInt8 = 8
    }

    /// Holds nothing that a new one would not hold.
    var isNew: Bool { pending.isEmpty && spans.isEmpty }

    mutating func noteSaved() { (newSpans, retellsSpan) = (0, false) }

    func save(isWhole: Bool, to writer: inout StateWriter) {
        let count = isWhole ? spans.count : min(Int(newSpans), spans.count)
        let isAll = count == spans.count
        let retells = retellsSpan && !isAll
        writer[.echoes].append(UInt64(count) << 3 | (isAll ? 1 : 0) | (retells ? 2 : 0) | (pending.isEmpty ? 0 : 4))
        // Each begins after the one before.
        var (start, order) = (writer.last, writer.events)
        for index in spans.indices.suffix(count) {
            let span = spans[index]
            writer[.echoes].append(byte: span.state.rawValue | (span.start == nil ? Start.none : Start.told))
            if let moment = span.start {
                writer.put(moment, from: start, to: .echoes, times: .echoTimes)
                start = moment
            }
            writer[.echoTimes].append(signed: order &- span.order)
            order = span.order
        }
        if pending.isEmpty { return }
        writer[.echoes].append(UInt64(pending.count))
        pending.forEach { echo in
            writer[.echoes].append(byte: echo.phase.rawValue)
            writer.put(Place(stamp: echo.stamp, order: echo.order), to: .echoes)
        }
    }

    mutating func load(_ reader: inout StateReader, in memory: SlabMemory) throws(UnreadableBytes) {
        let head = try reader[.echoes].number()
        if head & 1 == 1 {
            spans.removeAll()
        } else if head & 2 != 0 {
            guard !spans.isEmpty else { throw UnreadableBytes() }
            spans.remove(at: spans.count - 1)
        }
        guard head >> 3 <= UInt64(Self.limit) else { throw UnreadableBytes() }
        var (start, order) = (reader.last, reader.events)
        spans.reserve(Int(head >> 3), in: memory)
        for _ in 0..<(head >> 3) {
            let byte = try reader[.echoes].byte()
            guard byte < 16, let state = Device.State(rawValue: byte & 7) else { throw UnreadableBytes() }
            if byte & Start.told != 0 { start = try reader.moment(from: start, .echoes, times: .echoTimes) }
            order = order &- (try reader[.echoTimes].signed())
            note(Span(state: state, start: byte & Start.told != 0 ? start : nil, order: order), in: memory)
        }
        pending.removeAll()
        guard head & 4 != 0 else { return }
        for _ in 0..<(try reader.length(.echoes)) {
            guard let phase = Phase(rawValue: try reader[.echoes].byte()) else { throw UnreadableBytes() }
            let place = try reader.place(.echoes)
            pending.append(Echo(stamp: place.stamp, phase: phase, order: place.order), in: memory)
        }
    }
}
