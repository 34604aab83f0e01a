/// How severe a line is.
package enum LogLevel: String, CaseIterable, Sendable, Comparable {
    case error
    case warning
    case info
    case debug

    package static func < (less: LogLevel, more: LogLevel) -> Bool {
        less.rank > more.rank
    }

    /// 0 is the most severe.
    private var rank: Int { LogLevel.allCases.firstIndex(of: self) ?? 0 }
}

/// The form of the lines.
package enum LogFormat: String, CaseIterable, Sendable {
    case text
    case json
}

/// A value beside the message of a line.
package enum LogValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case text(String)
    case integer(Int64)
    case decimal(Double)
    case flag(Bool)

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }

    package static func integer(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }
}

/// One event of the log.
struct LogLine {
    var level: LogLevel
    /// ms since the epoch.
    var time: Int64
    /// The part of the program that speaks.
    var source: String
    var message: String
    var fields: [(name: String, value: LogValue)]

    /// The line in one of its forms, with its line feed.
    func rendered(as format: LogFormat) -> String {
        switch format {
        case .text: text
        case .json: json
        }
    }

    /// `2026-01-31T23:59:59.123Z WARNING kafka: broker is away broker="h:1" for_ms=12`
    private var text: String {
        var line = "\(LogTime.format(time)) \(level.rawValue.uppercased()) \(source): \(LogLine.plain(message))"
        for (name, value) in fields {
            line += " \(name)="
            switch value {
            case .text(let text): LogLine.appendQuoted(text, to: &line)
            case .integer(let number): line += String(number)
            case .decimal(let number): line += number.description
            case .flag(let flag): line += String(flag)
            }
        }
        return line + "\n"
    }

    private var json: String {
        var line = "{\"time\":\"\(LogTime.format(time))\",\"level\":\"\(level.rawValue)\",\"source\":"
        LogLine.appendQuoted(source, to: &line)
        line += ",\"message\":"
        LogLine.appendQuoted(message, to: &line)
        for (name, value) in fields {
            line += ","
            LogLine.appendQuoted(name, to: &line)
            line += ":"
            switch value {
            case .text(let text): LogLine.appendQuoted(text, to: &line)
            case .integer(let number): line += String(number)
            case .decimal(let number): line += number.isFinite ? number.description : "null"
            case .flag(let flag): line += String(flag)
            }
        }
        return line + "}\n"
    }

    /// Without control characters: a line stays one line whatever a broker or a file wrote into it.
    private static func plain(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x85 || scalar.value == 0x2028
            || scalar.value == 0x2029
    }

    /// A JSON string.
    private static func appendQuoted(_ text: String, to line: inout String) {
        line += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\t": line += "\\t"
            case _ where isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        line += "\""
    }
}
