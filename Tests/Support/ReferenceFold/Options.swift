import Foundation

/// The thresholds of the specification under their configuration keys, times in milliseconds.
struct Options {
    private var texts: [String: String] = [
        "group.by": "app_id,platform,app_version", "group.limit": "10000", "window.sizes": "1m", "window.grace": "6h",
        "input.format": "auto", "launch.background_gap": "10s", "echo.tolerance": "1s",
        "android.background_grace": "700ms", "duration.max": "7d", "resume.discard": "60s",
        "silence.timeout": "30m", "reorder.timeout": "10s", "reorder.buffer": "32", "reorder.delay": "0",
        "dedupe.window": "7d", "clock_regression.after": "1s", "future.tolerance": "5m",
        "stuck_inactive.after": "60s", "slow_resume.after": "1500ms", "slow_launch.cold.after": "5s",
        "slow_launch.warm.after": "2s", "slow_resign.after": "5s", "inactive_flapping.count": "6",
        "inactive_flapping.within": "10s", "resource.grace": "2s", "overlay.grace": "1s",
        "resource.background": "network,observer,audio", "histogram.max_buckets": "320", "state.ttl": "30d",
        "input.max_record_bytes": "16MiB",
    ]

    // Read once: they are asked for at every event.
    private(set) var reorderTimeout = 0
    private(set) var reorderDelay = 0
    private(set) var windowGrace = 0
    private(set) var windowSizes: [Int] = []
    private(set) var dimensions: [String] = []

    /// - Throws: ``BadOption`` where a value cannot be read in its unit.
    init(_ settings: [String: String]) throws(BadOption) {
        for (key, value) in settings { texts[key] = value }
        for (key, value) in texts where Self.isTime(key) && Self.milliseconds(value) == nil {
            throw BadOption(key: key, value: value)
        }
        reorderTimeout = time("reorder.timeout")
        reorderDelay = time("reorder.delay")
        windowGrace = time("window.grace")
        dimensions = list("group.by")
        for size in list("window.sizes") {
            guard let length = Self.milliseconds(size), length > 0 else {
                throw BadOption(key: "window.sizes", value: size)
            }
            windowSizes.append(length)
        }
    }

    func text(_ key: String) -> String? { texts[key] }
    func number(_ key: String) -> Int { texts[key].flatMap { Int($0) } ?? 0 }
    func time(_ key: String) -> Int { texts[key].flatMap(Self.milliseconds) ?? 0 }
    func list(_ key: String) -> [String] {
        (texts[key] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func isTime(_ key: String) -> Bool {
        let endings = ["after", "within", "grace", "timeout", "delay", "tolerance", "gap", "max", "ttl", "discard"]
        return endings.contains { key.hasSuffix(".\($0)") || key.hasSuffix("_\($0)") } || key == "dedupe.window"
    }

    /// `500ms`, `1.5s`, `10m`, `6h`, `30d`; a bare number is milliseconds.
    static func milliseconds(_ text: String) -> Int? {
        let units = [("ms", 1.0), ("s", 1e3), ("m", 6e4), ("h", 3.6e6), ("d", 8.64e7)]
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces)
        guard let amount = Double(digits) else { return nil }
        if unit.isEmpty { return Int(amount) }
        guard let factor = units.first(where: { $0.0 == unit })?.1 else { return nil }
        return Int((amount * factor).rounded())
    }
}

/// A setting whose value cannot be read.
package struct BadOption: Error, CustomStringConvertible {
    let key: String
    let value: String

    package var description: String { "\(key): no such value: \(value)" }
}
