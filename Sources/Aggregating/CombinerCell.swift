import Lifecycle

/// What one task gathers of one window and group: ``Figures``, and what is faster to count apart from them.
struct CombinerCell {
    let window: Window
    let dimensions: Dimensions
    private var figures = Figures()
    private var numbers = DenseFigures()
    private var reasons = TextCounts()
    private var exits = TextCounts()
    /// Exits for which no reason was sent.
    private var unexplainedExits: Int64 = 0

    init(window: Window, dimensions: Dimensions) {
        self.window = window
        self.dimensions = dimensions
    }

    /// Adds what most contributions are: an event, or plain numbers.
    ///
    /// - Returns: false where it is something else.
    @inline(__always)
    mutating func addNumber(_ contribution: Contribution) -> Bool {
        let value = contribution.value
        switch contribution.kind {
        case .event:
            numbers.add(1, to: .events)
            figures.installations.add(installation: contribution.installation)
        case .count(let counter):
            numbers.add(value, to: .counter(counter))
        case .anomaly(let anomaly):
            numbers.add(value, to: .anomaly(anomaly))
        case .interval(let interval):
            numbers.add(1, to: .count(interval))
            numbers.add(value, to: .sum(interval))
        case .inferred(let phase):
            numbers.add(1, to: .count(inferred: phase))
            numbers.add(value, to: .sum(inferred: phase))
        case .otherEvent, .lateEvent, .inactive, .latency, .exit:
            return false
        }
        return true
    }

    mutating func addLateEvent() {
        numbers.add(1, to: .lateEvents)
        numbers.add(1, to: .anomaly(.lateEvent))
    }

    /// Adds what ``addNumber(_:)`` does not.
    @inline(never)
    mutating func add(_ contribution: Contribution, limit: Int, _ lexicon: borrowing Lexicon) {
        let value = contribution.value
        switch contribution.kind {
        case .event, .lateEvent, .count, .anomaly, .interval, .inferred:
            break
        case .otherEvent:
            numbers.add(1, to: .eventsOther)
            figures.installations.add(installation: contribution.installation)
        case .inactive(let inactiveClass):
            figures.add(value, to: .inactive, limit: limit)
            numbers.add(1, to: .count(inactiveClass))
            numbers.add(value, to: .sum(inactiveClass))
            if contribution.text != TextTable.empty { reasons.add(contribution.text, sum: value, texts: lexicon.texts) }
        case .latency(let latency):
            figures.add(value, to: latency.summary, limit: limit)
        case .exit:
            if contribution.text == TextTable.empty {
                unexplainedExits &+= 1
            } else {
                exits.add(contribution.text, sum: 0, texts: lexicon.texts)
            }
        }
    }

    private static let unexplained = ContiguousArray("unknown".utf8)

    /// All figures, with reasons by their names.
    borrowing func named(_ texts: borrowing TextTable) -> Figures {
        var figures = figures
        figures.take(numbers)
        figures.inactiveByReason = reasons.named(texts)
        figures.exitsByReason = exits.named(texts)
        if unexplainedExits > 0 { figures.exitsByReason.add(Self.unexplained, count: unexplainedExits, sum: 0) }
        return figures
    }
}

/// The cells of an epoch, in memory of their own: reached without a check of who else might hold them.
@safe
struct CellStore: ~Copyable {
    private var base: UnsafeMutablePointer<CombinerCell>
    private var capacity: Int
    private(set) var count = 0

    private static let smallest = 64

    init(capacity: Int = CellStore.smallest) {
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
    }

    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    /// A cell below ``count``.
    subscript(cell: Int) -> CombinerCell {
        @inline(__always)
        _read {
            assert(cell >= 0 && cell < count)
            yield unsafe base[cell]
        }
        @inline(__always)
        _modify {
            assert(cell >= 0 && cell < count)
            yield unsafe &base[cell]
        }
    }

    mutating func append(_ cell: consuming CombinerCell) {
        if count == capacity { move(toCapacity: capacity * 2) }
        unsafe (base + count).initialize(to: cell)
        count += 1
    }

    /// Gives all cells away, and keeps as much room as was used of late.
    mutating func takeAll() -> CellStore {
        var taken = CellStore(capacity: count * 8 < capacity ? max(Self.smallest, capacity / 2) : capacity)
        swap(&self, &taken)
        return taken
    }

    private mutating func move(toCapacity wanted: Int) {
        let new = UnsafeMutablePointer<CombinerCell>.allocate(capacity: wanted)
        unsafe new.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = new
        capacity = wanted
    }
}
