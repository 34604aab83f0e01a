internal import Synchronization

/// One series of a counter. Any thread may add; nobody waits.
package final class Counter: Sendable {
    private let bits = Atomic<UInt64>(0)

    init() {}

    package func add(_ amount: UInt64 = 1) {
        bits.wrappingAdd(amount, ordering: .relaxed)
    }

    package var value: UInt64 { bits.load(ordering: .relaxed) }

    /// Takes over a figure that is counted elsewhere; it never goes back.
    package func raise(to amount: UInt64) {
        bits.max(amount, ordering: .relaxed)
    }
}

/// One series of a gauge.
package final class Gauge: Sendable {
    private let bits = Atomic<UInt64>((0.0).bitPattern)

    init() {}

    package func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    package func set(_ value: Int) {
        set(Double(value))
    }

    package func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, current) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = current
        }
    }

    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}

/// One series of a histogram.
package final class Histogram: Sendable {
    package let bounds: [Double]
    /// One a bound, and a last one for what is over all of them.
    private let buckets: [Counter]
    private let total = Gauge()

    init(bounds: [Double]) {
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    package func observe(_ value: Double) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        buckets[index].add()
        total.add(value)
    }

    /// How many values each bucket holds, not cumulative.
    package var counts: [UInt64] { buckets.map(\.value) }
    package var sum: Double { total.value }
}
