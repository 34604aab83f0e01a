package import Lifecycle

/// Sums contributions per window and group between two commits: what a fold task gives to stage 2.
///
/// Owned by one task and touched on its queue alone. Memory: 128 bytes a cell (one window and group) and 48 in its
/// index, and what ``Figures`` says for what occurred in it; ``isFull`` bounds the number of cells.
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
        /// Runs of contributions that went to `__other__` because the window had its groups.
        package var overLimit = 0
        /// Contributions that can mean nothing, such as a negative duration.
        package var malformed = 0
    }

    /// One window and group.
    struct Cell {
        var window: Window
        var dimensions: Dimensions
        var figures = Figures()
        var reasons = TextCounts()
        var exits = TextCounts()
        /// Exits for which no reason was sent.
        var unexplainedExits: Int64 = 0
    }

    /// The cell that was used last in windows of one size: most events add several things to the same.
    private struct Recent: BitwiseCopyable {
        var start = Int64.max
        var end = Int64.min
        var finalAt = Int64.min
        var group = UInt32.max
        /// −1 where none was used yet.
        var cell = -1
    }

    private var cells: ContiguousArray<Cell> = []
    private var index = CellIndex()
    private var recent: ContiguousArray<Recent>
    private var groupsOfWindow: [Window: Int] = [:]

    package init(_ settings: AggregateSettings) {
        self.settings = settings
        recent = ContiguousArray(repeating: Recent(), count: settings.windows.sizes.count)
    }

    /// Nothing was gathered since the epoch began.
    package var isEmpty: Bool { cells.isEmpty }

    /// So much was gathered that the epoch should be closed before its time.
    package var isFull: Bool { cells.count >= Self.cellLimit }

    /// Cells of one epoch after which ``isFull`` asks for its end; a batch may pass it.
    package static let cellLimit = 1 << 18

    /// Adds contributions, whose ids are those of `lexicon`.
    package mutating func add(_ contributions: Span<Contribution>, lexicon: borrowing Lexicon) {
        for place in contributions.indices {
            let contribution = contributions[place]
            switch contribution.kind {
            case .event, .otherEvent:
                break
            case .lateEvent:
                addLate(contribution, lexicon)
                continue
            case .inactive, .latency, .interval, .inferred:
                if contribution.value < 0 {
                    statistics.malformed += 1
                    continue
                }
            case .count, .anomaly, .exit:
                if contribution.value <= 0 {
                    statistics.malformed += 1
                    continue
                }
            }
            var isOpen = false
            for size in 0..<recent.count {
                let cell = self.cell(at: contribution.time, size: size, contribution, lexicon)
                guard cell >= 0 else { continue }
                isOpen = true
                cells[cell].add(contribution, limit: settings.maxBuckets, texts: lexicon.texts)
            }
            if !isOpen { addFinal(contribution, lexicon) }
        }
    }

    /// What no window takes at its own time.
    @inline(never)
    private mutating func addFinal(_ contribution: Contribution, _ lexicon: borrowing Lexicon) {
        switch contribution.kind {
        case .event, .otherEvent:
            statistics.late += 1
            for size in 0..<recent.count { addLate(contribution, size: size, at: contribution.value, lexicon) }
        default:
            statistics.expired += 1
        }
    }

    /// A late event counts in the window of its time where that is open, else in that of its receive time.
    @inline(never)
    private mutating func addLate(_ contribution: Contribution, _ lexicon: borrowing Lexicon) {
        for size in 0..<recent.count {
            if !addLate(contribution, size: size, at: contribution.time, lexicon) {
                addLate(contribution, size: size, at: contribution.value, lexicon)
            }
        }
    }

    @discardableResult
    private mutating func addLate(
        _ contribution: Contribution, size: Int, at time: Int64, _ lexicon: borrowing Lexicon
    ) -> Bool {
        let cell = self.cell(at: time, size: size, contribution, lexicon)
        guard cell >= 0 else { return false }
        cells[cell].figures.add(1, to: .lateEvents)
        cells[cell].figures.add(1, to: .anomaly(.lateEvent))
        return true
    }

    /// The cell of the window of one size that holds `time`, or −1 where that window is final.
    @inline(__always)
    private mutating func cell(
        at time: Int64, size: Int, _ contribution: Contribution, _ lexicon: borrowing Lexicon
    ) -> Int {
        let last = recent[size]
        if time >= last.start, time < last.end, contribution.group == last.group {
            return last.finalAt <= contribution.stream ? -1 : last.cell
        }
        return look(at: time, size: size, contribution, lexicon)
    }

    @inline(never)
    private mutating func look(
        at time: Int64, size: Int, _ contribution: Contribution, _ lexicon: borrowing Lexicon
    ) -> Int {
        var next = recent[size]
        let length = settings.windows.sizes[size]
        if time < next.start || time >= next.end {
            next.start = Windows.start(of: time, size: length)
            next.end = next.start + length
            next.finalAt = next.end + settings.windows.grace
        }
        guard next.finalAt > contribution.stream else { return -1 }
        next.group = contribution.group
        let tag = CellIndex.tag(group: contribution.group, size: size, isOther: false)
        next.cell = index.find(start: next.start, tag: tag)
        if next.cell < 0 {
            let window = Window(start: next.start, size: length)
            next.cell = make(window, size: size, group: contribution.group, lexicon)
        }
        recent[size] = next
        return next.cell
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
                return append(Cell(window: window, dimensions: dimensions), tag: tag)
            }
            statistics.overLimit += 1
        }
        let tag = CellIndex.tag(group: dimensions.app, size: size, isOther: true)
        let cell = index.find(start: window.start, tag: tag)
        return cell >= 0 ? cell : append(Cell(window: window, dimensions: other), tag: tag)
    }

    private mutating func append(_ cell: Cell, tag: UInt64) -> Int {
        cells.append(cell)
        statistics.cells = cells.count
        index.insert(cells.count - 1, start: cell.window.start, tag: tag)
        return cells.count - 1
    }

    /// Gives what was gathered, in the order in which the windows become final, and begins a new epoch.
    mutating func takeCells() -> ContiguousArray<Cell> {
        var taken: ContiguousArray<Cell> = []
        swap(&taken, &cells)
        index.removeAll()
        groupsOfWindow.removeAll(keepingCapacity: true)
        for size in 0..<recent.count { recent[size] = Recent() }
        statistics.cells = 0
        return taken
    }
}

extension Combiner.Cell {
    @inline(__always)
    mutating func add(_ contribution: Contribution, limit: Int, texts: borrowing TextTable) {
        let value = contribution.value
        switch contribution.kind {
        case .event:
            figures.add(1, to: .events)
            figures.installations.add(installation: contribution.installation)
        case .otherEvent:
            figures.add(1, to: .eventsOther)
            figures.installations.add(installation: contribution.installation)
        case .count(let counter):
            figures.add(value, to: .counter(counter))
        case .anomaly(let anomaly):
            figures.add(value, to: .anomaly(anomaly))
        case .inactive(let inactiveClass):
            figures.add(value, to: .inactive, limit: limit)
            figures.add(1, to: .count(inactiveClass))
            figures.add(value, to: .sum(inactiveClass))
            if contribution.text != TextTable.empty { reasons.add(contribution.text, sum: value, texts: texts) }
        case .latency(let latency):
            figures.add(value, to: latency.summary, limit: limit)
        case .interval(let interval):
            figures.add(1, to: .count(interval))
            figures.add(value, to: .sum(interval))
        case .inferred(let phase):
            figures.add(1, to: .count(inferred: phase))
            figures.add(value, to: .sum(inferred: phase))
        case .exit:
            if contribution.text == TextTable.empty {
                unexplainedExits &+= 1
            } else {
                exits.add(contribution.text, sum: 0, texts: texts)
            }
        case .lateEvent:
            break
        }
    }

    private static let unexplained = ContiguousArray("unknown".utf8)

    /// The figures, with reasons by their names.
    consuming func named(_ texts: borrowing TextTable) -> Figures {
        figures.inactiveByReason = reasons.named(texts)
        figures.exitsByReason = exits.named(texts)
        if unexplainedExits > 0 { figures.exitsByReason.add(Self.unexplained, count: unexplainedExits, sum: 0) }
        return figures
    }
}
