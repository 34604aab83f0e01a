/// A JSON value with everything the input rules ask about: members in the order sent, whole numbers exact.
indirect enum JSONText: Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([Member])

    struct Member: Equatable {
        let name: String
        let value: JSONText
    }

    enum Failure: Error {
        case invalid
        case tooDeep
    }

    /// The member of that name; the last where it stands more than once, nothing where that is null.
    subscript(name: String) -> JSONText? {
        guard case .object(let members) = self, let found = members.last(where: { $0.name == name }) else { return nil }
        return found.value == .null ? nil : found.value
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var items: [JSONText]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// Reads one value and nothing after it.
    static func read(_ bytes: [UInt8]) throws(Failure) -> JSONText {
        var reader = JSONReader(bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.atEnd else { throw .invalid }
        return value
    }
}

/// Recursive descent over the bytes of one text.
private struct JSONReader {
    static let deepest = 64
    let bytes: [UInt8]
    var at = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var atEnd: Bool { at >= bytes.count }
    var next: UInt8 { atEnd ? 0 : bytes[at] }

    mutating func skipBlanks() {
        while !atEnd, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    mutating func take(_ byte: UInt8) throws(JSONText.Failure) {
        guard next == byte, !atEnd else { throw .invalid }
        at += 1
    }

    mutating func word(_ word: StaticString, _ value: JSONText) throws(JSONText.Failure) -> JSONText {
        for byte in word.description.utf8 { try take(byte) }
        return value
    }

    mutating func value(depth: Int) throws(JSONText.Failure) -> JSONText {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    mutating func object(depth: Int) throws(JSONText.Failure) -> JSONText {
        guard depth <= Self.deepest else { throw .tooDeep }
        try take(UInt8(ascii: "{"))
        var members: [JSONText.Member] = []
        skipBlanks()
        if next == UInt8(ascii: "}") {
            at += 1
            return .object(members)
        }
        while true {
            skipBlanks()
            let name = try string()
            skipBlanks()
            try take(UInt8(ascii: ":"))
            members.append(JSONText.Member(name: name, value: try value(depth: depth)))
            skipBlanks()
            if next == UInt8(ascii: "}") { break }
            try take(UInt8(ascii: ","))
        }
        at += 1
        return .object(members)
    }

    mutating func array(depth: Int) throws(JSONText.Failure) -> JSONText {
        guard depth <= Self.deepest else { throw .tooDeep }
        try take(UInt8(ascii: "["))
        var items: [JSONText] = []
        skipBlanks()
        if next == UInt8(ascii: "]") {
            at += 1
            return .array(items)
        }
        while true {
            items.append(try value(depth: depth))
            skipBlanks()
            if next == UInt8(ascii: "]") { break }
            try take(UInt8(ascii: ","))
        }
        at += 1
        return .array(items)
    }

    mutating func string() throws(JSONText.Failure) -> String {
        try take(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while next != UInt8(ascii: "\"") {
            guard !atEnd, next >= 0x20 else { throw .invalid }
            if next == UInt8(ascii: "\\") {
                at += 1
                text.append(contentsOf: try escaped())
            } else {
                text.append(next)
                at += 1
            }
        }
        at += 1
        guard let valid = String(validating: text, as: UTF8.self) else { throw .invalid }
        return valid
    }

    private mutating func escaped() throws(JSONText.Failure) -> [UInt8] {
        let simple: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        let letter = next
        at += 1
        if let byte = simple[letter] { return [byte] }
        guard letter == UInt8(ascii: "u") else { throw .invalid }
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code) {
            try take(UInt8(ascii: "\\"))
            try take(UInt8(ascii: "u"))
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else { throw .invalid }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .invalid }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func hexadecimal() throws(JSONText.Failure) -> UInt32 {
        guard at + 4 <= bytes.count else { throw .invalid }
        let digits = String(decoding: bytes[at..<at + 4], as: UTF8.self)
        guard digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16) else { throw .invalid }
        at += 4
        return code
    }

    private mutating func digits() throws(JSONText.Failure) {
        guard (0x30...0x39).contains(next) else { throw .invalid }
        while (0x30...0x39).contains(next) { at += 1 }
    }

    private mutating func number() throws(JSONText.Failure) -> JSONText {
        let start = at
        var whole = true
        if next == UInt8(ascii: "-") { at += 1 }
        if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            whole = false
            at += 1
            try digits()
        }
        if next | 0x20 == UInt8(ascii: "e") {
            whole = false
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if whole, let exact = Int(text) { return .integer(exact) }
        guard let approximate = Double(text), approximate.isFinite else { throw .invalid }
        return .number(approximate)
    }
}
