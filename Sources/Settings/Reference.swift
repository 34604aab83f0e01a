/// The reference page of the configuration, printed from the table in 80 columns.
package enum Reference {
    package static let width = 80

    /// The whole page, ending in a line feed.
    package static func page() -> String {
        var lines = opening
        for section in SettingSection.allCases {
            let rows = SettingTable.rows.filter { $0.section == section }
            guard !rows.isEmpty else { continue }
            lines += ["", section.rawValue, String(repeating: "-", count: section.rawValue.count)]
            for row in rows { lines += entry(row) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let opening: [String] =
        wrap(
            """
            Configuration: a file of properties (KEY = VALUE, # begins a comment), given with -c FILE. A key can be \
            set by --set KEY=VALUE too, or by a variable of the environment: PHASEFOLD_ and the key in capitals, \
            with _ for every dot. An option counts over the environment, that over the file, that over the default.
            """)
        + [""]
        + wrap(
            """
            Durations take a unit: \(unitNames(Units.durations)). Sizes take \(unitNames(Units.sizes)). Lists are \
            written with commas.
            """)
        + [""]
        + wrap(
            """
            kafka.NAME goes to librdkafka unchanged (kafka.bootstrap.servers, kafka.security.protocol, ...), \
            kafka.consumer.NAME and kafka.producer.NAME to one side of it.
            """)

    private static func entry(_ row: any SettingDescription) -> [String] {
        let fallback = row.fallback.map { $0.isEmpty ? "default: none" : "default \($0)" } ?? row.absence
        return wrap("\(row.name) (\(row.form.summary); \(fallback))", indent: 2, hanging: 6)
            + wrap(row.meaning, indent: 6, hanging: 6)
    }

    private static func unitNames(_ units: [(name: String, factor: Int64)]) -> String {
        units.map(\.name).joined(separator: ", ")
    }

    /// Breaks `text` at blanks so that no line is longer than ``width``; a longer word stands alone.
    package static func wrap(_ text: String, indent: Int = 0, hanging: Int = 0) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += isEmpty ? String(word) : " \(word)"
            isEmpty = false
        }
        if !isEmpty { lines.append(line) }
        return lines
    }
}

extension ValueForm {
    /// What values look like, for the reference page.
    var summary: String {
        switch self {
        case .duration(let range): "duration, \(ValueForm.span(range, Units.durations))"
        case .durations(let range): "durations, \(ValueForm.span(range, Units.durations))"
        case .bytes(let range): "size, \(ValueForm.span(range, Units.sizes))"
        case .count(let range): "count, \(range.lowerBound) to \(range.upperBound)"
        case .ratio: "ratio, 0 to 1 or 0% to 100%"
        case .flag: "true or false"
        case .choice(let choices): choices.count == 1 ? choices[0] : "one of " + choices.joined(separator: ", ")
        case .choices(let choices): "any of " + choices.joined(separator: ", ")
        case .text(let limit): "text of up to \(limit) bytes"
        case .names: "names"
        case .topic: "name of a topic"
        case .topics: "names of topics"
        case .address: "host:port"
        case .secret: "secret"
        }
    }

    private static func span(_ range: ClosedRange<Int64>, _ units: [(name: String, factor: Int64)]) -> String {
        "\(Units.format(range.lowerBound, units)) to \(Units.format(range.upperBound, units))"
    }
}
