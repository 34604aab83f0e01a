/// Milliseconds that a source writes as a JSON number, kept as whole microseconds.
enum Microseconds {
    /// The largest amount of milliseconds that is read, either way: 285 years.
    static let limit: Int64 = 9_000_000_000_000

    static func of(milliseconds: Int64) -> Int64? {
        (-limit...limit).contains(milliseconds) ? milliseconds * 1000 : nil
    }

    /// The microseconds next to a valid JSON number of milliseconds, halves away from zero; exact in decimal.
    /// Nil beyond the limit.
    static func of(number text: RawSpan) -> Int64? {
        var index = 0
        let isNegative = text[byte: 0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        var digits: Int64 = 0
        // Powers of ten that `digits` lacks to be microseconds.
        var exponent: Int64 = 3
        var isFraction = false
        scan: while index < text.byteCount {
            let byte = text[byte: index]
            index += 1
            switch byte {
            case UInt8(ascii: "."):
                isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += self.exponent(of: text, from: index)
                break scan
            default:
                // Digits past the 18th place cannot move a figure within the limit but by less than one unit.
                if digits < limit * 10_000 {
                    digits = digits * 10 + Int64(byte &- 0x30)
                    exponent -= isFraction ? 1 : 0
                } else {
                    exponent += isFraction ? 0 : 1
                }
            }
        }
        guard let value = scaled(digits, by: exponent), value <= limit * 1000 else { return nil }
        return isNegative ? -value : value
    }

    /// The whole number after an `e`; beyond ± 10⁶ it is that.
    private static func exponent(of text: RawSpan, from start: Int) -> Int64 {
        var index = start
        let isNegative = text[byte: index] == UInt8(ascii: "-")
        var value: Int64 = 0
        while index < text.byteCount {
            if let digit = text[byte: index].digit, value < 1_000_000 { value = value * 10 + digit }
            index += 1
        }
        return isNegative ? -value : value
    }

    /// `digits` · 10^`exponent`, rounded; nil where it is beyond the limit.
    private static func scaled(_ digits: Int64, by exponent: Int64) -> Int64? {
        var value = digits
        if exponent >= 0 {
            guard value != 0 else { return 0 }
            for _ in 0..<min(exponent, 20) {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                if overflow { return nil }
                value = product
            }
            return exponent > 20 ? nil : value
        }
        guard exponent >= -19 else { return 0 }
        for _ in 0..<(-exponent - 1) { value /= 10 }
        return value / 10 + (value % 10 >= 5 ? 1 : 0)
    }
}
