internal import Foundation

// Summaries from the single durations: quantiles and the exponential histogram, all at once where the output makes
// them step by step.
extension Durations {
    private static let finestScale = 5
    private static let mostBuckets = 320

    /// The summary object of the specification.
    func summary() -> String {
        let sorted = values.sorted()
        var parts = ["\"count\":\(sorted.count)", "\"sum_ms\":\(sorted.reduce(0) { $0 + Int64($1) })"]
        guard let least = sorted.first, let most = sorted.last else {
            parts += ["min", "max", "p50", "p90", "p95", "p99"].map { "\"\($0)_ms\":null" }
            parts.append("\"histogram\":{\"scale\":5,\"zero_count\":0,\"offset\":0,\"counts\":[]}")
            return "{" + parts.joined(separator: ",") + "}"
        }
        parts += ["\"min_ms\":\(least)", "\"max_ms\":\(most)"]
        let positive = Array(sorted.drop { $0 == 0 })
        let scale = Self.scale(of: positive)
        for (name, perMille) in [("p50", 500), ("p90", 900), ("p95", 950), ("p99", 990)] {
            let rank = max(1, (sorted.count * perMille + 999) / 1000)
            let middle = Self.middle(sorted[rank - 1], scale: scale, in: Double(least)...Double(most))
            parts.append("\"\(name)_ms\":\(Self.text(middle))")
        }
        let zeros = sorted.count - positive.count
        parts.append("\"histogram\":" + Self.histogram(positive, zeros: zeros, scale: scale))
        return "{" + parts.joined(separator: ",") + "}"
    }

    /// The finest scale at which all values fit into the buckets.
    private static func scale(of sorted: [UInt32]) -> Int {
        guard let least = sorted.first, let most = sorted.last else { return finestScale }
        var scale = finestScale
        while bucket(most, scale) - bucket(least, scale) >= mostBuckets { scale -= 1 }
        return scale
    }

    /// Buckets take their upper bound in.
    private static func bucket(_ value: UInt32, _ scale: Int) -> Int {
        Int((log2(Double(value)) * exp2(Double(scale))).rounded(.up)) - 1
    }

    private static func middle(_ value: UInt32, scale: Int, in range: ClosedRange<Double>) -> Double {
        guard value > 0 else { return 0 }
        let middle = exp2((Double(bucket(value, scale)) + 0.5) / exp2(Double(scale)))
        return min(max(middle, range.lowerBound), range.upperBound)
    }

    private static func text(_ value: Double) -> String {
        let thousandths = Int64((value * 1000).rounded())
        var digits = String(thousandths % 1000 + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(digits)"
    }

    private static func histogram(_ sorted: [UInt32], zeros: Int, scale: Int) -> String {
        var offset = 0
        var counts: [Int] = []
        if let least = sorted.first, let most = sorted.last {
            offset = bucket(least, scale)
            counts = Array(repeating: 0, count: bucket(most, scale) - offset + 1)
            for value in sorted { counts[bucket(value, scale) - offset] += 1 }
        }
        let list = counts.map(String.init).joined(separator: ",")
        return "{\"scale\":\(scale),\"zero_count\":\(zeros),\"offset\":\(offset),\"counts\":[\(list)]}"
    }
}
