package import Lifecycle

/// Sums contributions per window and group between two commits: what a fold task gives to stage 2.
///
/// Owned by one task and touched on its queue alone. Memory: 600 bytes a cell (one window and group) and 48 in its
/// index, and what ``Figures`` says for what is measured in it; ``isFull`` bounds the number of cells.
package struct Combiner: ~Copyable {
    package let settings: AggregateSettings
    package private(set) var statistics = Statistics()

    /// Since the start, but for ``cells``.
    package struct Statistics: Sendable, Equatable {
        /// Windows and groups that hold figures now.
        package var cells = 0
        /// Contributions whose windows were all final, late events not among them.
        package var expired = 0
        /// Events folded in order whose windows of all sizes were final: late events now.
        package var late = 0
        /// Those of them with an unknown name.
        package var lateOther = 0
        /// Runs of contributions that went to `__other__` because the window had its groups.
        package var overLimit = 0
        /// Contributions that can mean nothing, such as a negative duration.
        package var malformed = 0
    }

    /// Where contributions of one group and window of one size go.
    private struct Target: BitwiseCopyable {
        var start = Int64.max
        var end = Int64.min
        /// Stream time from which on the window is final.
        var finalAt = Int64.min
        var group = UInt32.max
        var cell = -1
    }

    private var cells = CellStore()
    private var index = CellIndex()
    private var groupsOfWindow: [Window: Int] = [:]

    package init(_ settings: AggregateSettings) {
        self.settings = settings
    }

    /// Nothing was gathered since the epoch began.
    package var isEmpty: Bool { cells.count == 0 }

    /// So much was gathered that the epoch should be closed before its time.
    package var isFull: Bool { cells.count >= Self.cellLimit }

    /// Cells of one epoch after which ``isFull`` asks for its end; a batch may pass it.
    package static let cellLimit = 1 << 16

    /// Adds contributions, whose ids are those of `lexicon`.
    package mutating func add(_ contributions: Span<Contribution>, lexicon: borrowing Lexicon) {
        for size in 0..<settings.windows.sizes.count { add(contributions, size: size, lexicon) }
    }

    /// Adds to the windows of one size. What is judged over all sizes is judged with the first.
    private mutating func add(_ contributions: Span<Contribution>, size: Int, _ lexicon: borrowing Lexicon) {
        // Kept from one to the next: most events add several things to one cell.
        var target = Target()
        for place in contributions.indices {
            let contribution = unsafe contributions[unchecked: place]
            if case .lateEvent = contribution.kind {
                if size == 0 { addLate(contribution, lexicon) }
                continue
            }
            // Most say more than nothing, which is right for each kind.
            if contribution.value <= 0, !contribution.canBeRight {
                if size == 0 { statistics.malformed += 1 }
                continue
            }
            if !find(&target, at: contribution.time, contribution, size: size, lexicon) {
                if size == 0 { addFinal(contribution, lexicon) }
            } else if !cells[target.cell].addNumber(contribution) {
                cells[target.cell].add(contribution, limit: settings.maxBuckets, lexicon)
            }
        }
    }

    /// What the window of the first size does not take: perhaps no window does.
    @inline(never)
    private mutating func addFinal(_ contribution: Contribution, _ lexicon: borrowing Lexicon) {
        for size in settings.windows.sizes.dropFirst() {
            let window = Window(start: Windows.start(of: contribution.time, size: size), size: size)
            guard window.isFinal(at: contribution.stream, grace: settings.windows.grace) else { return }
        }
        switch contribution.kind {
        case .event, .otherEvent:
            statistics.late += 1
            if case .otherEvent = contribution.kind { statistics.lateOther += 1 }
            for size in settings.windows.sizes.indices {
                addLate(contribution, size: size, at: contribution.value, lexicon)
            }
        default:
            statistics.expired += 1
        }
    }

    /// A late event counts in the window of its time where that is open, else in that of its receive time.
    private mutating func addLate(_ contribution: Contribution, _ lexicon: borrowing Lexicon) {
        for size in settings.windows.sizes.indices {
            if !addLate(contribution, size: size, at: contribution.time, lexicon) {
                addLate(contribution, size: size, at: contribution.value, lexicon)
            }
        }
    }

    @discardableResult
    private mutating func addLate(
        _ contribution: Contribution, size: Int, at time: Int64, _ lexicon: borrowing Lexicon
    ) -> Bool {
        var target = Target()
        guard find(&target, at: time, contribution, size: size, lexicon) else { return false }
        cells[target.cell].addLateEvent()
        return true
    }

    /// Turns `target` to the window that holds `time` and the group; false where that window is final.
    @inline(__always)
    private mutating func find(
        _ target: inout Target, at time: Int64, _ contribution: Contribution, size: Int, _ lexicon: borrowing Lexicon
    ) -> Bool {
        if time < target.start || time >= target.end || contribution.group != target.group {
            look(&target, at: time, contribution, size: size, lexicon)
        }
        return target.finalAt >= contribution.stream
    }

    @inline(never)
    private mutating func look(
        _ target: inout Target, at time: Int64, _ contribution: Contribution, size: Int, _ lexicon: borrowing Lexicon
    ) {
        let length = settings.windows.sizes[size]
        if time < target.start || time >= target.end {
            target.start = Windows.start(of: time, size: length)
            target.end = target.start + length
            target.finalAt = target.end + settings.windows.grace
        }
        guard target.finalAt >= contribution.stream else {
            target.group = .max
            return
        }
        target.group = contribution.group
        let tag = CellIndex.tag(group: contribution.group, size: size, isOther: false)
        target.cell = index.find(start: target.start, tag: tag)
        if target.cell < 0 {
            let window = Window(start: target.start, size: length)
            target.cell = make(window, size: size, group: contribution.group, lexicon)
        }
    }

    /// A cell for a group that has none yet in this window: its own, or that of its app's `__other__`.
    @inline(never)
    private mutating func make(_ window: Window, size: Int, group: UInt32, _ lexicon: borrowing Lexicon) -> Int {
        let dimensions = lexicon.groups[group]
        let other = Dimensions.other(app: dimensions.app)
        if dimensions != other {
            let groups = groupsOfWindow[window, default: 0]
            if groups < settings.groupLimit {
                groupsOfWindow[window] = groups + 1
                let tag = CellIndex.tag(group: group, size: size, isOther: false)
                return append(CombinerCell(window: window, dimensions: dimensions), tag: tag)
            }
            statistics.overLimit += 1
        }
        let tag = CellIndex.tag(group: dimensions.app, size: size, isOther: true)
        let cell = index.find(start: window.start, tag: tag)
        return cell >= 0 ? cell : append(CombinerCell(window: window, dimensions: other), tag: tag)
    }

    private mutating func append(_ cell: consuming CombinerCell, tag: UInt64) -> Int {
        let start = cell.window.start
        cells.append(cell)
        statistics.cells = cells.count
        index.insert(cells.count - 1, start: start, tag: tag)
        return cells.count - 1
    }

    /// Gives what was gathered, and begins a new epoch.
    mutating func takeCells() -> CellStore {
        index.removeAll()
        groupsOfWindow.removeAll(keepingCapacity: true)
        statistics.cells = 0
        return cells.takeAll()
    }
}

extension Contribution {
    /// Whether its kind can have a value that is not above 0.
    @inline(never)
    fileprivate var canBeRight: Bool {
        switch kind {
        case .event, .otherEvent, .lateEvent: true
        case .inactive, .latency, .interval, .inferred: value == 0
        case .count, .anomaly, .exit: false
        }
    }
}
