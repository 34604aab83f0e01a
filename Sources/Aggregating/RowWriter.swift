import Lifecycle

/// The output record of one window and group: its key, and one compact JSON object with every field in its order.
extension RecordBatch {
    mutating func append(row cell: borrowing WindowTotals.Cell, isFinal: Bool, settings: AggregateSettings) {
        let start = bytes.count
        bytes.append(keyOf: cell.window, group: cell.group, groupBy: settings.groupBy)
        let middle = bytes.count
        bytes.append(head: cell, isFinal: isFinal, groupBy: settings.groupBy)
        bytes.append(figures: cell.figures, limit: settings.maxBuckets)
        bytes.append(UInt8(ascii: "}"))
        let route = cell.window.route(app: cell.group[.app])
        records.append(Record(key: start..<middle, value: middle..<bytes.count, route: route))
    }
}

extension ContiguousArray<UInt8> {
    private static var schema: Int64 { 1 }

    fileprivate mutating func append(
        head cell: borrowing WindowTotals.Cell, isFinal: Bool, groupBy: [Dimension]
    ) {
        append(ascii: "{\"schema\":")
        append(decimal: Self.schema)
        append(ascii: ",\"window_start\":\"")
        append(date: cell.window.start)
        append(ascii: "\",\"window_end\":\"")
        append(date: cell.window.end)
        append(ascii: "\",\"window_start_ms\":")
        append(decimal: cell.window.start)
        append(ascii: ",\"window_ms\":")
        append(decimal: cell.window.size)
        append(ascii: ",\"revision\":")
        append(decimal: cell.revision, digits: 1)
        append(ascii: isFinal ? ",\"final\":true" : ",\"final\":false")
        for dimension in groupBy {
            append(field: dimension.name)
            append(json: cell.group[dimension])
        }
    }

    fileprivate mutating func append(figures: borrowing Figures, limit: Int) {
        append(field: "devices")
        append(decimal: figures.installations.estimate)
        append(field: "devices_hll")
        append(sketch: figures.installations)
        append(field: "events", figures.numbers[.events])
        append(field: "events_other", figures.numbers[.eventsOther])
        append(field: "late_events", figures.numbers[.lateEvents])
        for counter in Counter.allCases { append(field: counter.name, figures.numbers[.counter(counter)]) }
        for kind in Figures.SummaryKind.allCases {
            append(field: kind.name)
            append(summary: figures[kind] ?? Summary(), limit: limit)
        }
        append(field: "inactive_by_class")
        appendMap(InactiveClass.allCases, of: figures.numbers) { each in
            (each.name, .count(each), .sum(each))
        }
        append(field: "inactive_by_reason")
        append(names: figures.inactiveByReason, hasSums: true)
        for interval in IntervalKind.allCases {
            append(field: interval.name)
            append(count: figures.numbers[.count(interval)], sum: figures.numbers[.sum(interval)])
        }
        append(field: "inferred")
        appendMap(Phase.allCases.sorted { $0.name < $1.name }, of: figures.numbers) { each in
            (each.name, .count(inferred: each), .sum(inferred: each))
        }
        append(field: "anomalies")
        append(anomalies: figures.numbers)
        append(field: "exits_by_reason")
        append(names: figures.exitsByReason, hasSums: false)
    }

    private mutating func append(summary: borrowing Summary, limit: Int) {
        let buckets = summary.histogram.buckets(limit: limit)
        append(ascii: "{\"count\":")
        append(decimal: summary.count)
        append(ascii: ",\"sum_ms\":")
        append(decimal: summary.sum)
        append(ascii: ",\"min_ms\":")
        append(orNull: summary.count > 0 ? summary.min : nil)
        append(ascii: ",\"max_ms\":")
        append(orNull: summary.count > 0 ? summary.max : nil)
        for place in Summary.percents.indices {
            let percent = Summary.percents[place]
            append(ascii: ",\"p")
            append(decimal: percent)
            append(ascii: "_ms\":")
            append(quantile: summary.quantile(percent, buckets: buckets))
        }
        append(ascii: ",\"histogram\":{\"scale\":")
        append(decimal: Int64(buckets.scale))
        append(ascii: ",\"zero_count\":")
        append(decimal: summary.histogram.zeroCount, digits: 1)
        append(ascii: ",\"offset\":")
        append(decimal: Int64(buckets.offset))
        append(ascii: ",\"counts\":[")
        for (place, count) in buckets.counts.enumerated() {
            if place > 0 { append(UInt8(ascii: ",")) }
            append(decimal: count, digits: 1)
        }
        append(ascii: "]}}")
    }

    private mutating func append(names: borrowing NamedCounts, hasSums: Bool) {
        append(UInt8(ascii: "{"))
        for (place, entry) in names.entries.enumerated() {
            if place > 0 { append(UInt8(ascii: ",")) }
            append(json: entry.name)
            append(UInt8(ascii: ":"))
            if hasSums { append(count: entry.count, sum: entry.sum) } else { append(decimal: entry.count) }
        }
        append(UInt8(ascii: "}"))
    }

    /// Those of `cases`, which are in the order of their names, that have occurred.
    private mutating func appendMap<Case>(
        _ cases: [Case], of numbers: borrowing FigureSet,
        figures: (Case) -> (name: String, count: FigureSlot, sum: FigureSlot)
    ) {
        append(UInt8(ascii: "{"))
        var isFirst = true
        for each in cases {
            let (name, count, sum) = figures(each)
            guard numbers[count] > 0 else { continue }
            append(memberName: name, isFirst: &isFirst)
            append(count: numbers[count], sum: numbers[sum])
        }
        append(UInt8(ascii: "}"))
    }

    private mutating func append(anomalies numbers: borrowing FigureSet) {
        append(UInt8(ascii: "{"))
        var isFirst = true
        for anomaly in Anomaly.allCases where numbers[.anomaly(anomaly)] > 0 {
            append(memberName: anomaly.code, isFirst: &isFirst)
            append(decimal: numbers[.anomaly(anomaly)])
        }
        append(UInt8(ascii: "}"))
    }

    private mutating func append(count: Int64, sum: Int64) {
        append(ascii: "{\"count\":")
        append(decimal: count)
        append(ascii: ",\"sum_ms\":")
        append(decimal: sum)
        append(UInt8(ascii: "}"))
    }

    /// `,"name":` of a field that is not the first; names need no escape.
    private mutating func append(field name: String) {
        append(ascii: ",\"")
        append(contentsOf: name.utf8)
        append(ascii: "\":")
    }

    private mutating func append(field name: String, _ value: Int64) {
        append(field: name)
        append(decimal: value)
    }

    private mutating func append(memberName name: String, isFirst: inout Bool) {
        append(ascii: isFirst ? "\"" : ",\"")
        append(contentsOf: name.utf8)
        append(ascii: "\":")
        isFirst = false
    }
}
