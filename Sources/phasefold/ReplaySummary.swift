internal import Aggregating
internal import Engine
internal import Foundation
internal import Settings

/// The table for people: what came of the input over all windows of the first size.
struct ReplaySummary {
    private static let latencies = ["launch_cold", "launch_warm", "resume", "inactive", "view_load"]
    private static let intervals = ["active", "background", "view_visible"]
    private static let counters = [
        "foregrounds", "backgrounds", "launches_cold", "launches_warm", "background_launches", "terminations",
        "background_exits", "handovers", "recreates", "cancelled_transitions", "resume_discarded",
    ]
    private static let groupsShown = 10

    private struct Interval {
        var count = 0
        var sum = 0

        mutating func add(_ entry: [String: Any]) {
            count += entry["count"] as? Int ?? 0
            sum += entry["sum_ms"] as? Int ?? 0
        }
    }

    /// What is shown of one group.
    private struct Group {
        var events = 0
        var anomalies = 0
        var cold = MergedDurations()
        var resume = MergedDurations()
    }

    private let events: EngineCounts
    private let devices: Int
    /// As the event log of Android tells them, ms.
    private var systemLaunches: [Double] = []
    private let dimensions: [String]
    private var windows: Set<Int> = []
    private let size: Int
    private var durations: [String: MergedDurations] = [:]
    private var intervalsByName: [String: Interval] = [:]
    private var classes: [String: Interval] = [:]
    private var inferred: [String: Interval] = [:]
    private var counts: [String: Int] = [:]
    private var anomalies: [String: Int] = [:]
    private var exits: [String: Int] = [:]
    private var groups: [String: Group] = [:]

    init(_ outcome: ReplayOutcome, _ settings: Settings) {
        self.init(outcome.counts, devices: outcome.devices, settings)
        systemLaunches = outcome.systemLaunches
        for index in 0..<outcome.rows.count { outcome.rows.withRecord(index) { _, value in add(value) } }
    }

    /// - Parameters:
    ///   - events: what became of the events.
    ///   - devices: installations that were met.
    init(_ events: EngineCounts, devices: Int, _ settings: Settings) {
        self.events = events
        self.devices = devices
        dimensions = settings.groupBy.map(\.rawValue)
        size = Int(settings.windowSizes.first ?? 0)
    }

    /// Adds one row of the output.
    mutating func add(_ value: RawSpan) {
        let row = unsafe value.withUnsafeBytes { bytes in
            unsafe (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        }
        if let row, row["window_ms"] as? Int == size { add(row) }
    }

    private mutating func add(_ row: [String: Any]) {
        if let start = row["window_start_ms"] as? Int { windows.insert(start) }
        for name in Self.latencies {
            durations[name, default: MergedDurations()].add(row[name] as? [String: Any] ?? [:])
        }
        for name in Self.intervals {
            intervalsByName[name, default: Interval()].add(row[name] as? [String: Any] ?? [:])
        }
        for (name, entry) in row["inactive_by_class"] as? [String: [String: Any]] ?? [:] {
            classes[name, default: Interval()].add(entry)
        }
        for (name, entry) in row["inferred"] as? [String: [String: Any]] ?? [:] {
            inferred[name, default: Interval()].add(entry)
        }
        for name in Self.counters { counts[name, default: 0] += row[name] as? Int ?? 0 }
        let found = row["anomalies"] as? [String: Int] ?? [:]
        anomalies.merge(found, uniquingKeysWith: +)
        exits.merge(row["exits_by_reason"] as? [String: Int] ?? [:], uniquingKeysWith: +)

        let name = dimensions.map { row[$0] as? String ?? "" }.joined(separator: " ")
        var group = groups[name] ?? Group()
        group.events += row["events"] as? Int ?? 0
        group.anomalies += found.values.reduce(0, +)
        group.cold.add(row["launch_cold"] as? [String: Any] ?? [:])
        group.resume.add(row["resume"] as? [String: Any] ?? [:])
        groups[name] = group
    }

    // MARK: The page

    /// All tables, in 80 columns.
    func page() -> String {
        var lines = opening() + durationTable() + intervalTable()
        lines += Self.list("counts", counts.filter { $0.value > 0 })
        lines += Self.list("anomalies", anomalies) + Self.list("exits", exits)
        lines += groupTable()
        return lines.joined(separator: "\n") + "\n"
    }

    private func opening() -> [String] {
        let parts: [(String, Int)] = [
            ("folded", events.folded), ("with another name", events.other), ("duplicates", events.duplicates),
            ("late", events.late), ("of other telemetry", events.otherTelemetry), ("not read", events.deadLettered),
        ]
        let shown = parts.filter { $0.1 > 0 || $0.0 == "folded" }.map { "\(Figures.grouped($0.1)) \($0.0)" }
        var lines = Reference.wrap(shown.joined(separator: ", "), indent: 9, hanging: 9)
        lines[0] = "events   " + lines[0].dropFirst(9)
        lines.append("devices  \(Figures.grouped(devices))")
        guard let first = windows.min(), let last = windows.max() else { return lines }
        let count = "\(Figures.grouped(windows.count)) of \(Figures.size(size))"
        lines.append("windows  \(count), \(Self.stamp(first)) to \(Self.stamp(last + size)) UTC")
        return lines
    }

    private func durationTable() -> [String] {
        let shares = [0.5, 0.9, 0.95, 0.99]
        var rows = Self.latencies.compactMap { name -> (String, [String])? in
            guard let durations = durations[name], durations.count > 0 else { return nil }
            let quantiles = shares.map { durations.quantile($0) } + [Double(durations.most)]
            return (name, [Figures.grouped(durations.count)] + quantiles.map(Self.text))
        }
        let launches = systemLaunches.sorted()
        if !launches.isEmpty {
            let ranks = (shares + [1]).map { Int(($0 * Double(launches.count)).rounded(.up)) }
            let cells = ranks.map { Self.text(launches[max(0, $0 - 1)]) }
            rows.append(("launch (Android log)", [Figures.grouped(launches.count)] + cells))
        }
        guard !rows.isEmpty else { return [] }
        return ["", Self.row("duration", ["count", "p50", "p90", "p95", "p99", "max"])] + rows.map(Self.row)
    }

    private func intervalTable() -> [String] {
        var rows = classes.sorted { $0.key < $1.key }.map { ("inactive: \($0.key)", $0.value) }
        rows += Self.intervals.compactMap { name in intervalsByName[name].map { (name, $0) } }
        rows += inferred.sorted { $0.key < $1.key }.map { ("inferred: \($0.key)", $0.value) }
        rows = rows.filter { $0.1.count > 0 }
        guard !rows.isEmpty else { return [] }
        return ["", Self.row("interval", ["count", "mean"])]
            + rows.map { name, interval in
                let mean = Double(interval.sum) / Double(interval.count)
                return Self.row(name, [Figures.grouped(interval.count), Figures.duration(mean)])
            }
    }

    private func groupTable() -> [String] {
        guard groups.count > 1 else { return [] }
        let sorted = groups.sorted { ($1.value.events, $0.key) < ($0.value.events, $1.key) }
        var lines = [
            "", Self.row(dimensions.joined(separator: " "), ["events", "cold p95", "resume p95", "anomalies"]),
        ]
        for (name, group) in sorted.prefix(Self.groupsShown) {
            let figures = [Self.text(group.cold.quantile(0.95)), Self.text(group.resume.quantile(0.95))]
            lines.append(
                Self.row(name, [Figures.grouped(group.events)] + figures + [Figures.grouped(group.anomalies)]))
        }
        if sorted.count > Self.groupsShown { lines.append("and \(sorted.count - Self.groupsShown) more") }
        return lines
    }

    private static func list(_ title: String, _ counts: [String: Int]) -> [String] {
        guard !counts.isEmpty else { return [] }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ["", row(title, ["count"])] + sorted.map { row($0.key, [Figures.grouped($0.value)]) }
    }

    /// A name on the left, figures in columns of ten or more on the right; a long name is cut.
    private static func row(_ name: String, _ cells: [String]) -> String {
        let right = cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
        let room = max(20, Reference.width - right.count)
        let width = cells.count > 3 && cells.count < 6 ? room : min(room, 24)
        let shown = name.count > width ? String(name.prefix(width - 3)) + "..." : name
        return shown + String(repeating: " ", count: width - shown.count) + right
    }

    private static func text(_ milliseconds: Double?) -> String {
        milliseconds.map(Figures.duration) ?? "-"
    }

    private static func stamp(_ milliseconds: Int) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(.iso8601.year().month().day().dateSeparator(.dash))
            + " " + date.formatted(.iso8601.time(includingFractionalSeconds: false).timeSeparator(.colon))
    }
}
