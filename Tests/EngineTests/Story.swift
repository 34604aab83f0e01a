import Foundation
import ReferenceFold
import Testing

/// A short story of events, written down: `0 didBecomeActive; 1000 willResignActive reason=call`.
///
/// Before a name stands the time in ms; after it fields, all as text but numbers and truths. Events without more are
/// of the device `d1`, received as they happen; `rx=5000` tells another time.
struct Story: CustomStringConvertible {
    var text: String
    var settings: [String: String] = [:]

    static let epoch = 1_698_000_000_000

    var description: String { "\(text) \(settings)" }

    var records: [[UInt8]] {
        text.split(separator: ";").map { event in
            let words = event.split(separator: " ").map(String.init)
            let time = Int(words[0]) ?? 0
            var fields = ["device_id": "d1", "app_id": "a", "event": words[1], "ts": String(Self.epoch + time)]
            fields["rx_ts"] = fields["ts"]
            for word in words.dropFirst(2) {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                if parts[0] == "rx" {
                    fields["rx_ts"] = String(Self.epoch + (Int(parts[1]) ?? 0))
                } else {
                    fields[parts[0]] = parts[1]
                }
            }
            let members = fields.sorted { $0.key < $1.key }.map { name, value in
                Int(value) != nil || value == "true" ? "\"\(name)\":\(value)" : "\"\(name)\":\"\(value)\""
            }
            return Array("{\(members.joined(separator: ","))}".utf8)
        }
    }

    private var allSettings: [String: String] {
        ["group.by": "app_id", "window.sizes": "400d"].merging(settings) { $1 }
    }

    /// What the engine made of it; the naive fold must have made the same, but of limits that it does not know.
    func outcome(isCompared: Bool = true) throws -> Outcome {
        let rows = try Folding.rows([records], settings: allSettings)
        guard isCompared else { return try Outcome(rows) }
        let naive = try ReferenceFold(settings: allSettings).fold([.init(records: records)])
        let difference = Comparison.firstDifference(expected: naive.rows, records: rows)
        #expect(difference == nil, "\(self)")
        return try Outcome(rows)
    }
}

/// The rows of a story.
struct Outcome {
    private var rows: [[String: Any]]

    init(_ rows: [[UInt8]]) throws {
        self.rows = try rows.map { row in
            try #require(try JSONSerialization.jsonObject(with: Data(row)) as? [String: Any])
        }
    }

    var count: Int { rows.count }

    /// The sum of a figure over all rows: `foregrounds`, `active.count`, `anomalies.slow_resume`.
    func figure(_ path: String) -> Int {
        rows.reduce(0) { sum, row in
            var value: Any? = row
            for name in path.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
            return sum + ((value as? NSNumber)?.intValue ?? 0)
        }
    }

    /// Everything that was counted or measured but the events themselves, in words; of intervals their sums in ms,
    /// those of inactive ones by class.
    var words: String {
        let counts = [
            "launches_cold", "launches_warm", "background_launches", "foregrounds", "backgrounds", "terminations",
            "background_exits", "resume_discarded", "launch_cold.sum_ms", "launch_warm.sum_ms", "resume.sum_ms",
            "active.sum_ms", "background.sum_ms", "late_events",
        ]
        let maps = [
            ("inactive_by_class", ".sum_ms"), ("inferred", ".sum_ms"), ("anomalies", ""), ("exits_by_reason", ""),
        ]
        let named = maps.flatMap { map, end in
            Set(rows.flatMap { (($0[map] as? [String: Any]) ?? [:]).keys }).sorted().map { "\(map).\($0)\(end)" }
        }
        return (counts + named).filter { figure($0) != 0 }.map { path in
            let name = path.replacing("inactive_by_class.", with: "").replacing("anomalies.", with: "")
            return "\(name.replacing(".sum_ms", with: ""))=\(figure(path))"
        }.joined(separator: " ")
    }
}
