/// JSON's own forms of texts and numbers.
extension ContiguousArray<UInt8> {
    /// A string of UTF-8, escaped only where JSON requires it.
    mutating func append(json text: ContiguousArray<UInt8>) {
        append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): append(ascii: "\\\"")
            case UInt8(ascii: "\\"): append(ascii: "\\\\")
            case 0x08: append(ascii: "\\b")
            case 0x09: append(ascii: "\\t")
            case 0x0A: append(ascii: "\\n")
            case 0x0C: append(ascii: "\\f")
            case 0x0D: append(ascii: "\\r")
            case 0..<0x20:
                append(ascii: byte < 0x10 ? "\\u000" : "\\u001")
                append(Self.digit(byte & 0xF))
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    mutating func append(orNull value: Int64?) {
        if let value { append(decimal: value) } else { append(ascii: "null") }
    }

    /// A number of ms, not negative, rounded to 3 decimals; without a fraction where it is whole.
    mutating func append(quantile value: Double?) {
        guard let value else {
            append(ascii: "null")
            return
        }
        // From 2⁴³ on the thousandths would leave the 53 bits of a Double; what is rounded off there is below them.
        guard value < 8_796_093_022_208 else {
            append(decimal: value < 0x1p63 ? Int64(value + 0.5) : .max)
            return
        }
        let thousandths = UInt64(value * 1000 + 0.5)
        append(decimal: thousandths / 1000, digits: 1)
        var fraction = thousandths % 1000
        guard fraction > 0 else { return }
        var digits = 3
        while fraction % 10 == 0 {
            fraction /= 10
            digits -= 1
        }
        append(UInt8(ascii: "."))
        append(decimal: fraction, digits: digits)
    }

    /// A sketch as a string, base64 (RFC 4648, padded) of three bytes of head and what it holds:
    ///
    ///     version    1
    ///     form       0 marks, 1 registers
    ///     precision  12
    ///     marks      up to 64, ascending, each eight bytes, the highest first
    ///     registers  4096 of six bits, the first in the highest bits: one base64 character each, after the head's four
    ///
    /// Two sketches merge by the union of their marks; where those are more than 64, or one has registers, each mark
    /// goes into its register, and of each pair of registers the larger rank is kept (``HyperLogLog``).
    mutating func append(sketch: borrowing HyperLogLog) {
        var content: ContiguousArray<UInt8> = [1, sketch.isDense ? 1 : 0, UInt8(HyperLogLog.precision)]
        if sketch.isDense {
            content.appendRegisters(of: sketch)
        } else {
            for mark in sketch.sortedMarks { content.append(fixed: mark) }
        }
        append(UInt8(ascii: "\""))
        append(base64: content)
        append(UInt8(ascii: "\""))
    }

    mutating func append(base64 content: ContiguousArray<UInt8>) {
        var place = 0
        while place < content.count {
            let left = content.count - place
            let first = UInt32(content[place]) << 16
            let second = left > 1 ? UInt32(content[place + 1]) << 8 : 0
            let third = left > 2 ? UInt32(content[place + 2]) : 0
            let bits = first | second | third
            append(Self.base64Digit(bits >> 18))
            append(Self.base64Digit(bits >> 12 & 63))
            append(left > 1 ? Self.base64Digit(bits >> 6 & 63) : UInt8(ascii: "="))
            append(left > 2 ? Self.base64Digit(bits & 63) : UInt8(ascii: "="))
            place += 3
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func base64Digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        switch value {
        case 0..<26: return UInt8(ascii: "A") + value
        case 26..<52: return UInt8(ascii: "a") + (value - 26)
        case 52..<62: return UInt8(ascii: "0") + (value - 52)
        case 62: return UInt8(ascii: "+")
        default: return UInt8(ascii: "/")
        }
    }
}
