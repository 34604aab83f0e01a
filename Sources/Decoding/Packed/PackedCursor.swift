package import Lifecycle

/// Goes through one record of ``EventPacker``, source record by source record.
///
/// The bytes are the caller's, and the same in every call. Texts and groups are looked up with the first events.
package struct PackedCursor {
    package let header: PackedHeader
    private var reader: PackedReader
    private var texts: ContiguousArray<UInt32> = []
    private var groups: ContiguousArray<UInt32> = []
    /// Events that were not taken yet.
    private var left: Int
    private var isOpen = false
    /// Of the event before.
    private var lastReceived: Int64 = 0
    // What stands before the rest of the next event.
    private var bits: PackedFields = []
    private var received = Event.absent
    /// The stream time of the events that come next.
    package private(set) var stream: Int64

    package init(_ bytes: RawSpan) throws(PackedEventsError) {
        reader = PackedReader()
        header = try PackedHeader(bytes, &reader)
        (left, stream) = (header.events, header.first)
    }

    /// All events have been taken.
    package var isEmpty: Bool { left == 0 }

    /// Appends the events of the next source record to the batch, behind a tick where stream time is ahead of them.
    ///
    /// - Throws: where they cannot be read: they and all behind them are lost.
    package mutating func take(
        _ bytes: RawSpan, lexicon: inout Lexicon, into batch: inout EventBatch
    ) throws(PackedEventsError) {
        let before = batch.events.count
        if !isOpen { open(bytes, &lexicon) }
        let record = UInt32(truncatingIfNeeded: batch.records)
        if !reader.isBroken, stream > received {
            var tick = Event.tick(received: stream)
            // Of no record of the batch.
            tick.record = .max
            batch.events.append(tick)
        }
        while !reader.isBroken {
            readEvent(bytes, record: record, into: &batch)
            left -= 1
            if left == 0 { break }
            readHead(bytes)
            if bits.contains(.beginsRecord) { break }
        }
        guard !reader.isBroken, left > 0 || reader.position == bytes.byteCount else {
            batch.events.removeLast(batch.events.count - before)
            left = 0
            throw .malformed
        }
        batch.records += 1
    }

    private mutating func open(_ bytes: RawSpan, _ lexicon: inout Lexicon) {
        isOpen = true
        readTexts(bytes, &lexicon)
        readGroups(bytes, &lexicon)
        readHead(bytes)
    }

    private mutating func readHead(_ bytes: RawSpan) {
        bits = PackedFields(rawValue: UInt32(truncatingIfNeeded: reader.varint(bytes)))
        guard bits.isSubset(of: .known) else { return reader.fail() }
        if bits.contains(.received) { lastReceived = lastReceived &+ reader.zigzag(bytes) }
        received = bits.contains(.received) ? lastReceived : Event.absent
        if bits.contains(.stream) {
            stream = lastReceived &+ reader.zigzag(bytes)
        } else if bits.contains(.beginsRecord) {
            stream = received
        }
    }

    private mutating func readTexts(_ bytes: RawSpan, _ lexicon: inout Lexicon) {
        for _ in 0..<reader.count(bytes, of: 1) where !reader.isBroken {
            texts.append(lexicon.texts.intern(bytes.extracting(reader.text(bytes))))
        }
    }

    private mutating func readGroups(_ bytes: RawSpan, _ lexicon: inout Lexicon) {
        for _ in 0..<reader.count(bytes, of: 5) where !reader.isBroken {
            let dimensions = Dimensions(
                app: reader.element(bytes, of: texts), platform: reader.element(bytes, of: texts),
                appVersion: reader.element(bytes, of: texts), osVersion: reader.element(bytes, of: texts),
                deviceModel: reader.element(bytes, of: texts))
            if !reader.isBroken { groups.append(lexicon.groups.intern(dimensions)) }
        }
    }

    private mutating func readEvent(_ bytes: RawSpan, record: UInt32, into batch: inout EventBatch) {
        let key = InstallationKey(high: reader.word(bytes), low: reader.word(bytes))
        let time = lastReceived &+ reader.zigzag(bytes)
        let (edgeByte, scopeByte) = (reader.byte(bytes) ?? .max, reader.byte(bytes) ?? .max)
        guard let edge = Edge(rawValue: edgeByte), let scope = Scope(rawValue: scopeByte) else { return reader.fail() }
        var event = Event(key, edge, time: time, received: received)
        event.record = record
        event.scope = scope
        event.group = reader.element(bytes, of: groups)
        if bits.contains(.sent) { event.sent = time &+ reader.zigzag(bytes) }
        if bits.contains(.monotonic) { event.monotonic = reader.zigzag(bytes) }
        if bits.contains(.sequence) { event.sequence = reader.zigzag(bytes) }
        if bits.contains(.handler) { event.handler = reader.zigzag(bytes) }
        readHashes(bytes, into: &event)
        if bits.contains(.reason) { event.reason = reader.element(bytes, of: texts) }
        if bits.contains(.resource) { event.resource = reader.element(bytes, of: texts) }
        if bits.contains(.exitReason) { event.exitReason = reader.element(bytes, of: texts) }
        if bits.contains(.flags) { event.flags = Event.Flags(rawValue: reader.byte(bytes) ?? 0) }
        batch.events.append(event)
    }

    private mutating func readHashes(_ bytes: RawSpan, into event: inout Event) {
        if bits.contains(.process) { event.process = reader.word(bytes) }
        if bits.contains(.session) { event.session = reader.word(bytes) }
        if bits.contains(.boot) { event.boot = reader.word(bytes) }
        if bits.contains(.eventID) { event.eventID = reader.word(bytes) }
        if bits.contains(.instance) { event.instance = reader.word(bytes) }
        if bits.contains(.className) { event.className = reader.word(bytes) }
        if bits.contains(.unknownName) { event.unknownName = reader.word(bytes) }
    }
}

/// Reads within the bytes; once something is missing ``isBroken`` stays set and everything is 0.
struct PackedReader {
    private(set) var position = 0
    private(set) var isBroken = false

    mutating func fail() { isBroken = true }

    mutating func byte(_ bytes: RawSpan) -> UInt8? {
        guard !isBroken, position < bytes.byteCount else {
            isBroken = true
            return nil
        }
        defer { position += 1 }
        return bytes[byte: position]
    }

    mutating func varint(_ bytes: RawSpan) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = byte(bytes) else { return 0 }
            if shift == 63, byte > 1 { break }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        isBroken = true
        return 0
    }

    mutating func zigzag(_ bytes: RawSpan) -> Int64 {
        let value = varint(bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func word(_ bytes: RawSpan) -> UInt64 {
        guard !isBroken, bytes.byteCount - position >= 8 else {
            isBroken = true
            return 0
        }
        defer { position += 8 }
        return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// How many of something follow that takes at least `least` bytes each.
    mutating func count(_ bytes: RawSpan, of least: UInt64) -> Int {
        let count = varint(bytes)
        guard !isBroken, count <= UInt64(bytes.byteCount - position) / least else {
            isBroken = true
            return 0
        }
        return Int(count)
    }

    mutating func element(_ bytes: RawSpan, of table: ContiguousArray<UInt32>) -> UInt32 {
        let number = varint(bytes)
        guard !isBroken, number < UInt64(table.count) else {
            isBroken = true
            return 0
        }
        return table[Int(number)]
    }

    mutating func text(_ bytes: RawSpan) -> Range<Int> {
        let length = count(bytes, of: 1)
        let start = position
        position += length
        return start..<position
    }
}
