/// One event as a device reports it: what a line of JSON is made of.
struct Report: Sendable {
    /// Number of the device, scrambled with the seed.
    var device: UInt64
    var name: StaticString
    /// Device wall clock, ms since the epoch.
    var time: Int64
    var sequence: UInt32
    var process: UInt32
    var boot: UInt32
    /// ms since the boot.
    var monotonic: Int64
    /// Device wall clock, ms since the epoch.
    var sent: Int64
    /// ms since the epoch.
    var received: Int64
    /// Empty: none.
    var reason: StaticString = ""
    /// ms; 0: none.
    var handler: Int64 = 0
    var prewarm = false
    /// Empty: none.
    var exitReason: StaticString = ""
    /// Empty: the application's.
    var scope: StaticString = ""
    /// 0: none.
    var instance: UInt32 = 0
    /// Empty: none.
    var className: StaticString = ""
    /// Empty: none.
    var resource: StaticString = ""
}

/// Writes events as compact JSON into memory that has room for ``LineBatch/longestLine`` bytes.
@unsafe struct LineWriter {
    var at: UnsafeMutablePointer<UInt8>
    private let start: UnsafeMutablePointer<UInt8>

    init(at: UnsafeMutablePointer<UInt8>) {
        unsafe self.at = at
        unsafe start = at
    }

    /// - Returns: where the device's id begins, in bytes from the start of the line.
    mutating func write(
        _ report: Report, of profile: borrowing Profile, fields: FleetOptions.Fields
    ) -> Int {
        unsafe copy(profile.head)
        let key = unsafe at - start
        unsafe hexadecimal(report.device, digits: Profile.keyLength)
        unsafe copy(profile.middle)
        unsafe copy(report.name)
        unsafe copy("\"")
        if report.scope.utf8CodeUnitCount > 0 { unsafe writeSubject(report) }
        unsafe copy(",\"ts\":")
        unsafe decimal(report.time)
        if fields.contains(.sequence) {
            unsafe copy(",\"seq\":")
            unsafe decimal(Int64(report.sequence))
        }
        unsafe writeOptional(report, fields: fields)
        unsafe copy("}")
        return key
    }

    private mutating func writeSubject(_ report: Report) {
        unsafe copy(",\"scope\":\"")
        unsafe copy(report.scope)
        unsafe copy("\",\"instance\":\"")
        unsafe hexadecimal(UInt64(report.instance), digits: 8)
        unsafe copy("\"")
        guard report.className.utf8CodeUnitCount > 0 else { return }
        unsafe copy(",\"class\":\"")
        unsafe copy(report.className)
        unsafe copy("\"")
    }

    private mutating func writeOptional(_ report: Report, fields: FleetOptions.Fields) {
        if fields.contains(.process) {
            unsafe copy(",\"process_id\":\"")
            unsafe hexadecimal(UInt64(report.process), digits: 8)
            unsafe copy("\"")
        }
        if fields.contains(.monotonic) {
            unsafe copy(",\"boot_id\":\"")
            unsafe hexadecimal(UInt64(report.boot), digits: 8)
            unsafe copy("\",\"mono_ms\":")
            unsafe decimal(report.monotonic)
        }
        if report.reason.utf8CodeUnitCount > 0 {
            unsafe copy(",\"reason\":\"")
            unsafe copy(report.reason)
            unsafe copy("\"")
        }
        if report.resource.utf8CodeUnitCount > 0 {
            unsafe copy(",\"resource\":\"")
            unsafe copy(report.resource)
            unsafe copy("\"")
        }
        if report.exitReason.utf8CodeUnitCount > 0 {
            unsafe copy(",\"exit_reason\":\"")
            unsafe copy(report.exitReason)
            unsafe copy("\"")
        }
        if report.handler > 0 {
            unsafe copy(",\"handler_ms\":")
            unsafe decimal(report.handler)
        }
        if report.prewarm { unsafe copy(",\"prewarm\":true") }
        if fields.contains(.sent) {
            unsafe copy(",\"sent_ts\":")
            unsafe decimal(report.sent)
        }
        if fields.contains(.received) {
            unsafe copy(",\"rx_ts\":")
            unsafe decimal(report.received)
        }
    }

    private mutating func copy(_ text: StaticString) {
        unsafe at.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        unsafe at += text.utf8CodeUnitCount
    }

    private mutating func copy(_ text: ContiguousArray<UInt8>) {
        unsafe text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            unsafe at.update(from: base, count: buffer.count)
            unsafe at += buffer.count
        }
    }

    /// A number that is not negative.
    private mutating func decimal(_ number: Int64) {
        var digits = 1
        var power: Int64 = 10
        while digits < 18, number >= power {
            digits += 1
            power *= 10
        }
        var rest = UInt64(number)
        var place = digits
        while place > 0 {
            place -= 1
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            unsafe at[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder)
            rest = quotient
        }
        unsafe at += digits
    }

    private mutating func hexadecimal(_ number: UInt64, digits: Int) {
        var rest = number
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            unsafe at[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
            rest >>= 4
        }
        unsafe at += digits
    }
}
