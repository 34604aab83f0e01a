/// Reads the protobuf wire format, field by field, within a range of bytes.
///
/// Never reads beyond its range. Once something is broken ``isBroken`` stays set and there are no more fields.
/// Messages within are left to a reader of their own range: an unknown one costs no more than its length.
struct WireReader {
    /// Groups within groups, a form long out of use, are followed this deep.
    private static let nestingLimit = 64

    /// Where the next field begins.
    private(set) var position: Int
    /// Never beyond the bytes.
    private let end: Int
    private(set) var isBroken = false

    /// One field. Of ``range`` and ``integer`` only that of the wire type counts.
    struct Field {
        var number: UInt32
        var type: WireType
        /// The value of a length-delimited field.
        var range: Range<Int>
        /// The value of every other, as it stands on the wire.
        var integer: UInt64

        @inline(__always)
        func isMessage(_ number: UInt32) -> Bool { self.number == number && type == .delimited }
    }

    enum WireType: UInt8, BitwiseCopyable {
        case varint = 0
        case fixed64 = 1
        case delimited = 2
        case group = 3
        case groupEnd = 4
        case fixed32 = 5
    }

    @inline(__always)
    init(_ range: Range<Int>, of bytes: RawSpan) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.byteCount, "a range within the bytes")
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next field of the same bytes; nil at the end, or where they are broken.
    @inline(__always)
    mutating func next(_ bytes: RawSpan) -> Field? {
        guard position < end, !isBroken else { return nil }
        // Nearly all fields have a tag of one byte, and a length of one or two.
        let tag = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self)
        if tag & 0x87 == WireType.delimited.rawValue, tag >= 8, position + 1 < end {
            let length = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position + 1, as: UInt8.self)
            if length < 0x80, Int(length) <= end - position - 2 {
                let start = position + 2
                position = start + Int(length)
                return Field(number: UInt32(tag >> 3), type: .delimited, range: start..<position, integer: 0)
            }
        }
        return other(bytes)
    }

    private mutating func other(_ bytes: RawSpan) -> Field? {
        guard let field = read(bytes) else { return nil }
        if field.type == .groupEnd { isBroken = true }
        if field.type == .group { skipGroup(bytes, number: field.number) }
        return isBroken ? nil : field
    }

    private mutating func read(_ bytes: RawSpan) -> Field? {
        let tag = varint(bytes)
        guard !isBroken, let type = WireType(rawValue: UInt8(tag & 7)), tag >> 3 != 0, tag >> 3 < 1 << 29 else {
            isBroken = true
            return nil
        }
        var field = Field(number: UInt32(tag >> 3), type: type, range: 0..<0, integer: 0)
        switch type {
        case .varint: field.integer = varint(bytes)
        case .fixed64: field.integer = fixed64(bytes)
        case .fixed32: field.integer = fixed32(bytes)
        case .delimited: field.range = delimited(bytes)
        case .group, .groupEnd: break
        }
        return isBroken ? nil : field
    }

    @inline(__always)
    private mutating func varint(_ bytes: RawSpan) -> UInt64 {
        if position < end {
            let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self)
            if byte < 0x80 {
                position += 1
                return UInt64(byte)
            }
        }
        return longVarint(bytes)
    }

    private mutating func longVarint(_ bytes: RawSpan) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 70, position < end {
            let byte = UInt64(bytes[byte: position])
            position += 1
            // The tenth byte holds the last of the 64 bits.
            if shift == 63, byte > 1 { break }
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        isBroken = true
        return 0
    }

    @inline(__always)
    private mutating func fixed64(_ bytes: RawSpan) -> UInt64 {
        guard end - position >= 8 else {
            isBroken = true
            return 0
        }
        position += 8
        let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position - 8, as: UInt64.self)
        return UInt64(littleEndian: value)
    }

    @inline(__always)
    private mutating func fixed32(_ bytes: RawSpan) -> UInt64 {
        guard end - position >= 4 else {
            isBroken = true
            return 0
        }
        position += 4
        let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position - 4, as: UInt32.self)
        return UInt64(UInt32(littleEndian: value))
    }

    @inline(__always)
    private mutating func delimited(_ bytes: RawSpan) -> Range<Int> {
        let length = varint(bytes)
        guard !isBroken, length <= UInt64(end - position) else {
            isBroken = true
            return 0..<0
        }
        let start = position
        position += Int(length)
        return start..<position
    }

    private mutating func skipGroup(_ bytes: RawSpan, number: UInt32) {
        var depth = 1
        while depth > 0 {
            guard position < end, let field = read(bytes) else {
                isBroken = true
                return
            }
            if field.type == .group { depth += 1 }
            if field.type == .groupEnd { depth -= 1 }
            if depth > Self.nestingLimit || (depth == 0 && field.number != number) { isBroken = true }
            if isBroken { return }
        }
    }
}
