package import Lifecycle

/// What decides the shape of the figures: windows, groups and their limits.
package struct AggregateSettings: Sendable {
    /// `window.sizes` and `window.grace`.
    package var windows: WindowSettings
    /// `group.by`: the dimensions of a record, in their order in it.
    package var groupBy: [Dimension]
    /// `group.limit`: live groups a window (1 to 10⁶); the app's `__other__` groups are not counted in it.
    package var groupLimit: Int
    /// `histogram.max_buckets`: buckets of one histogram (2 to 4096).
    package var maxBuckets: Int
    /// `emit`: which revisions of a record go out.
    package var emission: EmissionMode

    /// Names in a map of reasons; the others are summed under `__other__`.
    package static let reasonLimit = 32

    package init(
        windows: WindowSettings = WindowSettings(), groupBy: [Dimension] = [.app, .platform, .appVersion],
        groupLimit: Int = 10_000, maxBuckets: Int = 320, emission: EmissionMode = .updates
    ) {
        precondition((1...1_000_000).contains(groupLimit), "a window holds 1 to 10⁶ groups")
        precondition((2...4096).contains(maxBuckets), "a histogram holds 2 to 4096 buckets")
        precondition(Set(groupBy).count == groupBy.count, "a dimension is grouped by once")
        self.windows = windows
        self.groupBy = groupBy
        self.groupLimit = groupLimit
        self.maxBuckets = maxBuckets
        self.emission = emission
    }
}

/// Which revisions of a window's record go out.
package enum EmissionMode: Sendable {
    /// A new revision of each changed window every commit, and the final one.
    case updates
    /// The final one alone.
    case final
}

/// The tumbling windows of every size, aligned to the epoch, UTC.
package struct WindowSettings: Sendable, Equatable {
    /// Sizes in ms, ascending, each once; whole seconds up to 400 days.
    package let sizes: [Int64]
    /// How long after its end, in ms of stream time, a window takes late events (0 to 400 days).
    package let grace: Int64

    package static let sizeLimit = 8
    static let day: Int64 = 86_400_000
    /// The longest window and the longest grace.
    static let longest = 400 * day

    package init(sizes: [Int64] = [60_000], grace: Int64 = 21_600_000) {
        let distinct = Set(sizes).sorted()
        precondition((1...Self.sizeLimit).contains(distinct.count), "there are 1 to 8 window sizes")
        for size in distinct {
            precondition(size > 0 && size <= Self.longest && size % 1000 == 0, "whole seconds, up to 400 days")
        }
        precondition((0...Self.longest).contains(grace), "the grace is 0 to 400 days")
        self.sizes = distinct
        self.grace = grace
    }
}
