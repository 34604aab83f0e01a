/// The form of configuration files: the properties of Java, as Kafka's own tools read them, in UTF-8.
///
/// `#` and `!` begin comments; `=`, `:` or blanks end a key; a backslash at the end of a line goes on in the next,
/// whose leading blanks are left out; `\t`, `\n`, `\r`, `\f`, `\uXXXX` are read, any other escaped character
/// stands for itself.
struct Properties {
    struct Entry: Equatable {
        var key: String
        var value: String
        /// Where it begins, counted from 1.
        var line: Int
    }

    /// A line that cannot be read.
    struct Fault: Equatable {
        var line: Int
        var what: String
    }

    private(set) var entries: [Entry] = []
    private(set) var faults: [Fault] = []

    init(_ text: String) {
        var logical = ""
        var first = 0
        for (index, line) in Properties.lines(of: text).enumerated() {
            let line = line.drop(while: Properties.isBlank)
            if first == 0 {
                guard let start = line.first, start != "#", start != "!" else { continue }
                first = index + 1
            }
            let slashes = line.reversed().prefix { $0 == "\\" }.count
            if slashes % 2 == 1 {
                logical.append(contentsOf: line.dropLast())
                continue
            }
            logical.append(contentsOf: line)
            add(logical[...], line: first)
            logical = ""
            first = 0
        }
        if first > 0, !logical.isEmpty { add(logical[...], line: first) }
    }

    /// By line feed, carriage return, or both; a mark of the byte order at the start is left out.
    private static func lines(of text: String) -> [Substring] {
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\u{0C}"
    }

    private mutating func add(_ text: Substring, line: Int) {
        let end = Properties.endOfKey(in: text)
        var rest = text[end...].drop(while: Properties.isBlank)
        if let separator = rest.first, separator == "=" || separator == ":" {
            rest = rest.dropFirst().drop(while: Properties.isBlank)
        }
        guard let key = Properties.unescape(text[..<end]), let value = Properties.unescape(rest) else {
            faults.append(Fault(line: line, what: "\\u is not followed by four hexadecimal digits"))
            return
        }
        entries.append(Entry(key: key, value: value, line: line))
    }

    private static func endOfKey(in text: Substring) -> Substring.Index {
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            if character == "=" || character == ":" || isBlank(character) { break }
            index = text.index(after: index)
            if character == "\\", index < text.endIndex { index = text.index(after: index) }
        }
        return index
    }

    /// nil where a `\u` is cut off or no character.
    private static func unescape(_ text: Substring) -> String? {
        guard text.contains("\\") else { return String(text) }
        var units: [UInt16] = []
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                units.append(contentsOf: character.utf16)
                continue
            }
            guard let escaped = rest.popFirst() else { break }
            switch escaped {
            case "t": units.append(0x09)
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "f": units.append(0x0C)
            case "u":
                let digits = rest.prefix(4)
                guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
                    return nil
                }
                units.append(unit)
                rest = rest.dropFirst(4)
            default: units.append(contentsOf: escaped.utf16)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
