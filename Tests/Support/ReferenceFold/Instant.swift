/// Civil time and milliseconds since the epoch.
enum Instant {
    /// Reads `2024-03-05T10:00:20.500+02:00`; digits after the third of a second are cut.
    static func milliseconds(rfc3339 text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A,
            [0x54, 0x74].contains(bytes[10]), let year = digits(bytes, 0, 4), let month = digits(bytes, 5, 2),
            let day = digits(bytes, 8, 2), let hour = digits(bytes, 11, 2), let minute = digits(bytes, 14, 2),
            let second = digits(bytes, 17, 2), hour < 24, minute < 60, second <= 60,
            let start = milliseconds(year: year, month: month, day: day)
        else { return nil }
        var at = 19
        var fraction = 0
        if bytes[at] == 0x2E {
            let end = bytes[(at + 1)...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
            guard end > at + 1 else { return nil }
            for place in 0..<3 {
                let digit = at + 1 + place < end ? Int(bytes[at + 1 + place] - 0x30) : 0
                fraction = fraction * 10 + digit
            }
            at = end
        }
        guard let zone = zone(bytes, at) else { return nil }
        return start + ((hour * 60 + minute - zone) * 60 + second) * 1000 + fraction
    }

    /// Minutes east of UTC.
    private static func zone(_ bytes: [UInt8], _ at: Int) -> Int? {
        if bytes.count == at + 1, [0x5A, 0x7A].contains(bytes[at]) { return 0 }
        guard bytes.count == at + 6, [0x2B, 0x2D].contains(bytes[at]), bytes[at + 3] == 0x3A,
            let hours = digits(bytes, at + 1, 2), let minutes = digits(bytes, at + 4, 2), hours < 24, minutes < 60
        else { return nil }
        return (bytes[at] == 0x2D ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func digits(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int? {
        guard at + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[at..<at + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    /// Midnight UTC of a day of the Gregorian calendar; nothing where there is no such day.
    static func milliseconds(year: Int, month: Int, day: Int) -> Int? {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), day >= 1, day <= lengths[month - 1] else { return nil }
        let earlier = year - 1
        let leapDays = earlier / 4 - earlier / 100 + earlier / 400
        let days = earlier * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1
        return (days - 719_162) * 86_400_000
    }

    /// `2024-03-05T08:00:20Z`, or with milliseconds where there are some.
    static func rfc3339(_ milliseconds: Int) -> String {
        let (day, rest) = milliseconds.quotientAndRemainderDown(by: 86_400_000)
        var year = 1970 + day / 366
        while let next = Self.milliseconds(year: year + 1, month: 1, day: 1), next <= milliseconds { year += 1 }
        while let this = Self.milliseconds(year: year, month: 1, day: 1), this > milliseconds { year -= 1 }
        var month = 12
        while let start = Self.milliseconds(year: year, month: month, day: 1), start > milliseconds { month -= 1 }
        let first = Self.milliseconds(year: year, month: month, day: 1) ?? 0
        let dayOfMonth = (day * 86_400_000 - first) / 86_400_000 + 1
        func padded(_ value: Int, _ width: Int = 2) -> String {
            String(repeating: "0", count: max(0, width - String(value).count)) + String(value)
        }
        let time = "\(padded(rest / 3_600_000)):\(padded(rest / 60_000 % 60)):\(padded(rest / 1000 % 60))"
        let fraction = rest % 1000 == 0 ? "" : ".\(padded(rest % 1000, 3))"
        return "\(padded(year, 4))-\(padded(month))-\(padded(dayOfMonth))T\(time)\(fraction)Z"
    }
}

extension Int {
    /// Division that rounds down, so that times before the epoch lie in their window too.
    func quotientAndRemainderDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
