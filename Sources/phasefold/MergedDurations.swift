internal import Glibc

/// The summaries of several records, put together as OpenTelemetry merges exponential histograms.
struct MergedDurations {
    private(set) var count = 0
    private(set) var sum: Int = 0
    private var least = Int.max
    private(set) var most = Int.min
    private var scale = Int.max
    private var zeros = 0
    private var buckets: [Int: Int] = [:]

    /// Adds one summary object of a record.
    mutating func add(_ summary: [String: Any]) {
        guard let count = summary["count"] as? Int, count > 0, let sum = summary["sum_ms"] as? Int,
            let histogram = summary["histogram"] as? [String: Any], let scale = histogram["scale"] as? Int,
            let offset = histogram["offset"] as? Int, let counts = histogram["counts"] as? [Int]
        else { return }
        self.count += count
        self.sum += sum
        least = min(least, summary["min_ms"] as? Int ?? least)
        most = max(most, summary["max_ms"] as? Int ?? most)
        zeros += histogram["zero_count"] as? Int ?? 0
        coarsen(to: scale)
        for (index, count) in counts.enumerated() where count > 0 {
            buckets[(offset + index) >> (scale - self.scale), default: 0] += count
        }
    }

    /// One step of the scale joins two buckets.
    private mutating func coarsen(to coarser: Int) {
        guard coarser < scale else { return }
        let steps = scale - coarser
        scale = coarser
        let finer = buckets
        buckets = [:]
        for (index, count) in finer { buckets[index >> steps, default: 0] += count }
    }

    /// The geometric middle of the bucket in which the `share` smallest end, ms; nil where there are no values.
    func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var rank = max(1, Int((share * Double(count)).rounded(.up))) - zeros
        if rank <= 0 { return 0 }
        for (index, count) in buckets.sorted(by: { $0.key < $1.key }) {
            rank -= count
            guard rank <= 0 else { continue }
            let middle = exp2((Double(index) + 0.5) / exp2(Double(scale)))
            return min(max(middle, Double(least)), Double(most))
        }
        return Double(most)
    }
}
