/// The units that values are written in, largest last; figures are whole ms or whole bytes.
enum Units {
    static let second: Int64 = 1000
    static let minute: Int64 = 60 * second
    static let hour: Int64 = 60 * minute
    static let day: Int64 = 24 * hour
    static let kibibyte: Int64 = 1024
    static let mebibyte: Int64 = 1024 * kibibyte
    static let gibibyte: Int64 = 1024 * mebibyte

    static let durations: [(name: String, factor: Int64)] = [
        ("ms", 1), ("s", second), ("m", minute), ("h", hour), ("d", day),
    ]
    static let sizes: [(name: String, factor: Int64)] = [
        ("B", 1), ("KiB", kibibyte), ("MiB", mebibyte), ("GiB", gibibyte),
    ]

    /// `value` in the largest unit of `units` that leaves it whole.
    static func format(_ value: Int64, _ units: [(name: String, factor: Int64)]) -> String {
        let unit = units.last { unit in value != 0 && value % unit.factor == 0 } ?? units[0]
        return "\(value / unit.factor)\(unit.name)"
    }

    /// Splits `text` into its number and what follows it; nil where it begins with no number.
    static func split(_ text: String) -> (number: Decimal, unit: Substring)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Decimal(digits) else { return nil }
        let unit = text[digits.endIndex...].drop { $0 == " " }
        return (number, unit)
    }

    /// A number as written, exact: `1.5` is 15 tenths.
    struct Decimal: Equatable {
        /// The digits without the point.
        var digits: Int64
        /// 10 to the number of digits after the point.
        var scale: Int64

        init?(_ text: Substring) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard !text.isEmpty, parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
            let fraction = parts.count == 2 ? parts[1] : ""
            guard let digits = Int64(parts[0] + fraction), fraction.count <= 9 else { return nil }
            self.digits = digits
            scale = fraction.reduce(1) { scale, _ in scale * 10 }
        }

        /// The number times `factor`, the largest there is where it does not fit; nil where that is not whole.
        func times(_ factor: Int64) -> Int64? {
            let (product, overflow) = digits.multipliedReportingOverflow(by: factor)
            if overflow { return .max }
            return product % scale == 0 ? product / scale : nil
        }
    }
}
