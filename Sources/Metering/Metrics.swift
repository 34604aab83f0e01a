internal import Synchronization

/// The series of one program or, in tests, of one of several workers: made at first use, then counted in without
/// a lock by whoever holds the instrument.
package final class Metrics: Sendable {
    enum Instrument: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
    }

    /// By the name of the metric, then by the values of its labels.
    private let families = Mutex<[String: [[String]: Instrument]]>([:])

    package init() {}

    /// The counter of a row for these values of its labels, in the row's order.
    package func counter(_ path: KeyPath<MetricTable, CounterDefinition>, _ labels: String...) -> Counter {
        let row = MetricTable.shared[keyPath: path]
        let made = instrument(row, labels) { .counter(Counter()) }
        guard case .counter(let counter) = made else { preconditionFailure("\(row.name) is no counter") }
        return counter
    }

    package func gauge(_ path: KeyPath<MetricTable, GaugeDefinition>, _ labels: String...) -> Gauge {
        let row = MetricTable.shared[keyPath: path]
        let made = instrument(row, labels) { .gauge(Gauge()) }
        guard case .gauge(let gauge) = made else { preconditionFailure("\(row.name) is no gauge") }
        return gauge
    }

    package func histogram(_ path: KeyPath<MetricTable, HistogramDefinition>, _ labels: String...) -> Histogram {
        let row = MetricTable.shared[keyPath: path]
        let made = instrument(row, labels) { .histogram(Histogram(bounds: row.bounds)) }
        guard case .histogram(let histogram) = made else { preconditionFailure("\(row.name) is no histogram") }
        return histogram
    }

    /// Shows the series no longer, as of a partition that was given up. Counting in it goes on unseen.
    package func remove<Row: MetricDescription>(_ path: KeyPath<MetricTable, Row>, _ labels: String...) {
        let name = MetricTable.shared[keyPath: path].name
        families.withLock { families in families[name]?[labels] = nil }
    }

    private func instrument(
        _ row: some MetricDescription, _ labels: [String], make: () -> Instrument
    ) -> Instrument {
        precondition(labels.count == row.labels.count, "\(row.name) has the labels \(row.labels)")
        return families.withLock { families in
            if let known = families[row.name]?[labels] { return known }
            let new = make()
            families[row.name, default: [:]][labels] = new
            return new
        }
    }

    /// The series of one row, by the values of its labels.
    func series(of row: any MetricDescription) -> [(labels: [String], instrument: Instrument)] {
        let all = families.withLock { families in families[row.name] ?? [:] }
        return all.map { (labels: $0.key, instrument: $0.value) }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
    }
}
