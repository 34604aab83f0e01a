import Decoding
import Lifecycle

/// The events of one source record that one packed record holds, packed for themselves.
struct PackedUnit {
    /// Its place in the order over all input partitions.
    struct Place: Comparable {
        var stream: Int64
        var partition: Int32
        var offset: Int64
        var index: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.stream, one.partition, one.offset, one.index)
                < (other.stream, other.partition, other.offset, other.index)
        }
    }

    let place: Place
    let bytes: ContiguousArray<UInt8>

    /// Those of a record of `<app>-events`.
    static func all(in value: [UInt8], at offset: Int64) throws -> [PackedUnit] {
        var units: [PackedUnit] = []
        var lexicon = Lexicon()
        var cursor = unsafe try PackedCursor(value.span.bytes)
        while !cursor.isEmpty {
            let stream = cursor.stream
            var batch = EventBatch()
            unsafe try cursor.take(value.span.bytes, lexicon: &lexicon, into: &batch)
            var packer = EventPacker()
            for event in batch.events where event.edge != .tick {
                packer.append(event, stream: stream, lexicon: lexicon)
            }
            let header = cursor.header
            let place = Place(stream: stream, partition: header.partition, offset: offset, index: units.count)
            units.append(
                PackedUnit(
                    place: place,
                    bytes: packer.take(
                        PackedHeader(topic: header.topic, partition: header.partition, stream: stream, isIdle: false))))
        }
        return units
    }
}
