package import Lifecycle

/// Reads records of ``EventPacker`` into batches. One for each task: its scratch memory is kept.
package struct EventUnpacker {
    private var texts: ContiguousArray<UInt32> = []
    private var groups: ContiguousArray<UInt32> = []

    package init() {}

    /// Appends the events of one record to the batch; nothing where it cannot be read.
    package mutating func unpack(
        _ bytes: RawSpan, lexicon: inout Lexicon, into batch: inout EventBatch
    ) throws(PackedEventsError) {
        let (before, records) = (batch.events.count, batch.records)
        var reader = PackedReader()
        if let version = reader.byte(bytes), version != PackedFormat.version { throw .version(version) }
        readTexts(bytes, &reader, &lexicon)
        readGroups(bytes, &reader, &lexicon)
        var last: Int64 = 0
        var isFirst = true
        for _ in 0..<reader.count(bytes, of: 2) where !reader.isBroken {
            readEvent(bytes, &reader, &last, &isFirst, into: &batch)
        }
        guard !reader.isBroken, reader.position == bytes.byteCount else {
            batch.events.removeLast(batch.events.count - before)
            batch.records = records
            throw .malformed
        }
    }

    private mutating func readTexts(
        _ bytes: RawSpan, _ reader: inout PackedReader, _ lexicon: inout Lexicon
    ) {
        texts.removeAll(keepingCapacity: true)
        for _ in 0..<reader.count(bytes, of: 1) where !reader.isBroken {
            texts.append(lexicon.texts.intern(bytes.extracting(reader.text(bytes))))
        }
    }

    private mutating func readGroups(
        _ bytes: RawSpan, _ reader: inout PackedReader, _ lexicon: inout Lexicon
    ) {
        groups.removeAll(keepingCapacity: true)
        for _ in 0..<reader.count(bytes, of: 5) where !reader.isBroken {
            let dimensions = Dimensions(
                app: reader.element(bytes, of: texts), platform: reader.element(bytes, of: texts),
                appVersion: reader.element(bytes, of: texts), osVersion: reader.element(bytes, of: texts),
                deviceModel: reader.element(bytes, of: texts))
            if !reader.isBroken { groups.append(lexicon.groups.intern(dimensions)) }
        }
    }

    private func readEvent(
        _ bytes: RawSpan, _ reader: inout PackedReader, _ last: inout Int64, _ isFirst: inout Bool,
        into batch: inout EventBatch
    ) {
        let bits = PackedFields(rawValue: UInt32(truncatingIfNeeded: reader.varint(bytes)))
        guard bits.isSubset(of: .known) else { return reader.fail() }
        if bits.contains(.beginsRecord) || isFirst { batch.records += 1 }
        isFirst = false
        if bits.contains(.received) { last = last &+ reader.zigzag(bytes) }
        let received = bits.contains(.received) ? last : Event.absent
        let record = UInt32(truncatingIfNeeded: batch.records - 1)
        if bits.contains(.isTick) {
            var tick = Event.tick(received: received)
            tick.record = record
            return batch.events.append(tick)
        }
        let key = InstallationKey(high: reader.word(bytes), low: reader.word(bytes))
        let time = last &+ reader.zigzag(bytes)
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
        readHashes(bytes, &reader, bits, into: &event)
        if bits.contains(.reason) { event.reason = reader.element(bytes, of: texts) }
        if bits.contains(.resource) { event.resource = reader.element(bytes, of: texts) }
        if bits.contains(.exitReason) { event.exitReason = reader.element(bytes, of: texts) }
        if bits.contains(.flags) { event.flags = Event.Flags(rawValue: reader.byte(bytes) ?? 0) }
        batch.events.append(event)
    }

    private func readHashes(
        _ bytes: RawSpan, _ reader: inout PackedReader, _ bits: PackedFields, into event: inout Event
    ) {
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
private struct PackedReader {
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
