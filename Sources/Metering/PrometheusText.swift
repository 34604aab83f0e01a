extension Metrics {
    /// The media type of ``prometheusText()``.
    package static let prometheusMediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// All series in Prometheus' text form, in the order of the table.
    package func prometheusText() -> String {
        var text = ""
        for row in MetricTable.rows {
            let series = series(of: row)
            guard !series.isEmpty else { continue }
            text += "# HELP \(row.name) \(PrometheusText.escapeHelp(row.help))\n"
            text += "# TYPE \(row.name) \(row.kind.rawValue)\n"
            for (labels, instrument) in series {
                let pairs = Array(zip(row.labels, labels))
                PrometheusText.write(instrument, name: row.name, pairs, to: &text)
            }
        }
        return text
    }
}

/// The lines of one series.
enum PrometheusText {
    static func write(
        _ instrument: Metrics.Instrument, name: String, _ labels: [(String, String)], to text: inout String
    ) {
        switch instrument {
        case .counter(let counter):
            text += "\(name)\(braces(labels)) \(counter.value)\n"
        case .gauge(let gauge):
            text += "\(name)\(braces(labels)) \(number(gauge.value))\n"
        case .histogram(let histogram):
            var cumulative: UInt64 = 0
            let limits = histogram.bounds.map(number) + ["+Inf"]
            for (limit, count) in zip(limits, histogram.counts) {
                cumulative += count
                text += "\(name)_bucket\(braces(labels + [("le", limit)])) \(cumulative)\n"
            }
            text += "\(name)_sum\(braces(labels)) \(number(histogram.sum))\n"
            text += "\(name)_count\(braces(labels)) \(cumulative)\n"
        }
    }

    private static func braces(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escapeLabel($1))\"" }.joined(separator: ",") + "}"
    }

    /// Whole numbers without a fraction, so that counts read as counts.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    static func escapeHelp(_ text: String) -> String {
        escape(text, quotes: false)
    }

    static func escapeLabel(_ text: String) -> String {
        escape(text, quotes: true)
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
