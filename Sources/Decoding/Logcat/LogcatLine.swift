/// A time stamp as it stands in a line of the log, in ms; which year a date belongs to is told by the lines before it.
struct LogcatStamp: BitwiseCopyable {
    /// ms since the epoch; nil where the stamp is a date.
    var epoch: Int64?
    /// As it stands; 0 where the stamp has none, as in most logs.
    var year = 0
    var month = 0
    var day = 0
    /// Since midnight in the stamp's zone.
    var milliseconds: Int64 = 0
    /// East of UTC.
    var zoneMinutes: Int64 = 0

    /// ms since the epoch, a date taken to be of `year`.
    func time(inYear year: Int) -> Int64 {
        if let epoch { return epoch }
        let days = daysSinceEpoch(year: self.year == 0 ? year : self.year, month: month, day: day)
        return days * 86_400_000 + milliseconds - zoneMinutes * 60_000
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int64 {
    // Counting years from March puts the leap day last; 153 days are five months from March on.
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
}

/// The year of the Gregorian calendar that a day since the epoch is in.
func year(ofDay day: Int64) -> Int {
    var year = 1970 + Int((Double(day) / 365.2425).rounded(.down))
    while daysSinceEpoch(year: year, month: 1, day: 1) > day { year -= 1 }
    while daysSinceEpoch(year: year + 1, month: 1, day: 1) <= day { year += 1 }
    return year
}

/// The parts of one log line: `stamp [uid] pid tid priority tag: message`.
struct LogcatLine {
    var stamp: LogcatStamp
    /// Decimal digits.
    var pid: Range<Int>
    /// Without the blanks before the colon.
    var tag: Range<Int>
    /// Without the blanks around it.
    var message: Range<Int>

    /// nil for what is no log line.
    init?(_ bytes: RawSpan, in line: Range<Int>) {
        var reader = TextReader(line)
        guard let stamp = reader.stamp(bytes), reader.blanks(bytes) else { return nil }
        // A uid, which may be a name, is told by a fourth column before the priority.
        var columns = (reader.column(bytes), reader.column(bytes), reader.column(bytes))
        if !Self.isPriority(bytes, columns.2) {
            columns = (columns.1, columns.2, reader.column(bytes))
            guard Self.isPriority(bytes, columns.2) else { return nil }
        }
        guard Self.isPID(bytes, columns.0), Self.isPID(bytes, columns.1) else { return nil }
        let colon = bytes.index(of: UInt8(ascii: ":"), in: reader.position..<line.upperBound)
        guard colon < line.upperBound else { return nil }
        self.stamp = stamp
        pid = columns.0
        tag = trimmed(bytes, reader.position..<colon)
        message = trimmed(bytes, colon + 1..<line.upperBound)
    }

    private static func isPriority(_ bytes: RawSpan, _ column: Range<Int>) -> Bool {
        column.count == 1 && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[byte: column.lowerBound])
    }

    private static func isPID(_ bytes: RawSpan, _ column: Range<Int>) -> Bool {
        guard (1...10).contains(column.count) else { return false }
        for index in column where bytes[byte: index].digit == nil { return false }
        return true
    }
}

/// `range` without the blanks at its ends.
func trimmed(_ bytes: RawSpan, _ range: Range<Int>) -> Range<Int> {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high, bytes[byte: low].isBlank { low += 1 }
    while low < high, bytes[byte: high - 1].isBlank { high -= 1 }
    return low..<high
}

/// Reads the columns of a line from left to right.
struct TextReader: BitwiseCopyable {
    var position: Int
    let end: Int

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// Skips blanks; whether there were any.
    mutating func blanks(_ bytes: RawSpan) -> Bool {
        let first = position
        while position < end, bytes[byte: position].isBlank { position += 1 }
        return position > first
    }

    /// What stands up to the next blank; the blanks after it are skipped. Empty at the end.
    mutating func column(_ bytes: RawSpan) -> Range<Int> {
        let first = position
        while position < end, !bytes[byte: position].isBlank { position += 1 }
        let column = first..<position
        _ = blanks(bytes)
        return column
    }

    /// A decimal number of `digits` digits.
    mutating func number(_ bytes: RawSpan, digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        let first = position
        while position < end, position - first < digits.upperBound, bytes[byte: position].digit != nil {
            value = value * 10 + Int64(bytes[byte: position] &- 0x30)
            position += 1
        }
        return position - first >= digits.lowerBound ? value : nil
    }

    mutating func take(_ byte: UInt8, _ bytes: RawSpan) -> Bool {
        guard position < end, bytes[byte: position] == byte else { return false }
        position += 1
        return true
    }

    /// The stamp at the beginning of a line, blanks before it skipped; nil where there is none.
    mutating func stamp(_ bytes: RawSpan) -> LogcatStamp? {
        _ = blanks(bytes)
        guard let first = number(bytes, digits: 1...12) else { return nil }
        if take(UInt8(ascii: "."), bytes) {
            guard let fraction = fraction(bytes) else { return nil }
            return LogcatStamp(epoch: first * 1000 + fraction)
        }
        guard take(UInt8(ascii: "-"), bytes), let second = number(bytes, digits: 2...2) else { return nil }
        var stamp = LogcatStamp(month: Int(first), day: Int(second))
        if take(UInt8(ascii: "-"), bytes) {
            guard (1970...9999).contains(first), let day = number(bytes, digits: 2...2) else { return nil }
            stamp = LogcatStamp(year: Int(first), month: Int(second), day: Int(day))
        }
        guard (1...12).contains(stamp.month), (1...31).contains(stamp.day), blanks(bytes) else { return nil }
        guard let time = timeOfDay(bytes) else { return nil }
        stamp.milliseconds = time
        stamp.zoneMinutes = zone(bytes)
        return stamp
    }

    private mutating func timeOfDay(_ bytes: RawSpan) -> Int64? {
        guard let hour = number(bytes, digits: 2...2), hour < 24, take(UInt8(ascii: ":"), bytes),
            let minute = number(bytes, digits: 2...2), minute < 60, take(UInt8(ascii: ":"), bytes),
            let second = number(bytes, digits: 2...2), second < 61, take(UInt8(ascii: "."), bytes),
            let fraction = fraction(bytes)
        else { return nil }
        return ((hour * 60 + minute) * 60 + second) * 1000 + fraction
    }

    /// Three digits or more; those after the third are cut.
    private mutating func fraction(_ bytes: RawSpan) -> Int64? {
        guard let fraction = number(bytes, digits: 3...3) else { return nil }
        while position < end, bytes[byte: position].digit != nil { position += 1 }
        return fraction
    }

    /// Minutes east of UTC, from ` +0200` behind the time; 0 where there is none.
    private mutating func zone(_ bytes: RawSpan) -> Int64 {
        let before = position
        guard blanks(bytes), position < end else { return 0 }
        let isWest = take(UInt8(ascii: "-"), bytes)
        if isWest || take(UInt8(ascii: "+"), bytes), let digits = number(bytes, digits: 4...4) {
            let minutes = digits / 100 * 60 + digits % 100
            return isWest ? -minutes : minutes
        }
        position = before
        return 0
    }
}
