@testable import Decoding
import Testing

@Suite struct WireReaderTests {
    /// The numbers of the fields read, and whether the end was reached unbroken.
    static func fields(_ bytes: [UInt8]) -> ([UInt32], Bool) {
        let span = unsafe bytes.span.bytes
        var reader = WireReader(0..<bytes.count, of: span)
        var numbers: [UInt32] = []
        while let field = reader.next(span) {
            #expect(field.range.upperBound <= bytes.count)
            numbers.append(field.number)
        }
        return (numbers, !reader.isBroken)
    }

    static func field(_ write: (inout WireWriter) -> Void) -> WireReader.Field? {
        var writer = WireWriter()
        write(&writer)
        let span = unsafe writer.bytes.span.bytes
        var reader = WireReader(0..<span.byteCount, of: span)
        return reader.next(span)
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64(Int64.max), UInt64.max])
    func integers(value: UInt64) {
        #expect(Self.field { $0.integer(7, value) }?.integer == value)
        #expect(Self.field { $0.fixed64(7, value) }?.integer == value)
        #expect(Self.field { $0.fixed32(7, UInt32(truncatingIfNeeded: value)) }?.integer == value & 0xFFFF_FFFF)
    }

    @Test func textsAndLargeNumbers() {
        let field = Self.field { $0.text((1 << 29) - 1, "abc") }
        #expect(field?.number == UInt32(0x1FFF_FFFF))
        #expect(field?.range.count == 3)
        #expect(Self.field { $0.text(3, "") }?.range.isEmpty == true)
    }

    /// A group of `depth` groups within each other, and a field behind it.
    static func groups(_ depth: Int, lastEnd: UInt64 = 4) -> [UInt8] {
        var writer = WireWriter()
        for _ in 0..<depth { writer.tag(4, 3) }
        writer.integer(9, 1)
        for level in 0..<depth { writer.tag(level == depth - 1 ? lastEnd : 4, 4) }
        writer.integer(5, 1)
        return writer.bytes
    }

    @Test func groupsArePassedOver() {
        #expect(Self.fields(Self.groups(1)) == ([4, 5], true))
        #expect(Self.fields(Self.groups(64)) == ([4, 5], true))
        #expect(Self.fields(Self.groups(65)) == ([], false))
        #expect(Self.fields(Self.groups(1, lastEnd: 6)) == ([], false))
    }

    @Test(arguments: [
        [0x08],  // no value
        [0x08, 0x80],  // a value cut off
        [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],  // more than 64 bits
        [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],  // more than ten bytes
        [0x00, 0x00],  // field 0
        [0x80, 0x80, 0x80, 0x80, 0x10, 0x00],  // field 2²⁹
        [0x0E, 0x00], [0x0F, 0x00],  // no such types
        [0x09, 1, 2, 3, 4, 5, 6, 7], [0x0D, 1, 2, 3],  // fixed, cut off
        [0x0A, 0x02, 0x00], [0x0A], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        [0x0C], [0x0B], [0x0B, 0x08],  // groups without beginning or end
    ] as [[UInt8]])
    func broken(bytes: [UInt8]) {
        #expect(Self.fields(bytes) == ([], false))
        #expect(Self.fields([0x10, 0x01] + bytes) == ([2], false))
    }

    @Test func nothingIsWhole() { #expect(Self.fields([]) == ([], true)) }
}
