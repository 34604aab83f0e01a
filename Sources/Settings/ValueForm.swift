/// How the values of a setting are written, and which of them are allowed.
package enum ValueForm: Sendable {
    /// ms, written with a unit.
    case duration(ClosedRange<Int64>)
    /// 1 to 8 different durations of whole seconds, by comma.
    case durations(ClosedRange<Int64>)
    /// Bytes, written with a unit.
    case bytes(ClosedRange<Int64>)
    case count(ClosedRange<Int64>)
    /// A part of 1, written as `0.5` or `50%`.
    case ratio(ClosedRange<Double>)
    case flag
    case choice([String])
    case choices([String])
    /// Text of 1 to so many bytes of UTF-8.
    case text(maxBytes: Int)
    /// Names by comma; none is allowed.
    case names
    case topic
    case topics
    case address
    /// Text that is never shown.
    case secret
}

/// Why a value cannot be taken, and what to write instead.
package struct ValueFault: Error, Equatable, Sendable {
    package var what: String
    package var remedy: String
}

extension ValueForm {
    package var isSecret: Bool {
        if case .secret = self { true } else { false }
    }

    /// Reads `text`.
    package func parse(_ text: String) throws(ValueFault) -> ParsedValue {
        let trimmed = text.trimmed
        switch self {
        case .duration(let range):
            return .number(try ValueForm.quantity(trimmed, Units.durations, range))
        case .durations(let range):
            return .numbers(try ValueForm.windows(trimmed, range))
        case .bytes(let range):
            return .number(try ValueForm.quantity(trimmed, Units.sizes, range))
        case .count(let range):
            return .number(try ValueForm.count(trimmed, range))
        case .ratio(let range):
            return .ratio(try ValueForm.ratio(trimmed, range))
        case .flag:
            return .flag(try ValueForm.choice(trimmed, of: ["true", "false"]) == "true")
        case .choice(let choices):
            return .text(try ValueForm.choice(trimmed, of: choices))
        case .choices(let choices):
            return .texts(try ValueForm.choices(trimmed, of: choices))
        case .text(let limit):
            return .text(try ValueForm.text(trimmed, limit))
        case .names:
            return .texts(trimmed.items)
        case .topic:
            return .text(try ValueForm.topic(trimmed))
        case .topics:
            return .texts(try ValueForm.topics(trimmed))
        case .address:
            guard ListenAddress(trimmed) != nil else {
                throw ValueFault(what: "\"\(trimmed)\" is no host:port", remedy: "write it like 127.0.0.1:8088")
            }
            return .text(trimmed)
        case .secret:
            guard !text.isEmpty else { throw ValueFault(what: "is empty", remedy: "give it, or remove the key") }
            return .text(text)
        }
    }

    private static func quantity(
        _ text: String, _ units: [(name: String, factor: Int64)], _ range: ClosedRange<Int64>
    ) throws(ValueFault) -> Int64 {
        let known = units.map(\.name)
        let unitList = known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "")
        let example = format(range.lowerBound == 0 ? range.upperBound : range.lowerBound, units)
        guard let (number, name) = Units.split(text) else {
            throw ValueFault(what: "\"\(text)\" is no number with a unit", remedy: "write it like \(example)")
        }
        if number.digits == 0, name.isEmpty, range.contains(0) { return 0 }
        guard let unit = units.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            let what = name.isEmpty ? "\"\(text)\" has no unit" : "\"\(name)\" is no unit of this key"
            throw ValueFault(what: what, remedy: "use \(unitList)")
        }
        guard let value = number.times(unit.factor) else {
            let whole = units[0].name == "ms" ? "ms" : "bytes"
            throw ValueFault(what: "\"\(text)\" is not a whole number of \(whole)", remedy: "use a smaller unit")
        }
        guard range.contains(value) else { throw outOfRange(text, range, units) }
        return value
    }

    private static func outOfRange(
        _ text: String, _ range: ClosedRange<Int64>, _ units: [(name: String, factor: Int64)]
    ) -> ValueFault {
        let least = format(range.lowerBound, units)
        let most = format(range.upperBound, units)
        return ValueFault(what: "\"\(text)\" is out of range", remedy: "use \(least) to \(most)")
    }

    private static func format(_ value: Int64, _ units: [(name: String, factor: Int64)]) -> String {
        units.isEmpty ? String(value) : Units.format(value, units)
    }

    private static let windowLimit = 8

    private static func windows(_ text: String, _ range: ClosedRange<Int64>) throws(ValueFault) -> [Int64] {
        var sizes: [Int64] = []
        for item in text.items {
            let size = try quantity(item, Units.durations, range)
            guard size % Units.second == 0 else {
                throw ValueFault(what: "\"\(item)\" is not a whole number of seconds", remedy: "use whole seconds")
            }
            guard !sizes.contains(size) else {
                throw ValueFault(what: "\"\(item)\" is given twice", remedy: "list every size once")
            }
            sizes.append(size)
        }
        guard !sizes.isEmpty else { throw ValueFault(what: "is empty", remedy: "list sizes by comma, like 1m,1h") }
        guard sizes.count <= windowLimit else {
            throw ValueFault(what: "lists \(sizes.count) sizes", remedy: "list at most \(windowLimit)")
        }
        return sizes
    }

    private static func count(_ text: String, _ range: ClosedRange<Int64>) throws(ValueFault) -> Int64 {
        guard let value = Int64(text) else {
            throw ValueFault(what: "\"\(text)\" is no whole number", remedy: "write digits without a unit")
        }
        guard range.contains(value) else { throw outOfRange(text, range, []) }
        return value
    }

    private static func ratio(_ text: String, _ range: ClosedRange<Double>) throws(ValueFault) -> Double {
        let percent = text.hasSuffix("%")
        let number = Units.Decimal(text.dropLast(percent ? 1 : 0))
        guard let number else {
            throw ValueFault(what: "\"\(text)\" is no ratio", remedy: "write it like 0.5 or 50%")
        }
        let value = Double(number.digits) / Double(number.scale) / (percent ? 100 : 1)
        guard range.contains(value) else {
            let remedy = "use \(range.lowerBound) to \(range.upperBound)"
            throw ValueFault(what: "\"\(text)\" is out of range", remedy: remedy)
        }
        return value
    }

    private static func choice(_ text: String, of choices: [String]) throws(ValueFault) -> String {
        if choices.contains(text) { return text }
        let all = choices.joined(separator: ", ")
        if let near = Nearest.match(to: text.lowercased(), in: choices) {
            throw ValueFault(what: "\"\(text)\" is unknown", remedy: "did you mean \(near)? It takes: \(all)")
        }
        throw ValueFault(what: "\"\(text)\" is unknown", remedy: "it takes: \(all)")
    }

    private static func choices(_ text: String, of choices: [String]) throws(ValueFault) -> [String] {
        var chosen: [String] = []
        for item in text.items {
            let item = try choice(item, of: choices)
            guard !chosen.contains(item) else {
                throw ValueFault(what: "\"\(item)\" is given twice", remedy: "list every name once")
            }
            chosen.append(item)
        }
        guard !chosen.isEmpty else {
            throw ValueFault(what: "is empty", remedy: "list by comma, of: \(choices.joined(separator: ", "))")
        }
        return chosen
    }

    private static func text(_ text: String, _ limit: Int) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault(what: "is empty", remedy: "give it, or remove the key") }
        guard text.utf8.count <= limit else {
            throw ValueFault(what: "is longer than \(limit) bytes", remedy: "shorten it")
        }
        return text
    }

    private static func topic(_ text: String) throws(ValueFault) -> String {
        let legal = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard legal, !text.isEmpty, text.utf8.count <= 249, text != ".", text != ".." else {
            throw ValueFault(
                what: "\"\(text)\" is no name of a topic", remedy: "use 1 to 249 letters, digits, '.', '_' and '-'")
        }
        return text
    }

    private static func topics(_ text: String) throws(ValueFault) -> [String] {
        var topics: [String] = []
        for item in text.items {
            let item = try topic(item)
            guard !topics.contains(item) else {
                throw ValueFault(what: "\"\(item)\" is given twice", remedy: "list every topic once")
            }
            topics.append(item)
        }
        guard !topics.isEmpty else { throw ValueFault(what: "is empty", remedy: "list topics by comma") }
        return topics
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let end = start.reversed().drop(while: \.isWhitespace)
        return String(end.reversed())
    }

    /// The items between commas, trimmed; empty ones are left out.
    var items: [String] {
        split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}
