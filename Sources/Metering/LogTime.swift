internal import Glibc

/// Times of log lines.
enum LogTime {
    /// ms since the epoch.
    static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// RFC 3339 in UTC with ms.
    static func format(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        var instant = time_t(seconds)
        var date = unsafe tm()
        unsafe gmtime_r(&instant, &date)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = unsafe strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &date)
        let stamp = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fraction = String(1000 + rest).dropFirst()
        return "\(stamp).\(fraction)Z"
    }
}
