internal import Lifecycle

/// What a packed record tells of the input partition that its events come from.
package struct PackedHeader: Equatable, Sendable {
    /// ``StableHash`` of the name of the input topic.
    package var topic: UInt64
    /// Of the input topic.
    package var partition: Int32
    /// How far the input partition has come: of what comes after this record nothing has an older stream time.
    /// ``Event/absent`` before its first receive time.
    package var stream: Int64
    /// Nobody waits for the input partition: it is silent, or its receive times are none.
    package var isIdle: Bool
    /// Events in the record: 0 where it only tells ``stream``.
    package internal(set) var events = 0
    /// The stream time of the first of them.
    package internal(set) var first = Event.absent

    package init(topic: UInt64, partition: Int32, stream: Int64, isIdle: Bool) {
        self.topic = topic
        self.partition = partition
        self.stream = stream
        self.isIdle = isIdle
    }

    /// - Parameter bytes: of a packed record.
    package init(_ bytes: RawSpan) throws(PackedEventsError) {
        var reader = PackedReader()
        try self.init(bytes, &reader)
    }

    init(_ bytes: RawSpan, _ reader: inout PackedReader) throws(PackedEventsError) {
        if let version = reader.byte(bytes), version != PackedFormat.version { throw .version(version) }
        topic = reader.word(bytes)
        partition = Int32(truncatingIfNeeded: reader.varint(bytes))
        isIdle = reader.varint(bytes) != 0
        stream = reader.zigzag(bytes)
        events = reader.count(bytes, of: 1)
        if events > 0 { first = stream &- reader.zigzag(bytes) }
        if reader.isBroken { throw .malformed }
    }

    func write(to record: inout ContiguousArray<UInt8>) {
        var column = ByteColumn()
        column.append(byte: PackedFormat.version)
        column.append(fixed: topic)
        column.append(UInt64(UInt32(bitPattern: partition)))
        column.append(isIdle ? 1 : 0)
        column.append(signed: stream)
        column.append(UInt64(events))
        if events > 0 { column.append(signed: stream &- first) }
        record.append(contentsOf: column.bytes)
    }
}
