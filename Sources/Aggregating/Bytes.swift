import Lifecycle

/// Whole numbers and texts in the packed forms: texts behind their length in bytes.
extension ContiguousArray<UInt8> {
    /// Eight bytes, the highest first.
    mutating func append(fixed value: UInt64) {
        var shift: UInt64 = 64
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func append(text: ContiguousArray<UInt8>) {
        append(varint: UInt64(text.count))
        append(contentsOf: text)
    }

    mutating func append(ascii text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }

    /// A whole number in decimal digits.
    mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: value.magnitude, digits: 1)
    }

    /// At least `digits` digits, with zeros before them.
    mutating func append(decimal value: UInt64, digits: Int) {
        var reversed = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var count = 0
        var rest = value
        while rest > 0 {
            reversed[count] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            count += 1
        }
        count = Swift.max(count, digits)
        while count > 0 {
            count -= 1
            append(reversed[count])
        }
    }

    /// Whether it stands before another in the order of bytes.
    func precedes(_ other: ContiguousArray<UInt8>) -> Bool {
        let common = Swift.min(count, other.count)
        for place in 0..<common where self[place] != other[place] { return self[place] < other[place] }
        return count < other.count
    }
}

/// Reads what was appended, in the same order.
struct ByteReader {
    private(set) var offset: Int
    /// Where what may be read ends.
    let end: Int

    init(offset: Int, end: Int) {
        self.offset = offset
        self.end = end
    }

    var left: Int { end - offset }

    mutating func byte(_ bytes: borrowing RawSpan) throws(PackedError) -> UInt8 {
        guard offset < end else { throw .truncated }
        defer { offset += 1 }
        return unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    mutating func varint(_ bytes: borrowing RawSpan) throws(PackedError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte(bytes)
            guard shift < 63 || next <= 1 else { throw .malformed }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    mutating func zigzag(_ bytes: borrowing RawSpan) throws(PackedError) -> Int64 {
        let value = try varint(bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// A number that is not negative.
    mutating func count(_ bytes: borrowing RawSpan) throws(PackedError) -> Int64 {
        guard let value = Int64(exactly: try varint(bytes)) else { throw .malformed }
        return value
    }

    /// A number of things that each take at least a byte of what is left.
    mutating func length(_ bytes: borrowing RawSpan) throws(PackedError) -> Int {
        let value = try varint(bytes)
        guard value <= UInt64(left) else { throw .truncated }
        return Int(value)
    }

    mutating func fixed(_ bytes: borrowing RawSpan) throws(PackedError) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<8 { value = value << 8 | UInt64(try byte(bytes)) }
        return value
    }

    mutating func text(_ bytes: borrowing RawSpan) throws(PackedError) -> ContiguousArray<UInt8> {
        let length = try length(bytes)
        var text = ContiguousArray<UInt8>()
        text.reserveCapacity(length)
        for _ in 0..<length { text.append(try byte(bytes)) }
        return text
    }
}
