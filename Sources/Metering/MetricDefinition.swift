/// What all rows of ``MetricTable`` have in common.
package protocol MetricDescription: Sendable {
    /// The full name, with the unit where it has one, as Prometheus has it.
    var name: String { get }
    var kind: MetricKind { get }
    var unit: MetricUnit { get }
    /// One sentence.
    var help: String { get }
    /// The names of the labels, in the order in which their values are given.
    var labels: [String] { get }
}

package enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram
}

package enum MetricUnit: String, Sendable {
    /// A plain number.
    case none = ""
    case seconds
    case bytes
    case records
    case events
}

/// A number that only grows.
package struct CounterDefinition: MetricDescription {
    package let name: String
    package let unit: MetricUnit
    package let help: String
    package let labels: [String]
    package var kind: MetricKind { .counter }

    init(_ name: String, _ unit: MetricUnit, _ help: String, labels: [String] = []) {
        self.name = name
        self.unit = unit
        self.help = help
        self.labels = labels
    }
}

/// A number that goes up and down.
package struct GaugeDefinition: MetricDescription {
    package let name: String
    package let unit: MetricUnit
    package let help: String
    package let labels: [String]
    package let kind: MetricKind

    /// - Parameter onlyGrows: it is a counter to its readers, but one that is set, and may have a fraction.
    init(_ name: String, _ unit: MetricUnit, _ help: String, labels: [String] = [], onlyGrows: Bool = false) {
        self.name = name
        self.unit = unit
        self.help = help
        self.labels = labels
        kind = onlyGrows ? .counter : .gauge
    }
}

/// A distribution over fixed buckets.
package struct HistogramDefinition: MetricDescription {
    package let name: String
    package let unit: MetricUnit
    package let help: String
    package let labels: [String]
    /// Upper limits of the buckets, inclusive, ascending; one without a limit follows.
    package let bounds: [Double]
    package var kind: MetricKind { .histogram }

    init(_ name: String, _ unit: MetricUnit, _ help: String, labels: [String] = [], bounds: [Double]) {
        self.name = name
        self.unit = unit
        self.help = help
        self.labels = labels
        self.bounds = bounds
    }
}
