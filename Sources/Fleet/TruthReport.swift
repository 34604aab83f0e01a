internal import Lifecycle

extension Truth {
    /// The rows as NDJSON in the form of the output's records, sorted by key; without `devices_hll`, and with the
    /// exact number of devices.
    package func lines() -> [String] {
        sortedRows().map { $0.row.json(dimensions: zip(shape.groupBy, $0.group).map { ($0.rawValue, $1) }) }
    }

    /// One line of JSON: the sums over all windows of the first size and all groups. Devices that were seen in
    /// several windows count in each.
    package func totals() -> String {
        "{" + sum().figures() + "}"
    }

    /// The sums over all windows of the first size and all groups.
    func sum() -> TruthRow {
        var sum = TruthRow(start: 0, size: 0, group: 0)
        for row in rows where row.size == shape.windows[0] { sum.add(row) }
        return sum
    }

    private func sortedRows() -> [(row: TruthRow, group: [String])] {
        rows.map { ($0, groups[Int($0.group)]) }
            .map { (Self.key($0.0, $0.1), $0) }
            .sorted { Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8)) }
            .map(\.1)
    }

    /// The key under which the output holds the record.
    static func key(_ row: TruthRow, _ group: [String]) -> String {
        let values = group.map { value in
            String(value.flatMap { $0 == "%" ? "%25" : $0 == "/" ? "%2F" : String($0) })
        }
        return ([timestamp(row.start), sizeName(row.size)] + values).joined(separator: "/")
    }

    private static func sizeName(_ size: Int64) -> String {
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")]
        for (unit, name) in units where size % unit == 0 { return "\(size / unit)\(name)" }
        return "\(size)ms"
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`
    static func timestamp(_ time: Int64) -> String {
        let seconds = time / 1000
        let (year, month, day) = civil(seconds / 86_400)
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock.joined(separator: ":"))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// The date of a day after 1970-01-01, by counting years that begin in March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (year + era * 400 + (month >= 10 ? 1 : 0), month >= 10 ? month - 9 : month + 3, day)
    }
}

extension TruthRow {
    mutating func add(_ other: TruthRow) {
        devices += other.devices
        events += other.events
        eventsOther += other.eventsOther
        lateEvents += other.lateEvents
        for index in counters.indices { counters[index] += other.counters[index] }
        inactive.values += other.inactive.values
        for index in latencies.indices { latencies[index].values += other.latencies[index].values }
        Tally.add(other.inactiveByClass, to: &inactiveByClass)
        Tally.add(other.inactiveByReason, to: &inactiveByReason)
        Tally.add(other.intervals, to: &intervals)
        Tally.add(other.inferred, to: &inferred)
        for index in anomalies.indices { anomalies[index] += other.anomalies[index] }
        exits.merge(other.exits, uniquingKeysWith: +)
    }

    func json(dimensions: [(name: String, value: String)]) -> String {
        var parts = [
            "\"schema\":1",
            "\"window_start\":\"\(Truth.timestamp(start))\"",
            "\"window_end\":\"\(Truth.timestamp(start + size))\"",
            "\"window_start_ms\":\(start)",
            "\"window_ms\":\(size)",
            "\"revision\":1",
            "\"final\":true",
        ]
        parts += dimensions.map { "\"\($0.name)\":\"\($0.value)\"" }
        parts.append(figures())
        return "{" + parts.joined(separator: ",") + "}"
    }

    /// The figures in the order of the specification.
    func figures() -> String {
        var parts = ["\"devices\":\(devices)", "\"events\":\(events)", "\"events_other\":\(eventsOther)"]
        parts.append("\"late_events\":\(lateEvents)")
        parts += Counter.allCases.map { "\"\($0.name)\":\(counters[Int($0.rawValue)])" }
        parts.append("\"inactive\":\(inactive.summary())")
        parts += Latency.allCases.map { "\"\($0.name)\":\(latencies[Int($0.rawValue)].summary())" }
        parts.append("\"inactive_by_class\":" + Self.map(InactiveClass.allCases.map(\.name), inactiveByClass))
        parts.append("\"inactive_by_reason\":" + Self.map(Reason.allCases.map { "\($0.name)" }, inactiveByReason))
        parts += IntervalKind.allCases.map { "\"\($0.name)\":\(intervals[Int($0.rawValue)].json)" }
        parts.append("\"inferred\":" + Self.map(Phase.allCases.map(\.name), inferred))
        let codes = Anomaly.allCases.map { (name: $0.code, count: Int(anomalies[Int($0.rawValue)])) }
        parts.append("\"anomalies\":" + Self.map(codes))
        parts.append("\"exits_by_reason\":" + Self.map(exits.map { (name: $0.key, count: $0.value) }))
        return parts.joined(separator: ",")
    }

    private static func map(_ names: [String], _ tallies: [Tally]) -> String {
        let held = zip(names, tallies).filter { $0.1.count > 0 }.sorted { $0.0 < $1.0 }
        return "{" + held.map { "\"\($0.0)\":\($0.1.json)" }.joined(separator: ",") + "}"
    }

    private static func map(_ counts: [(name: String, count: Int)]) -> String {
        let held = counts.filter { $0.count > 0 }.sorted { $0.name < $1.name }
        return "{" + held.map { "\"\($0.name)\":\($0.count)" }.joined(separator: ",") + "}"
    }
}

extension Tally {
    var json: String { "{\"count\":\(count),\"sum_ms\":\(sum)}" }

    static func add(_ others: [Tally], to tallies: inout [Tally]) {
        for index in tallies.indices {
            tallies[index].count += others[index].count
            tallies[index].sum += others[index].sum
        }
    }
}
