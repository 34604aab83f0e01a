import Foundation

/// Rows, and what they come to over all groups of an app.
final class GroupSums {
    /// The newest row of each key.
    private var rows: [[UInt8]: [UInt8]] = [:]

    /// Takes those that have changed.
    func take(_ changed: Repeats.Rows) {
        for row in changed { rows[row.key] = row.value }
    }

    /// All figures that add up, by window and app.
    var sums: [String: Int] {
        var sums: [String: Int] = [:]
        for (key, value) in rows {
            let place = Checks.text(key).split(separator: "/").dropLast().joined(separator: "/")
            guard let row = try? JSONSerialization.jsonObject(with: Data(value)) else { continue }
            Self.add(row, at: place, to: &sums)
        }
        return sums
    }

    private static func add(_ value: Any, at place: String, to sums: inout [String: Int]) {
        if let figures = value as? [String: Any] {
            for (name, figure) in figures where !isOwn(name) { add(figure, at: "\(place) \(name)", to: &sums) }
        } else if let number = value as? Int, number != 0 {
            sums[place, default: 0] += number
        }
    }

    /// Whether a figure is one row's own: that of two is not the sum of them.
    private static func isOwn(_ name: String) -> Bool {
        ["schema", "revision", "final", "devices", "histogram"].contains(name) || name.hasPrefix("window_")
            || ["min_ms", "max_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms"].contains(name)
    }
}
