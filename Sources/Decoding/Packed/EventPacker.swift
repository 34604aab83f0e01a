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
    /// Events gathered, ticks among them.
    package private(set) var count = 0

    package init() {}

    /// Bytes that are gathered.
    package var byteCount: Int { events.count + texts.count + groups.count }

    package mutating func append(_ event: borrowing Event, lexicon: borrowing Lexicon) {
        let fields = PackedFields(of: event, beginsRecord: lastRecord != event.record)
        lastRecord = event.record
        count += 1
        events.append(UInt64(fields.rawValue))
        if fields.contains(.received) {
            events.append(signed: event.received &- lastReceived)
            lastReceived = event.received
        }
        if fields.contains(.isTick) { return }
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

    /// The record of what was gathered; begins the next one.
    package mutating func take() -> ContiguousArray<UInt8> {
        var record = ContiguousArray<UInt8>()
        record.reserveCapacity(byteCount + 16)
        record.append(PackedFormat.version)
        record.append(varint: UInt64(textNumbers.count))
        record.append(contentsOf: texts.bytes)
        record.append(varint: UInt64(groupNumbers.count))
        record.append(contentsOf: groups.bytes)
        record.append(varint: UInt64(count))
        record.append(contentsOf: events.bytes)
        events.removeAll()
        texts.removeAll()
        groups.removeAll()
        textNumbers.removeAll(keepingCapacity: true)
        groupNumbers.removeAll(keepingCapacity: true)
        (lastReceived, lastRecord, count) = (0, nil, 0)
        return record
    }
}
