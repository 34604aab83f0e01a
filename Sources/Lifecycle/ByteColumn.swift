/// Numbers and texts, one behind the other: numbers as varints of 7 bits, the lowest first, signed ones zigzagged;
/// texts behind their length. What outlives a process is written in.
package struct ByteColumn: Sendable {
    package private(set) var bytes: ContiguousArray<UInt8> = []

    package init() {}

    package var count: Int { bytes.count }

    package mutating func append(byte value: UInt8) { bytes.append(value) }

    package mutating func append(_ value: UInt64) { bytes.append(varint: value) }

    package mutating func append(signed value: Int64) { bytes.append(zigzag: value) }

    /// Four bytes, the lowest first: for hashes, whose bytes nothing makes shorter.
    package mutating func append(fixed value: UInt32) {
        for place: UInt32 in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }

    /// Eight bytes, the lowest first.
    package mutating func append(fixed value: UInt64) {
        for place: UInt64 in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }

    package mutating func append(text: ContiguousArray<UInt8>) {
        append(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    package mutating func append(_ column: ByteColumn) { bytes.append(contentsOf: column.bytes) }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

extension ContiguousArray<UInt8> {
    /// Seven bits a byte, the lowest first.
    package mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// The sign in the lowest bit, so that numbers near 0 are short.
    package mutating func append(zigzag value: Int64) {
        append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
    }
}

/// Why what was written as bytes cannot be read: it ends before it should, or says what cannot be.
package struct UnreadableBytes: Error, Equatable, Sendable {
    package init() {}
}

/// Reads what a ``ByteColumn`` was given, in the same order.
package struct ByteColumnReader {
    private let bytes: ContiguousArray<UInt8>
    private var place: Int
    private let end: Int

    package init(_ bytes: ContiguousArray<UInt8>) {
        self.bytes = bytes
        place = 0
        end = bytes.count
    }

    private init(_ bytes: ContiguousArray<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    package var left: Int { end - place }

    package mutating func byte() throws(UnreadableBytes) -> UInt8 {
        guard place < end else { throw UnreadableBytes() }
        defer { place += 1 }
        return bytes[place]
    }

    package mutating func number() throws(UnreadableBytes) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw UnreadableBytes() }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    package mutating func signed() throws(UnreadableBytes) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    package mutating func fixed32() throws(UnreadableBytes) -> UInt32 {
        var value: UInt32 = 0
        for place: UInt32 in 0..<4 { value |= UInt32(try byte()) << (8 * place) }
        return value
    }

    package mutating func fixed64() throws(UnreadableBytes) -> UInt64 {
        var value: UInt64 = 0
        for place: UInt64 in 0..<8 { value |= UInt64(try byte()) << (8 * place) }
        return value
    }

    package mutating func small<Value: FixedWidthInteger>(_ type: Value.Type) throws(UnreadableBytes) -> Value {
        guard let value = Value(exactly: try number()) else { throw UnreadableBytes() }
        return value
    }

    /// How many things follow, of which each takes a byte at least of what is left here, or of `other`.
    package mutating func length(within other: Int? = nil) throws(UnreadableBytes) -> Int {
        let value = try number()
        guard value <= UInt64(other ?? left) else { throw UnreadableBytes() }
        return Int(value)
    }

    package mutating func text() throws(UnreadableBytes) -> ContiguousArray<UInt8> {
        let length = try length()
        defer { place += length }
        return ContiguousArray(bytes[place..<(place + length)])
    }

    /// A reader of the next `count` bytes, which this one then has behind it.
    package mutating func part(_ count: Int) throws(UnreadableBytes) -> ByteColumnReader {
        guard (0...left).contains(count) else { throw UnreadableBytes() }
        defer { place += count }
        return ByteColumnReader(bytes, place..<(place + count))
    }
}
