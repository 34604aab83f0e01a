import BrokerModel

/// What the members of the group met in one partition where its log was cut short or made anew: whoever compares has
/// to know which records nobody could read any more.
struct Journey {
    /// How the log that was made anew was taken up.
    enum Start {
        /// By a task that went on, and whose states did.
        case kept
        /// By one that began, without an offset.
        case fresh
    }

    private struct Gap {
        var range: Range<Int64>
        /// The reader wanted it, and has to count it.
        var isWanted: Bool
    }

    private var found: [Gap] = []
    /// The sizes of all gaps that were ever met by who wanted them, committed or not.
    private(set) var met: Int64 = 0
    /// Since the log was made anew; nil before anybody reads it.
    private(set) var start: Start?
    /// A reader went over to the new log, and offsets did not tell.
    private(set) var isBlind = false

    /// The first offset that nobody has read yet.
    private(set) var reached: Int64 = 0
    /// Records that were read again, by another task than before.
    private(set) var exposed: Int64 = 0
    /// Counts the tasks that began. What one met counts no more once another has begun.
    private(set) var task = 0
    /// What was committed where each task of a worker began; nil where nothing was.
    private(set) var beginnings: [CommittedOffset?] = []

    /// A task begins where the group is; nil where it has committed nothing.
    mutating func begin(at offset: Int64?) {
        task += 1
        exposed += max(reached - (offset ?? 0), 0)
        // What a task met that did not come to commit it is met again.
        found.removeAll { $0.range.upperBound > offset ?? 0 }
        if offset == nil { start = .fresh }
    }

    /// A worker has a task, and what to begin it with.
    mutating func give(_ committed: CommittedOffset?) { beginnings.append(committed) }

    /// Where it begins that had nothing to go on from.
    mutating func land(at offset: Int64, _ task: Int) {
        if offset > 0, task == self.task { found.append(Gap(range: 0..<offset, isWanted: false)) }
    }

    /// What was wanted is not there.
    mutating func jump(from wanted: Int64, to offset: Int64, _ task: Int) {
        met += max(offset - wanted, 0)
        if task != self.task { return }
        guard offset >= wanted else { return start = .kept }
        found.append(Gap(range: wanted..<offset, isWanted: true))
    }

    mutating func makeAnew() {
        (found, start, isBlind) = ([], nil, false)
    }

    mutating func reach(_ offset: Int64) { reached = max(reached, offset) }

    mutating func goBlind() { isBlind = true }

    /// Offsets that were never read.
    var gaps: [Range<Int64>] { found.map(\.range) }

    /// Offsets before `end` that have been wanted and are in no figure.
    func lost(before end: Int64) -> Int64 {
        found.reduce(0) { $0 + ($1.isWanted && $1.range.upperBound <= end ? Int64($1.range.count) : 0) }
    }
}
