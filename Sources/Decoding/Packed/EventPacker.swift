package import Lifecycle

/// Gathers events for one partition of `<app>-events` and packs them: see ``PackedFormat``.
///
/// Texts and groups are looked up in the lexicon of the events, which one task owns. Its storage is kept from record
/// to record.
package struct EventPacker {
    private var events: ContiguousArray<UInt8> = []
    private var texts: ContiguousArray<UInt8> = []
    private var groups: ContiguousArray<UInt8> = []
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
        events.append(varint: UInt64(fields.rawValue))
        if fields.contains(.received) {
            events.append(zigzag: event.received &- lastReceived)
            lastReceived = event.received
        }
        if fields.contains(.isTick) { return }
        events.append(word: event.installation.high)
        events.append(word: event.installation.low)
        events.append(zigzag: event.time &- lastReceived)
        events.append(event.edge.rawValue)
        events.append(event.scope.rawValue)
        events.append(varint: groupNumber(event.group, lexicon))
        if fields.contains(.sent) { events.append(zigzag: event.sent &- event.time) }
        if fields.contains(.monotonic) { events.append(zigzag: event.monotonic) }
        if fields.contains(.sequence) { events.append(zigzag: event.sequence) }
        if fields.contains(.handler) { events.append(zigzag: event.handler) }
        appendHashes(of: event)
        if fields.contains(.reason) { events.append(varint: textNumber(event.reason, lexicon)) }
        if fields.contains(.resource) { events.append(varint: textNumber(event.resource, lexicon)) }
        if fields.contains(.exitReason) { events.append(varint: textNumber(event.exitReason, lexicon)) }
        if fields.contains(.flags) { events.append(event.flags.rawValue) }
    }

    /// The source record has ended: the next event begins another one.
    package mutating func endRecord() { lastRecord = nil }

    private mutating func appendHashes(of event: borrowing Event) {
        if event.process != 0 { events.append(word: event.process) }
        if event.session != 0 { events.append(word: event.session) }
        if event.boot != 0 { events.append(word: event.boot) }
        if event.eventID != 0 { events.append(word: event.eventID) }
        if event.instance != 0 { events.append(word: event.instance) }
        if event.className != 0 { events.append(word: event.className) }
        if event.unknownName != 0 { events.append(word: event.unknownName) }
    }

    private mutating func textNumber(_ id: UInt32, _ lexicon: borrowing Lexicon) -> UInt64 {
        if let number = textNumbers[id] { return number }
        let number = UInt64(textNumbers.count)
        textNumbers[id] = number
        let bytes = lexicon.texts.bytes(of: id)
        texts.append(varint: UInt64(bytes.count))
        texts.append(contentsOf: bytes)
        return number
    }

    private mutating func groupNumber(_ id: UInt32, _ lexicon: borrowing Lexicon) -> UInt64 {
        if let number = groupNumbers[id] { return number }
        let number = UInt64(groupNumbers.count)
        groupNumbers[id] = number
        let group = lexicon.groups[id]
        for text in [group.app, group.platform, group.appVersion, group.osVersion, group.deviceModel] {
            let number = textNumber(text, lexicon)
            groups.append(varint: number)
        }
        return number
    }

    /// The record of what was gathered; begins the next one.
    package mutating func take() -> ContiguousArray<UInt8> {
        var record = ContiguousArray<UInt8>()
        record.reserveCapacity(byteCount + 16)
        record.append(PackedFormat.version)
        record.append(varint: UInt64(textNumbers.count))
        record.append(contentsOf: texts)
        record.append(varint: UInt64(groupNumbers.count))
        record.append(contentsOf: groups)
        record.append(varint: UInt64(count))
        record.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        groups.removeAll(keepingCapacity: true)
        textNumbers.removeAll(keepingCapacity: true)
        groupNumbers.removeAll(keepingCapacity: true)
        (lastReceived, lastRecord, count) = (0, nil, 0)
        return record
    }
}

extension ContiguousArray<UInt8> {
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(zigzag value: Int64) {
        append(varint: UInt64(bitPattern: value &<< 1 ^ value >> 63))
    }

    /// Eight bytes, little-endian.
    mutating func append(word value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }
}
