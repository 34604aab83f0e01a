import Foundation

/// A value of a record: maps keep the order of their keys.
package indirect enum Field: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([Int])
    case map([Pair])

    package struct Pair: Equatable, Sendable {
        package let key: String
        package let value: Field

        init(_ key: String, _ value: Field) {
            self.key = key
            self.value = value
        }
    }

    /// Compact JSON, UTF-8 unescaped.
    package var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): Self.decimal(value)
        case .text(let value): Self.quoted(value)
        case .list(let values): "[" + values.map(String.init).joined(separator: ",") + "]"
        case .map(let pairs):
            "{" + pairs.map { Self.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    /// Three decimals at most, whole numbers without a fraction.
    private static func decimal(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        if rounded == rounded.rounded(), abs(rounded) < 1e15 { return String(Int(rounded)) }
        return String(rounded)
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{08}": quoted += "\\b"
            case "\u{0C}": quoted += "\\f"
            case _ where scalar.value < 0x20: quoted += "\\u" + String(format: "%04x", scalar.value)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// The final record of one window and group.
package struct Row: Sendable {
    /// Key of the record: start, size and dimension values.
    package let key: String
    package let fields: [Field.Pair]

    package var json: String { Field.map(fields).json }

    private static let namesInAMap = 32

    init(_ place: Totals.Key, _ tally: Tally, _ options: Options) {
        let start = Instant.rfc3339(place.start)
        key = Self.key(start: start, size: place.size, group: place.group)
        var fields: [Field.Pair] = [
            .init("schema", .integer(1)), .init("window_start", .text(start)),
            .init("window_end", .text(Instant.rfc3339(place.start + place.size))),
            .init("window_start_ms", .integer(place.start)), .init("window_ms", .integer(place.size)),
            .init("revision", .integer(1)), .init("final", .bool(true)),
        ]
        fields += zip(options.dimensions, place.group).map { .init($0, .text($1)) }
        fields += [.init("devices", .integer(tally.devices.count)), .init("devices_hll", .text(""))]
        fields += Tally.Count.allCases.map { .init($0.rawValue, .integer(tally.counts[$0] ?? 0)) }
        let buckets = options.number("histogram.max_buckets")
        fields += Tally.Measure.allCases.map {
            .init($0.rawValue, Self.summary(Summary(tally.measures[$0] ?? [], maxBuckets: buckets)))
        }
        fields.append(.init("inactive_by_class", Self.sums(tally.inactiveByClass)))
        fields.append(.init("inactive_by_reason", Self.sums(Self.limited(tally.inactiveByReason, Self.merged))))
        fields += Tally.Span.allCases.map { .init($0.rawValue, Self.sum(tally.spans[$0] ?? .init())) }
        fields.append(.init("inferred", Self.sums(tally.inferred)))
        let anomalies = Dictionary(uniqueKeysWithValues: tally.anomalies.map { ($0.rawValue, $1) })
        fields.append(.init("anomalies", Self.counts(anomalies)))
        fields.append(.init("exits_by_reason", Self.counts(Self.limited(tally.exitsByReason, +))))
        self.fields = fields
    }

    init(key: String, fields: [Field.Pair]) {
        self.key = key
        self.fields = fields
    }

    static func key(start: String, size: Int, group: [String]) -> String {
        ([start, unit(size)] + group.map(escaped)).joined(separator: "/")
    }

    /// A window size in its largest whole unit.
    private static func unit(_ size: Int) -> String {
        let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        guard let whole = units.first(where: { size % $0.0 == 0 }) else { return "\(size)ms" }
        return "\(size / whole.0)\(whole.1)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
    }

    private static func sum(_ sum: Tally.Sum) -> Field {
        .map([.init("count", .integer(sum.count)), .init("sum_ms", .integer(sum.milliseconds))])
    }

    private static func sums(_ sums: [String: Tally.Sum]) -> Field {
        .map(sorted(sums).map { .init($0.key, sum($0.value)) })
    }

    private static func counts(_ counts: [String: Int]) -> Field {
        .map(sorted(counts).map { .init($0.key, .integer($0.value)) })
    }

    private static func sorted<Value>(_ map: [String: Value]) -> [(key: String, value: Value)] {
        map.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func merged(_ one: Tally.Sum, _ other: Tally.Sum) -> Tally.Sum {
        Tally.Sum(count: one.count + other.count, milliseconds: one.milliseconds + other.milliseconds)
    }

    /// Of more names than a record takes, the first in their order; the rest together.
    private static func limited<Value>(
        _ map: [String: Value], _ merge: (Value, Value) -> Value
    ) -> [String: Value] {
        guard map.count > namesInAMap else { return map }
        let names = sorted(map)
        var limited = Dictionary(uniqueKeysWithValues: names.prefix(namesInAMap).map { ($0.key, $0.value) })
        for (_, value) in names.dropFirst(namesInAMap) {
            limited["__other__"] = limited["__other__"].map { merge($0, value) } ?? value
        }
        return limited
    }

    private static func summary(_ summary: Summary) -> Field {
        let quantiles = [50, 90, 95, 99].map { percent in
            Field.Pair("p\(percent)_ms", summary.quantile(percent).map(Field.number) ?? .null)
        }
        let histogram: [Field.Pair] = [
            .init("scale", .integer(summary.scale)), .init("zero_count", .integer(summary.zeroCount)),
            .init("offset", .integer(summary.offset)), .init("counts", .list(summary.buckets)),
        ]
        return .map(
            [
                .init("count", .integer(summary.count)), .init("sum_ms", .integer(summary.sum)),
                .init("min_ms", summary.smallest.map(Field.integer) ?? .null),
                .init("max_ms", summary.largest.map(Field.integer) ?? .null),
            ] + quantiles + [.init("histogram", .map(histogram))])
    }
}
