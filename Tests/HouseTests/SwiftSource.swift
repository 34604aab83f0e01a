/// A Swift file, read just far enough to see its imports and how long its functions are.
struct SwiftSource {
    /// The text with comments and the insides of string literals blanked; line feeds stay where they were.
    let code: [UInt8]

    init(_ text: String) {
        var blanker = Blanker(source: Array(text.utf8))
        code = blanker.run()
    }

    /// The modules that it imports.
    var imports: [String] {
        String(decoding: code, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import") else { return nil }
            let before = words[..<index].filter { !$0.hasPrefix("@") }
            guard before.allSatisfy({ ["public", "package", "internal", "private", "fileprivate"].contains($0) }) else {
                return nil
            }
            let kinds: Set<Substring> = ["struct", "class", "enum", "func", "typealias", "let", "var", "protocol"]
            return words[(index + 1)...].first { !kinds.contains($0) }
                .map { String($0.prefix { $0 != "." }) }
        }
    }

    struct Function: Equatable {
        /// The line of its keyword, counted from 1.
        var line: Int
        /// From the keyword to the brace that closes the body.
        var length: Int
    }

    /// Functions, initialisers, subscripts and computed properties that have a body.
    var functions: [Function] {
        var found: [Function] = []
        var index = 0
        var line = 1
        while index < code.count {
            if code[index] == UInt8(ascii: "\n") { line += 1 }
            guard let keyword = keyword(at: index) else {
                index += 1
                continue
            }
            index += keyword.utf8.count
            if let body = body(after: index, isProperty: keyword == "var"), let end = closingBrace(from: body) {
                let lines = code[index..<end].filter { $0 == UInt8(ascii: "\n") }.count
                found.append(Function(line: line, length: lines + 1))
            }
        }
        return found
    }

    private static let keywords = ["func", "init", "deinit", "subscript", "var"]
    private static let initials = keywords.compactMap(\.utf8.first)

    private func keyword(at index: Int) -> String? {
        guard SwiftSource.initials.contains(code[index]) else { return nil }
        if index > 0, isWord(code[index - 1]) || code[index - 1] == UInt8(ascii: ".") { return nil }
        return SwiftSource.keywords.first { word in
            let end = index + word.utf8.count
            return code[index...].starts(with: word.utf8) && (end == code.count || !isWord(code[end]))
        }
    }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
            true
        default: false
        }
    }

    /// The brace that opens the body of what begins at `start`; nil where it has none.
    private func body(after start: Int, isProperty: Bool) -> Int? {
        var depth = 0
        for index in start..<code.count {
            switch code[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { return nil }
            case UInt8(ascii: "{") where depth == 0: return index
            case UInt8(ascii: "}") where depth == 0: return nil
            case UInt8(ascii: "="), UInt8(ascii: "\n"), UInt8(ascii: ";"):
                if isProperty, depth == 0 { return nil }
            default:
                if depth == 0, index > start, keyword(at: index) != nil { return nil }
            }
        }
        return nil
    }

    private func closingBrace(from open: Int) -> Int? {
        var depth = 0
        for index in open..<code.count {
            if code[index] == UInt8(ascii: "{") { depth += 1 }
            if code[index] == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }
}

/// Blanks what is no code. Strings may hold code again, in interpolations, which may hold strings: hence the stack.
private struct Blanker {
    private enum Place {
        /// Code, within an interpolation with so many parentheses open.
        case code(parentheses: Int)
        case string(hashes: Int, multiline: Bool)
    }

    let source: [UInt8]
    private var index = 0
    private var result: [UInt8] = []
    private var places: [Place] = []

    init(source: [UInt8]) {
        self.source = source
    }

    mutating func run() -> [UInt8] {
        while index < source.count {
            if case .string(let hashes, let multiline) = places.last {
                stepInString(hashes, multiline)
            } else {
                stepInCode()
            }
        }
        return result
    }

    private mutating func stepInCode() {
        if starts("//") { return blankComment { $0.source[$0.index] == UInt8(ascii: "\n") } }
        if starts("/*") { return blankNestedComment() }
        let hashes = source[index...].prefix { $0 == UInt8(ascii: "#") }.count
        if index + hashes < source.count, source[index + hashes] == UInt8(ascii: "\"") {
            blank(hashes)
            let multiline = starts("\"\"\"")
            blank(multiline ? 3 : 1)
            places.append(.string(hashes: hashes, multiline: multiline))
            return
        }
        if case .code(let parentheses) = places.last {
            if source[index] == UInt8(ascii: "(") { places[places.count - 1] = .code(parentheses: parentheses + 1) }
            if source[index] == UInt8(ascii: ")") {
                places[places.count - 1] = .code(parentheses: parentheses - 1)
                if parentheses == 1 { places.removeLast() }
            }
        }
        result.append(source[index])
        index += 1
    }

    private mutating func stepInString(_ hashes: Int, _ multiline: Bool) {
        let marks = String(repeating: "#", count: hashes)
        if starts("\\" + marks + "(") {
            blank(1 + hashes)
            places.append(.code(parentheses: 0))
        } else if starts("\\" + marks) {
            blank(min(2 + hashes, source.count - index))
        } else if starts((multiline ? "\"\"\"" : "\"") + marks) {
            blank((multiline ? 3 : 1) + hashes)
            places.removeLast()
        } else {
            blank(1)
        }
    }

    private mutating func blankComment(until isEnd: (Blanker) -> Bool) {
        while index < source.count, !isEnd(self) { blank(1) }
    }

    private mutating func blankNestedComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank(2)
            } else if starts("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && index < source.count
    }

    private func starts(_ text: String) -> Bool {
        source[index...].starts(with: text.utf8)
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where index < source.count {
            result.append(source[index] == UInt8(ascii: "\n") ? UInt8(ascii: "\n") : UInt8(ascii: " "))
            index += 1
        }
    }
}
