import Lifecycle

/// The list behind a tag, `[a,b,c]`, read field by field. A field may be named, `PID=4001`; its name is passed over.
///
/// Texts may hold commas and brackets: the list ends at the last byte of the line, and a text that may hold a comma
/// is read by ``rest(_:)``.
struct LogcatFields: BitwiseCopyable {
    private var position: Int
    private let end: Int
    private var isOver = false

    /// nil where the list is cut off.
    init?(_ bytes: RawSpan, in message: Range<Int>) {
        guard message.count >= 2, bytes[byte: message.lowerBound] == UInt8(ascii: "["),
            bytes[byte: message.upperBound - 1] == UInt8(ascii: "]")
        else { return nil }
        position = message.lowerBound + 1
        end = message.upperBound - 1
    }

    /// The next field as it stands, or nil at the end.
    mutating func field(_ bytes: RawSpan) -> Range<Int>? {
        guard !isOver else { return nil }
        let comma = bytes.index(of: UInt8(ascii: ","), in: position..<end)
        let field = position..<comma
        isOver = comma == end
        position = min(comma + 1, end)
        return field
    }

    /// The next field without its name, if it holds any text.
    mutating func text(_ bytes: RawSpan) -> Range<Int>? {
        guard let field = field(bytes) else { return nil }
        let value = trimmed(bytes, Self.value(bytes, of: field))
        return value.isEmpty ? nil : value
    }

    /// The next field, if it is a whole number.
    mutating func number(_ bytes: RawSpan) -> Int64? {
        guard let field = field(bytes) else { return nil }
        return Self.number(bytes, Self.value(bytes, of: field))
    }

    /// All that is left, commas included.
    mutating func rest(_ bytes: RawSpan) -> Range<Int>? {
        guard !isOver else { return nil }
        isOver = true
        return position..<end
    }

    /// A field without its name.
    static func value(_ bytes: RawSpan, of field: Range<Int>) -> Range<Int> {
        let sign = bytes.index(of: UInt8(ascii: "="), in: field)
        return sign < field.upperBound ? sign + 1..<field.upperBound : field
    }

    static func number(_ bytes: RawSpan, _ value: Range<Int>) -> Int64? {
        var reader = TextReader(trimmed(bytes, value))
        let isNegative = reader.take(UInt8(ascii: "-"), bytes)
        guard let number = reader.number(bytes, digits: 1...18), reader.position == reader.end else { return nil }
        return isNegative ? -number : number
    }

    /// A duration in ms: `9`, `9ms`, or from a second on `5.2s`.
    static func milliseconds(_ bytes: RawSpan, _ field: Range<Int>) -> Int64? {
        var reader = TextReader(trimmed(bytes, value(bytes, of: field)))
        guard let whole = reader.number(bytes, digits: 1...12) else { return nil }
        if reader.position == reader.end { return whole }
        if bytes.hasText("ms", at: reader.position), reader.position + 2 == reader.end { return whole }
        var thousandths: Int64 = 0
        if reader.take(UInt8(ascii: "."), bytes) {
            let first = reader.position
            guard let digits = reader.number(bytes, digits: 1...3) else { return nil }
            thousandths = digits * [100, 10, 1][reader.position - first - 1]
        }
        guard reader.take(UInt8(ascii: "s"), bytes), reader.position == reader.end else { return nil }
        return whole * 1000 + thousandths
    }

    /// The reason of a kill: `rest` without its name and without a last number, the memory that was in use, which has
    /// a unit where it is named. nil where nothing is left.
    static func reason(_ bytes: RawSpan, _ rest: Range<Int>) -> Range<Int>? {
        var reason = rest
        if bytes.hasText("Reason=", at: rest.lowerBound) { reason = rest.lowerBound + 7..<rest.upperBound }
        var comma = reason.upperBound - 1
        while comma >= reason.lowerBound, bytes[byte: comma] != UInt8(ascii: ",") { comma -= 1 }
        if comma >= reason.lowerBound, isMemory(bytes, comma + 1..<reason.upperBound) {
            reason = reason.lowerBound..<comma
        }
        reason = trimmed(bytes, reason)
        return reason.isEmpty ? nil : reason
    }

    private static func isMemory(_ bytes: RawSpan, _ field: Range<Int>) -> Bool {
        if number(bytes, field) != nil { return true }
        guard bytes.hasText("Rss=", at: field.lowerBound) else { return false }
        var reader = TextReader(value(bytes, of: field))
        guard reader.number(bytes, digits: 1...18) != nil else { return false }
        return reader.end - reader.position <= 2
    }
}

/// A callback's line: `[token,class,reason,time]`, `[user,class,reason]`, or the first with its fields named.
struct LogcatCall {
    /// nil where the user stands in its place.
    var token: Range<Int>?
    var className: Range<Int>
    /// How long the callback took, ms; nil where the line does not tell.
    var duration: Int64?

    /// The smallest token; below it the first number of a line without names is a user.
    private static let smallestToken = 1000

    /// nil where the line lacks its class, or has something else for a number.
    init?(_ bytes: RawSpan, _ list: LogcatFields, isOlder: Bool) {
        var fields = list
        guard let first = fields.field(bytes) else { return nil }
        let value = trimmed(bytes, LogcatFields.value(bytes, of: first))
        guard let number = LogcatFields.number(bytes, value) else { return nil }
        guard let name = fields.text(bytes), bytes[byte: name.lowerBound].digit == nil else { return nil }
        className = name
        let isNamed = value.lowerBound > first.lowerBound
        let isToken = isNamed ? bytes.hasText("Token", at: first.lowerBound) : number >= Self.smallestToken
        if isToken, !isOlder || isNamed { token = value }
        _ = fields.field(bytes)
        guard let last = fields.field(bytes) else { return }
        guard let duration = LogcatFields.milliseconds(bytes, last) else { return nil }
        self.duration = duration
    }
}

/// What a line of the system tells about a process.
struct LogcatTold {
    var pid: Range<Int>
    var process: Range<Int>
    /// The process name up to a colon.
    var package: Range<Int>
    /// Only of a kill, and only where it is told.
    var reason: Range<Int>?
    /// The process name has a colon.
    var isAside: Bool { package.upperBound < process.upperBound }

    /// nil where the line lacks its process name, or has something else for a number.
    init?(_ bytes: RawSpan, _ list: LogcatFields, _ tag: LogcatTag) {
        var fields = list
        // A crash has the pid first, then the user; every other the user first.
        let (first, second) = (fields.field(bytes), fields.field(bytes))
        guard let pid = Self.number(bytes, tag == .crash ? first : second),
            Self.number(bytes, tag == .crash ? second : first) != nil
        else { return nil }
        if tag == .processStart, fields.number(bytes) == nil { return nil }
        guard let process = fields.text(bytes) else { return nil }
        let package = process.lowerBound..<bytes.index(of: UInt8(ascii: ":"), in: process)
        guard !package.isEmpty, bytes[byte: pid.lowerBound] != UInt8(ascii: "-") else { return nil }
        self.pid = pid
        self.process = process
        self.package = package
        if tag == .kill, let adjustment = fields.field(bytes) {
            guard Self.number(bytes, adjustment) != nil else { return nil }
            reason = fields.rest(bytes).flatMap { LogcatFields.reason(bytes, $0) }
        }
    }

    private static func number(_ bytes: RawSpan, _ field: Range<Int>?) -> Range<Int>? {
        guard let field else { return nil }
        let value = trimmed(bytes, LogcatFields.value(bytes, of: field))
        return LogcatFields.number(bytes, value) == nil ? nil : value
    }
}
