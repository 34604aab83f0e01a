internal import Foundation
internal import Glibc

/// What was measured, printed line by line as it comes, and the floors that were missed.
struct Report {
    /// What a figure must come to.
    enum Floor {
        case atLeast(Double)
        case atMost(Double)

        func holds(_ value: Double) -> Bool {
            switch self {
            case .atLeast(let bound): value >= bound
            case .atMost(let bound): value <= bound
            }
        }

        var text: String {
            switch self {
            case .atLeast(let bound): "≥ \(Report.number(bound))"
            case .atMost(let bound): "≤ \(Report.number(bound))"
            }
        }
    }

    private(set) var missed: [String] = []
    private var title = ""

    mutating func section(_ title: String) {
        self.title = title
        Self.show("\n\(title)")
    }

    func note(_ name: String, _ text: String) {
        Self.show("  " + name + String(repeating: " ", count: max(1, 48 - name.count)) + text)
    }

    /// At once, so that whoever waits sees how far it is.
    private static func show(_ line: String) {
        print(line)
        _ = fflush(nil)
    }

    /// One figure; where it has a floor, whether it holds.
    mutating func figure(_ name: String, _ value: Double, _ unit: String, digits: Int = 2, floor: Floor? = nil) {
        let number = Self.number(value, digits: digits)
        var text = String(repeating: " ", count: max(0, 12 - number.count)) + number + " " + unit
        if let floor {
            let holds = floor.holds(value)
            text += "   [\(holds ? "pass" : "MISSED"): \(floor.text)]"
            if !holds { missed.append("\(title): \(name)") }
        }
        note(name, text)
    }

    /// Events a CPU-second and nanoseconds an event.
    mutating func speed(_ name: String, events: Int, seconds: Double, floor: Floor? = nil) {
        guard events > 0, seconds > 0 else { return note(name, "nothing measured") }
        figure(name, Double(events) / seconds / 1e6, "M events/CPU-s", floor: floor)
        figure("", seconds * 1e9 / Double(events), "ns/event", digits: 0)
    }

    static func number(_ value: Double, digits: Int = 3) -> String {
        var text = value.formatted(
            .number.precision(.fractionLength(digits)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        while digits == 3, text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
