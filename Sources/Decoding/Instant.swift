/// The forms of a moment that sources write.
enum Instant {
    /// From here on an integer counts nanoseconds, below it milliseconds.
    static let nanosecondsFrom: Int64 = 100_000_000_000_000_000

    /// Milliseconds since the epoch of an integer that counts milliseconds or, from 10¹⁷ on, nanoseconds; nil
    /// where it is none of them.
    static func milliseconds(of integer: Int64) -> Int64? {
        if integer >= nanosecondsFrom { return integer / 1_000_000 }
        return integer > -nanosecondsFrom ? integer : nil
    }

    /// Milliseconds since the epoch of an RFC 3339 date and time; what is finer is cut off. Nil where it is none.
    ///
    /// A leap second (`23:59:60` UTC) is the second after it.
    static func milliseconds(of text: RawSpan) -> Int64? {
        var at = 0
        guard let year = text.number(digits: 4, at: &at), text.skip("-", at: &at),
            let month = text.number(digits: 2, at: &at), text.skip("-", at: &at),
            let day = text.number(digits: 2, at: &at),
            (1...12).contains(month), day >= 1, day <= days(in: month, of: year),
            text.skip("T", at: &at) || text.skip("t", at: &at) || text.skip(" ", at: &at),
            let hour = text.number(digits: 2, at: &at), text.skip(":", at: &at),
            let minute = text.number(digits: 2, at: &at), text.skip(":", at: &at),
            let second = text.number(digits: 2, at: &at), hour < 24, minute < 60, second <= 60,
            let fraction = text.fraction(at: &at), let offset = text.offset(at: &at), at == text.byteCount
        else { return nil }
        let minutes = daysSinceEpoch(year, month, day) * 1440 + hour * 60 + minute - offset
        if second == 60, (minutes % 1440 + 1440) % 1440 != 1439 { return nil }
        return (minutes * 60 + second) * 1000 + fraction
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Days from 1970-01-01 to a day of the Gregorian calendar (year 0 to 9999).
    static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years that begin in March, so that the leap day is the last of its year.
        let years = month > 2 ? year : year - 1
        let months = month > 2 ? month - 3 : month + 9
        let leapDays = years.floored(by: 4) - years.floored(by: 100) + years.floored(by: 400)
        return years * 365 + leapDays + (months * 153 + 2) / 5 + day - 1 - 719_468
    }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}

/// Reads a text from its beginning: each call at `index`, which it moves behind what it has read.
extension RawSpan {
    fileprivate func number(digits: Int, at index: inout Int) -> Int64? {
        guard index + digits <= byteCount else { return nil }
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = self[byte: index].digit else { return nil }
            value = value * 10 + digit
            index += 1
        }
        return value
    }

    fileprivate func skip(_ character: Unicode.Scalar, at index: inout Int) -> Bool {
        guard index < byteCount, self[byte: index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Milliseconds of a second's fraction, where there is one; nil where it has no digit.
    fileprivate func fraction(at index: inout Int) -> Int64? {
        guard skip(".", at: &index) else { return 0 }
        var milliseconds: Int64 = 0
        var unit: Int64 = 100
        let start = index
        while index < byteCount, let digit = self[byte: index].digit {
            milliseconds += digit * unit
            unit /= 10
            index += 1
        }
        return index > start ? milliseconds : nil
    }

    /// Minutes that local time is ahead of UTC.
    fileprivate func offset(at index: inout Int) -> Int64? {
        if skip("Z", at: &index) || skip("z", at: &index) { return 0 }
        let isBehind = skip("-", at: &index)
        guard isBehind || skip("+", at: &index), let hours = number(digits: 2, at: &index), skip(":", at: &index),
            let minutes = number(digits: 2, at: &index), hours < 24, minutes < 60
        else { return nil }
        return (isBehind ? -1 : 1) * (hours * 60 + minutes)
    }
}
