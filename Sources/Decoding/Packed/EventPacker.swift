package import Lifecycle

/// Gathers events for one partition of `<app>-events` and packs them: see ``PackedFormat``.
///
/// Texts and groups are looked up in the lexicon of the events, which one task owns. Its storage is kept from record
/// to record.
package struct EventPacker {
    private var events = ByteColumn()
    private var texts = ByteColumn()
    private var groups = ByteColumn()
    private var textNumbers: [UInt32: UInt64] = [:]
    private var groupNumbers: [UInt32: UInt64] = [:]
    private var lastReceived: Int64 = 0
    private var lastRecord: UInt32?
    /// The stream time of the first event that is gathered.
    private var first = Event.absent
    /// Events gathered.
    package private(set) var count = 0

    package init() {}

    /// Bytes that are gathered.
    package var byteCount: Int { events.count + texts.count + groups.count }

    /// - Parameter stream: the stream time of the input partition once the event's record had come; not older than
    ///   that of the event before.
    package mutating func append(_ event: borrowing Event, stream: Int64, lexicon: borrowing Lexicon) {
        var fields = PackedFields(of: event)
        if lastRecord != event.record {
            fields.insert(.beginsRecord)
            if stream != event.received { fields.insert(.stream) }
        }
        lastRecord = event.record
        if count == 0 { first = stream }
        count += 1
        events.append(UInt64(fields.rawValue))
        if fields.contains(.received) {
            events.append(signed: event.received &- lastReceived)
            lastReceived = event.received
        }
        if fields.contains(.stream) { events.append(signed: stream &- lastReceived) }
        events.append(fixed: event.installation.high)
        events.append(fixed: event.installation.low)
        events.append(signed: event.time &- lastReceived)
        events.append(byte: event.edge.rawValue)
        events.append(byte: event.scope.rawValue)
        events.append(groupNumber(event.group, lexicon))
        if fields.contains(.sent) { events.append(signed: event.sent &- event.time) }
        if fields.contains(.monotonic) { events.append(signed: event.monotonic) }
        if fields.contains(.sequence) { events.append(signed: event.sequence) }
        if fields.contains(.handler) { events.append(signed: event.handler) }
        appendHashes(of: event)
        if fields.contains(.reason) { events.append(textNumber(event.reason, lexicon)) }
        if fields.contains(.resource) { events.append(textNumber(event.resource, lexicon)) }
        if fields.contains(.exitReason) { events.append(textNumber(event.exitReason, lexicon)) }
        if fields.contains(.flags) { events.append(byte: event.flags.rawValue) }
    }

    /// No event of the source record in hand has come.
    package var isBetweenRecords: Bool { lastRecord == nil }

    /// The source record has ended: the next event begins another one.
    package mutating func endRecord() { lastRecord = nil }

    private mutating func appendHashes(of event: borrowing Event) {
        if event.process != 0 { events.append(fixed: event.process) }
        if event.session != 0 { events.append(fixed: event.session) }
        if event.boot != 0 { events.append(fixed: event.boot) }
        if event.eventID != 0 { events.append(fixed: event.eventID) }
        if event.instance != 0 { events.append(fixed: event.instance) }
        if event.className != 0 { events.append(fixed: event.className) }
        if event.unknownName != 0 { events.append(fixed: event.unknownName) }
    }

    private mutating func textNumber(_ id: UInt32, _ lexicon: borrowing Lexicon) -> UInt64 {
        if let number = textNumbers[id] { return number }
        let number = UInt64(textNumbers.count)
        textNumbers[id] = number
        texts.append(text: lexicon.texts.bytes(of: id))
        return number
    }

    private mutating func groupNumber(_ id: UInt32, _ lexicon: borrowing Lexicon) -> UInt64 {
        if let number = groupNumbers[id] { return number }
        let number = UInt64(groupNumbers.count)
        groupNumbers[id] = number
        let group = lexicon.groups[id]
        for text in [group.app, group.platform, group.appVersion, group.osVersion, group.deviceModel] {
            let number = textNumber(text, lexicon)
            groups.append(number)
        }
        return number
    }

    /// The record of what was gathered, be it nothing; begins the next one.
    package mutating func take(_ source: PackedHeader) -> ContiguousArray<UInt8> {
        var header = source
        (header.events, header.first) = (count, first)
        var record = ContiguousArray<UInt8>()
        record.reserveCapacity(byteCount + 48)
        header.write(to: &record)
        record.append(varint: UInt64(textNumbers.count))
        record.append(contentsOf: texts.bytes)
        record.append(varint: UInt64(groupNumbers.count))
        record.append(contentsOf: groups.bytes)
        record.append(contentsOf: events.bytes)
        events.removeAll()
        texts.removeAll()
        groups.removeAll()
        textNumbers.removeAll(keepingCapacity: true)
        groupNumbers.removeAll(keepingCapacity: true)
        (lastReceived, lastRecord, first, count) = (0, nil, Event.absent, 0)
        return record
    }
}
