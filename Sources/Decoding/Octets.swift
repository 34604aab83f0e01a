/// Bytes by index, for readers of text and of wire formats.
extension RawSpan {
    /// The index of the first `byte` in `range`, or the range's end.
    func index(of byte: UInt8, in range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "a range within the bytes")
        var index = range.lowerBound
        let pattern = 0x0101_0101_0101_0101 &* UInt64(byte)
        while range.upperBound - index >= 8 {
            let word = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            let differences = UInt64(littleEndian: word) ^ pattern
            let zeros = (differences &- 0x0101_0101_0101_0101) & ~differences & 0x8080_8080_8080_8080
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < range.upperBound, self[byte: index] != byte { index += 1 }
        return index
    }

    /// Whether the bytes from `offset` on begin with `text`.
    func hasText(_ text: StaticString, at offset: Int = 0) -> Bool {
        guard byteCount - offset >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount {
            let expected = unsafe text.utf8Start[index]
            if self[byte: offset + index] != expected { return false }
        }
        return true
    }

    /// Whether the bytes are exactly `text`.
    func isText(_ text: StaticString) -> Bool { byteCount == text.utf8CodeUnitCount && hasText(text) }

    /// Whether two ranges hold the same bytes.
    func octets(_ first: Range<Int>, equal second: Range<Int>) -> Bool {
        guard first.count == second.count else { return false }
        for (one, other) in zip(first, second) where self[byte: one] != self[byte: other] { return false }
        return true
    }
}
