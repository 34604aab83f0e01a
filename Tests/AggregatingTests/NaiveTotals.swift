import Lifecycle

@testable import Aggregating

/// A contribution with texts in place of ids, so that every source can have a lexicon of its own.
struct Deed {
    var kind: Contribution.Kind
    var value: Int64 = 1
    var time: Int64
    var stream: Int64
    /// Platform and version within the app.
    var group: [String] = ["com.example.app", "ios", "1.0"]
    var text = ""
    var installation: UInt64 = 0

    func contribution(_ lexicon: inout Lexicon) -> Contribution {
        let dimensions = Dimensions(
            app: lexicon.texts.intern(group[0]), platform: lexicon.texts.intern(group[1]),
            appVersion: lexicon.texts.intern(group[2]))
        return Contribution(
            kind, value: value, time: time, stream: stream, group: lexicon.groups.intern(dimensions),
            text: lexicon.texts.intern(text), installation: installation)
    }
}

/// The specification taken literally: lists of everything, added up at the end, rows as strings.
struct NaiveTotals {
    struct Key: Hashable {
        var start: Int64
        var size: Int64
        var group: [String]
    }

    struct Cell {
        var counts: [String: Int64] = [:]
        var durations: [String: [Int64]] = [:]
        var installations: Set<UInt64> = []
        var exits: [String: Int64] = [:]

        mutating func count(_ name: String, _ value: Int64 = 1) { counts[name, default: 0] += value }
        mutating func measure(_ name: String, _ value: Int64) { durations[name, default: []].append(value) }
    }

    let settings: AggregateSettings
    private(set) var cells: [Key: Cell] = [:]

    init(_ settings: AggregateSettings) { self.settings = settings }

    mutating func add(_ deed: Deed) {
        if deed.kind == .lateEvent {
            for size in settings.windows.sizes {
                let time = isOpen(deed.time, size, deed.stream) ? deed.time : deed.value
                add(deed, time: time, size: size) { cell in Self.addLate(&cell) }
            }
            return
        }
        let open = settings.windows.sizes.filter { isOpen(deed.time, $0, deed.stream) }
        for size in open { add(deed, time: deed.time, size: size) { cell in Self.add(deed, &cell) } }
        guard open.isEmpty, deed.kind == .event || deed.kind == .otherEvent else { return }
        for size in settings.windows.sizes {
            add(deed, time: deed.value, size: size) { cell in Self.addLate(&cell) }
        }
    }

    private func start(_ time: Int64, _ size: Int64) -> Int64 {
        var start = time / size * size
        while start > time { start -= size }
        return start
    }

    private func isOpen(_ time: Int64, _ size: Int64, _ stream: Int64) -> Bool {
        start(time, size) + size + settings.windows.grace >= stream
    }

    private mutating func add(_ deed: Deed, time: Int64, size: Int64, _ body: (inout Cell) -> Void) {
        guard isOpen(time, size, deed.stream) else { return }
        body(&cells[Key(start: start(time, size), size: size, group: deed.group), default: Cell()])
    }

    private static func addLate(_ cell: inout Cell) {
        cell.count("late_events")
        cell.count("anomaly late_event")
    }

    private static func add(_ deed: Deed, _ cell: inout Cell) {
        switch deed.kind {
        case .event, .otherEvent:
            cell.count(deed.kind == .event ? "events" : "events_other")
            cell.installations.insert(deed.installation)
        case .lateEvent: break
        case .count(let counter): cell.count(counter.name, deed.value)
        case .anomaly(let anomaly): cell.count("anomaly \(anomaly.code)", deed.value)
        case .latency(let latency): cell.measure(latency.name, deed.value)
        case .interval(let interval): cell.measure(interval.name, deed.value)
        case .inferred(let phase): cell.measure("inferred \(phase.name)", deed.value)
        case .exit: cell.exits[deed.text.isEmpty ? "unknown" : deed.text, default: 0] += 1
        case .inactive(let inactiveClass):
            cell.measure("inactive", deed.value)
            cell.measure("class \(inactiveClass.name)", deed.value)
            if !deed.text.isEmpty { cell.measure("reason \(deed.text)", deed.value) }
        }
    }
}

extension NaiveTotals {
    /// Key and value of every row, sorted by key, each final in its first revision.
    func rows() -> [(key: String, value: String)] {
        cells.map { (key: name($0.key), value: row($0.key, $0.value)) }
            .sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
    }

    private func date(_ milliseconds: Int64) -> String {
        var bytes = ContiguousArray<UInt8>()
        bytes.append(date: milliseconds)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func name(_ key: Key) -> String {
        let unit = key.size % 3_600_000 == 0 ? "\(key.size / 3_600_000)h" : "\(key.size / 60_000)m"
        let escaped = key.group.map { text in
            text.map { $0 == "/" ? "%2F" : $0 == "%" ? "%25" : String($0) }.joined()
        }
        return ([date(key.start), unit] + escaped).joined(separator: "/")
    }

    private func quoted(_ text: String) -> String {
        let escapes: [Character: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\u{1}": "\\u0001"]
        return "\"" + text.map { escapes[$0] ?? String($0) }.joined() + "\""
    }

    private func row(_ key: Key, _ cell: Cell) -> String {
        func count(_ name: String) -> String { "\"\(name)\":\(cell.counts[name] ?? 0)" }
        func map(_ prefix: String) -> [String: String] {
            var found: [String: String] = [:]
            for (name, values) in cell.durations where name.hasPrefix(prefix) {
                found[String(name.dropFirst(prefix.count))] = total(values)
            }
            return found
        }
        var sketch = HyperLogLog()
        for installation in cell.installations { sketch.add(installation: installation) }
        var base64 = ContiguousArray<UInt8>()
        base64.append(sketch: sketch)
        var anomalies: [String: String] = [:]
        for (name, value) in cell.counts where name.hasPrefix("anomaly ") {
            anomalies[String(name.dropFirst(8))] = "\(value)"
        }
        var reasons: [String: [Int64]] = [:]
        for (name, values) in cell.durations where name.hasPrefix("reason ") {
            reasons[String(name.dropFirst(7))] = values
        }
        var fields = [
            "\"schema\":1", "\"window_start\":\"\(date(key.start))\"",
            "\"window_end\":\"\(date(key.start + key.size))\"", "\"window_start_ms\":\(key.start)",
            "\"window_ms\":\(key.size)", "\"revision\":1", "\"final\":true",
        ]
        fields += zip(settings.groupBy, key.group).map { "\"\($0.name)\":\(quoted($1))" }
        fields += ["\"devices\":\(sketch.estimate)", "\"devices_hll\":" + String(decoding: base64, as: UTF8.self)]
        fields += ["events", "events_other", "late_events"].map(count)
        fields += Counter.allCases.map { count($0.name) }
        for name in ["inactive", "resume", "launch_cold", "launch_warm", "view_load"] {
            fields.append("\"\(name)\":" + summary(cell.durations[name] ?? []))
        }
        fields.append("\"inactive_by_class\":" + object(map("class ")))
        fields.append("\"inactive_by_reason\":" + object(limited(reasons, +).mapValues { total($0) }))
        fields += ["active", "background", "view_visible"].map { "\"\($0)\":" + total(cell.durations[$0] ?? []) }
        fields.append("\"inferred\":" + object(map("inferred ")))
        fields.append("\"anomalies\":" + object(anomalies))
        fields.append("\"exits_by_reason\":" + object(limited(cell.exits, +).mapValues { "\($0)" }))
        return "{" + fields.joined(separator: ",") + "}"
    }

    private func total(_ values: [Int64]) -> String {
        "{\"count\":\(values.count),\"sum_ms\":\(values.reduce(0, +))}"
    }

    /// The 32 smallest names; the others under `__other__`.
    private func limited<Value>(_ all: [String: Value], _ add: (Value, Value) -> Value) -> [String: Value] {
        let names = all.keys.filter { $0 != "__other__" }
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let kept = Set(names.prefix(32))
        var result: [String: Value] = [:]
        for (name, value) in all {
            let name = kept.contains(name) ? name : "__other__"
            if let sum = result[name] { result[name] = add(sum, value) } else { result[name] = value }
        }
        return result
    }

    private func object(_ members: [String: String]) -> String {
        let sorted = members.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
        return "{" + sorted.map { "\(quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
    }

    private func summary(_ values: [Int64]) -> String {
        let indexes = values.filter { $0 > 0 }.map { Int(BucketIndex.of($0)) }
        var shift = 0
        if let low = indexes.min(), let high = indexes.max() {
            while (high >> shift) - (low >> shift) + 1 > settings.maxBuckets { shift += 1 }
        }
        let places = indexes.map { $0 >> shift }
        let offset = places.min() ?? 0
        let span = places.isEmpty ? offset..<offset : offset..<((places.max() ?? offset) + 1)
        let counts = span.map { each in places.count { $0 == each } }
        let sorted = values.sorted()
        func quantile(_ percent: Int) -> String {
            guard let smallest = sorted.first, let largest = sorted.last else { return "null" }
            let value = sorted[max(1, (sorted.count * percent + 99) / 100) - 1]
            let middle = value == 0 ? 0 : BucketIndex.middle(BucketIndex.of(value) >> Int32(shift), scale: 5 - shift)
            let rounded = (min(max(middle, Double(smallest)), Double(largest)) * 1000).rounded() / 1000
            let text = "\(rounded)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        let bounds = [sorted.first, sorted.last].map { $0.map { "\($0)" } ?? "null" }
        return "{\"count\":\(values.count),\"sum_ms\":\(values.reduce(0, +)),\"min_ms\":\(bounds[0]),"
            + "\"max_ms\":\(bounds[1]),\"p50_ms\":\(quantile(50)),\"p90_ms\":\(quantile(90)),"
            + "\"p95_ms\":\(quantile(95)),\"p99_ms\":\(quantile(99)),\"histogram\":{\"scale\":\(5 - shift),"
            + "\"zero_count\":\(values.count { $0 == 0 }),\"offset\":\(offset),"
            + "\"counts\":[\(counts.map { "\($0)" }.joined(separator: ","))]}}"
    }
}
