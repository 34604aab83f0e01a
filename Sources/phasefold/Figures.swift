/// How numbers are written for people.
enum Figures {
    /// `1,234,567`
    static func grouped(_ number: Int) -> String {
        var digits = ""
        for (index, digit) in String(number.magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { digits = "," + digits }
            digits = String(digit) + digits
        }
        return number < 0 ? "-" + digits : digits
    }

    /// Three digits and a unit: `987`, `12.3 k`, `2.31 M`.
    static func short(_ number: Double) -> String {
        let units: [(limit: Double, name: String)] = [(1e9, " G"), (1e6, " M"), (1e3, " k")]
        guard let unit = units.first(where: { number >= $0.limit }) else { return decimal(number, places: 0) }
        let value = number / unit.limit
        return decimal(value, places: value < 10 ? 2 : value < 100 ? 1 : 0) + unit.name
    }

    /// `0:07`, `12:34`, `1:02:03`
    static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 359_999).rounded(.up))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = rest < 10 ? "0\(rest)" : "\(rest)"
        if hours == 0 { return "\(minutes):\(tail)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
    }

    /// A duration of so many ms: `870 ms`, `1.52 s`, `2.0 min`, `3.1 h`.
    static func duration(_ milliseconds: Double) -> String {
        let units: [(limit: Double, size: Double, name: String)] = [
            (999.5, 1, " ms"), (99_950, 1000, " s"), (5_970_000, 60_000, " min"), (.infinity, 3_600_000, " h"),
        ]
        guard let unit = units.first(where: { milliseconds < $0.limit }) else { return "-" }
        let value = milliseconds / unit.size
        return decimal(value, places: unit.size == 1 ? 0 : value < 10 ? 2 : 1) + unit.name
    }

    /// A whole number of ms in its largest whole unit, as in the configuration: `90s`, `1m`.
    static func size(_ milliseconds: Int) -> String {
        let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        guard let unit = units.first(where: { milliseconds % $0.0 == 0 }) else { return "\(milliseconds)ms" }
        return "\(milliseconds / unit.0)\(unit.1)"
    }

    static func decimal(_ value: Double, places: Int) -> String {
        var factor = 1
        for _ in 0..<places { factor *= 10 }
        let scaled = Int((value * Double(factor)).rounded())
        guard places > 0 else { return String(scaled) }
        let fraction = String(scaled.magnitude % UInt(factor) + UInt(factor)).dropFirst()
        return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt(factor)).\(fraction)"
    }
}
