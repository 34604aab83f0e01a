import Foundation

/// One line of a log: stamp, pid, tag, text.
struct LogLine {
    enum Stamp {
        /// ms since the epoch
        case epoch(Int)
        /// ms of the day
        case date(month: Int, day: Int, timeOfDay: Int)
    }

    let stamp: Stamp
    let pid: Int
    let tag: String
    let text: String

    /// `MM-DD HH:MM:SS.mmm [uid] pid tid I tag: text`, or the same with seconds since the epoch.
    init?(_ line: String) {
        guard let (stamp, after) = Self.stamp(line) else { return nil }
        self.stamp = stamp
        var rest = after
        var numbers: [Substring] = []
        var level: Substring?
        while numbers.count <= 3, let word = Self.word(&rest) {
            if numbers.count >= 2, word.count == 1, let letter = word.first, letter.isLetter {
                level = word
                break
            }
            numbers.append(word)
        }
        guard level != nil, numbers.count == 2 || numbers.count == 3, let pid = Int(numbers[numbers.count - 2]),
            Int(numbers[numbers.count - 1]) != nil, let colon = rest.firstIndex(of: ":")
        else { return nil }
        self.pid = pid
        tag = rest[..<colon].trimmingCharacters(in: .whitespaces)
        text = rest[rest.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }

    /// The list in brackets; nothing where it is cut off.
    var fields: LogFields? {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        return LogFields(String(text.dropFirst().dropLast()))
    }

    static func stamp(_ line: String) -> (Stamp, Substring)? {
        var rest = Substring(line)
        guard let first = word(&rest) else { return nil }
        let parts = first.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].count == 2, parts[1].count == 2, let month = Int(parts[0]),
            let day = Int(parts[1]), Instant.milliseconds(year: 2024, month: month, day: day) != nil
        {
            guard let time = word(&rest).flatMap(timeOfDay) else { return nil }
            return (.date(month: month, day: day, timeOfDay: time), rest)
        }
        let halves = first.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].count >= 5, let seconds = Int(halves[0]), let cut = fraction(halves[1])
        else { return nil }
        return (.epoch(seconds * 1000 + cut), rest)
    }

    private static func timeOfDay(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60 else {
            return nil
        }
        let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
        guard seconds.count == 2, let second = Int(seconds[0]), second <= 60, let cut = fraction(seconds[1]) else {
            return nil
        }
        return ((hour * 60 + minute) * 60 + second) * 1000 + cut
    }

    /// More than three digits are cut.
    private static func fraction(_ digits: Substring) -> Int? {
        guard digits.count >= 3, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(digits.prefix(3))
    }

    private static func word(_ text: inout Substring) -> Substring? {
        text = text.drop { $0 == " " || $0 == "\t" }
        let word = text.prefix { $0 != " " && $0 != "\t" }
        text = text.dropFirst(word.count)
        return word.isEmpty ? nil : word
    }
}

/// The list of a line, by place or by name.
struct LogFields {
    private let values: [String]
    private let names: [String?]

    init(_ list: String) {
        let parts = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let labels = [
            "Token", "Component Name", "Reason", "time", "User", "PID", "UID", "Process Name", "OomAdj", "ProcState",
            "Rss", "Package Name", "Flags", "reason",
        ]
        var values: [String] = []
        var names: [String?] = []
        for part in parts {
            let label = labels.first { part.hasPrefix($0 + "=") }
            names.append(label)
            values.append(label.map { String(part.dropFirst($0.count + 1)) } ?? part)
        }
        self.values = values
        self.names = names
    }

    var areNamed: Bool { names.first.map { $0 != nil } ?? false }

    func named(_ name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }.flatMap { $0.isEmpty ? nil : $0 }
    }

    func text(_ place: Int) -> String? {
        place < values.count && !values[place].isEmpty ? values[place] : nil
    }

    func number(_ place: Int) -> Int? { text(place).flatMap { Int($0) } }

    /// Everything from a place on, without a last number.
    func reason(from place: Int) -> String? {
        guard place < values.count else { return nil }
        var rest = Array(values[place...])
        let isNumber = names.last == "Rss" || rest.last.flatMap { Int($0) } != nil
        if rest.count > 1, isNumber { rest.removeLast() }
        return rest.joined(separator: ",")
    }
}
