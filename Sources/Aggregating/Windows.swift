/// Tumbling windows on the line of time, in ms since the epoch.
enum Windows {
    /// Times are taken as the nearest of these two where they lie beyond them: year 100 to year 9998, so that every
    /// window has a date of four digits.
    static let earliest: Int64 = -59_011_459_200_000
    static let latest: Int64 = 253_339_228_800_000

    /// Start of the window of `size` that holds `time`; windows before 1970 are aligned to the epoch too.
    @inline(__always)
    static func start(of time: Int64, size: Int64) -> Int64 {
        let time = min(max(time, earliest), latest)
        let rest = time % size
        return time - (rest < 0 ? rest + size : rest)
    }
}

/// One window: its start and size in ms.
struct Window: Hashable, Sendable {
    var start: Int64
    var size: Int64

    var end: Int64 { start + size }

    /// Whether this stream time or watermark has passed its end and grace: it takes nothing more.
    func isFinal(at stream: Int64, grace: Int64) -> Bool { end + grace < stream }

    /// By end, then by size: the order in which windows become final.
    static func endsBefore(_ a: Window, _ b: Window) -> Bool { (a.end, a.size) < (b.end, b.size) }
}

extension ContiguousArray<UInt8> {
    /// A moment as RFC 3339 UTC in whole seconds, `2023-11-14T22:13:20Z`; of the years 0 to 9999.
    mutating func append(date milliseconds: Int64) {
        let day = WindowSettings.day
        var rest = milliseconds % day
        if rest < 0 { rest += day }
        let civil = CivilDate(day: (milliseconds - rest) / day)
        let second = UInt64(rest / 1000)
        append(decimal: UInt64(civil.year), digits: 4)
        append(UInt8(ascii: "-"))
        append(decimal: UInt64(civil.month), digits: 2)
        append(UInt8(ascii: "-"))
        append(decimal: UInt64(civil.day), digits: 2)
        append(UInt8(ascii: "T"))
        append(decimal: second / 3600, digits: 2)
        append(UInt8(ascii: ":"))
        append(decimal: second / 60 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        append(decimal: second % 60, digits: 2)
        append(UInt8(ascii: "Z"))
    }

    /// A size in its largest whole unit: `1d`, `6h`, `90m`, `45s`.
    mutating func append(windowSize milliseconds: Int64) {
        let units: [(Int64, UInt8)] = [
            (WindowSettings.day, UInt8(ascii: "d")), (3_600_000, UInt8(ascii: "h")), (60_000, UInt8(ascii: "m")),
        ]
        let unit = units.first { milliseconds % $0.0 == 0 } ?? (1000, UInt8(ascii: "s"))
        append(decimal: milliseconds / unit.0)
        append(unit.1)
    }
}

/// A date of the proleptic Gregorian calendar.
private struct CivilDate {
    var year: Int64
    var month: Int64
    var day: Int64

    /// - Parameter day: days since 1970-01-01.
    ///
    /// Years begin in March here, so that the leap day is their last, and eras are 400 years of 146 097 days.
    init(day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
