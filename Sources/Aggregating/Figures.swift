import Lifecycle

/// All figures of one window and group.
///
/// Small until used: 64 bytes inline (``FigureSet`` 16, summaries 16, installations 16, names 16), and heap blocks
/// for what has occurred. With one event 64 + 64 + 64 bytes; each summary adds 72 and 8 a bucket.
package struct Figures: Sendable {
    package private(set) var numbers = FigureSet()
    private var summaryPlaces: UInt8 = 0
    private var summaries: ContiguousArray<Summary> = []
    package internal(set) var installations = HyperLogLog()
    package internal(set) var inactiveByReason = NamedCounts()
    package internal(set) var exitsByReason = NamedCounts()

    package init() {}

    /// The summaries of a record, in its order; raw values are part of the packed form.
    package enum SummaryKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
        case inactive
        case resume
        case launchCold
        case launchWarm
        case viewLoad

        package var name: String {
            switch self {
            case .inactive: "inactive"
            case .resume: Latency.resume.name
            case .launchCold: Latency.launchCold.name
            case .launchWarm: Latency.launchWarm.name
            case .viewLoad: Latency.viewLoad.name
            }
        }
    }

    /// A summary; nil while nothing was measured.
    package subscript(kind: SummaryKind) -> Summary? {
        let bit: UInt8 = 1 << kind.rawValue
        return summaryPlaces & bit == 0 ? nil : summaries[(summaryPlaces & (bit &- 1)).nonzeroBitCount]
    }

    @inline(__always)
    mutating func add(_ value: Int64, to slot: FigureSlot) { numbers.add(value, to: slot) }

    /// Takes in numbers that were counted apart, before any others are.
    mutating func take(_ dense: borrowing DenseFigures) { numbers = dense.set }

    @inline(__always)
    mutating func add(_ value: Int64, to kind: SummaryKind, limit: Int) {
        let place = place(of: kind)
        summaries[place].add(value, limit: limit)
    }

    /// Merges the figures of another part; both with the same limit of buckets.
    mutating func merge(_ other: borrowing Figures, limit: Int) {
        numbers.merge(other.numbers)
        for kind in SummaryKind.allCases {
            guard let summary = other[kind] else { continue }
            merge(summary, into: kind, limit: limit)
        }
        installations.merge(other.installations)
        inactiveByReason.merge(other.inactiveByReason)
        exitsByReason.merge(other.exitsByReason)
    }

    mutating func merge(_ summary: borrowing Summary, into kind: SummaryKind, limit: Int) {
        let place = place(of: kind)
        summaries[place].merge(summary, limit: limit)
    }

    private mutating func place(of kind: SummaryKind) -> Int {
        let bit: UInt8 = 1 << kind.rawValue
        let rank = (summaryPlaces & (bit &- 1)).nonzeroBitCount
        if summaryPlaces & bit == 0 {
            if summaries.isEmpty { summaries.reserveCapacity(1) }
            summaries.insert(Summary(), at: rank)
            summaryPlaces |= bit
        }
        return rank
    }
}

extension Latency {
    @inline(__always)
    var summary: Figures.SummaryKind {
        switch self {
        case .resume: .resume
        case .launchCold: .launchCold
        case .launchWarm: .launchWarm
        case .viewLoad: .viewLoad
        }
    }
}
