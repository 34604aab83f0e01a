/// Reads the protobuf wire format, field by field, within a range of bytes.
///
/// Never reads beyond its range. Once something is broken ``isBroken`` stays set and there are no more fields.
/// Messages within are left to a reader of their own range: an unknown one costs no more than its length.
struct WireReader {
    /// Groups within groups, a form long out of use, are followed this deep.
    private static let nestingLimit = 64

    private var position: Int
    private let end: Int
    private(set) var isBroken = false

    /// One field. Of ``range`` and ``integer`` only that of the wire type counts.
    struct Field {
        var number: UInt64
        var type: WireType
        /// The value of a length-delimited field.
        var range: Range<Int>
        /// The value of every other, as it stands on the wire.
        var integer: UInt64
    }

    enum WireType: UInt8, BitwiseCopyable {
        case varint = 0
        case fixed64 = 1
        case delimited = 2
        case group = 3
        case groupEnd = 4
        case fixed32 = 5
    }

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next field; nil at the end, or where the bytes are broken.
    mutating func next(_ bytes: RawSpan) -> Field? {
        guard position < end, let field = read(bytes) else { return nil }
        if field.type == .groupEnd {
            isBroken = true
            return nil
        }
        if field.type == .group { skipGroup(bytes, number: field.number) }
        return isBroken ? nil : field
    }

    private mutating func read(_ bytes: RawSpan) -> Field? {
        let tag = varint(bytes)
        guard !isBroken, let type = WireType(rawValue: UInt8(tag & 7)), tag >> 3 != 0, tag >> 3 < 1 << 29 else {
            isBroken = true
            return nil
        }
        var field = Field(number: tag >> 3, type: type, range: 0..<0, integer: 0)
        switch type {
        case .varint: field.integer = varint(bytes)
        case .fixed64: field.integer = fixed(bytes, 8)
        case .fixed32: field.integer = fixed(bytes, 4)
        case .delimited: field.range = delimited(bytes)
        case .group, .groupEnd: break
        }
        return isBroken ? nil : field
    }

    @inline(__always)
    private mutating func varint(_ bytes: RawSpan) -> UInt64 {
        if position < end, bytes[byte: position] < 0x80 {
            position += 1
            return UInt64(bytes[byte: position - 1])
        }
        return longVarint(bytes)
    }

    private mutating func longVarint(_ bytes: RawSpan) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { break }
            let byte = UInt64(bytes[byte: position])
            position += 1
            // The tenth byte holds the last of the 64 bits.
            if shift == 63, byte > 1 { break }
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        isBroken = true
        return 0
    }

    private mutating func fixed(_ bytes: RawSpan, _ count: Int) -> UInt64 {
        guard end - position >= count else {
            isBroken = true
            return 0
        }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[byte: position + index]) << UInt64(8 * index) }
        position += count
        return value
    }

    private mutating func delimited(_ bytes: RawSpan) -> Range<Int> {
        let length = varint(bytes)
        guard !isBroken, length <= UInt64(end - position) else {
            isBroken = true
            return 0..<0
        }
        let range = position..<position + Int(length)
        position = range.upperBound
        return range
    }

    private mutating func skipGroup(_ bytes: RawSpan, number: UInt64) {
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
