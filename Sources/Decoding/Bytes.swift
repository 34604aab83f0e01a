extension RawSpan {
    /// The byte at `index`, which must be in bounds: checked.
    @inline(__always)
    subscript(byte index: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self) }

    /// Where `byte` stands first from `start` on; nil where it does not.
    func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        var index = start
        while index < byteCount {
            if self[byte: index] == byte { return index }
            index += 1
        }
        return nil
    }
}

extension UInt8 {
    static var newline: UInt8 { 0x0A }

    /// Whether JSON takes it for white space.
    @inline(__always)
    var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// The digit that it shows; nil where it shows none.
    @inline(__always)
    var digit: Int64? {
        let value = self &- 0x30
        return value < 10 ? Int64(value) : nil
    }
}
