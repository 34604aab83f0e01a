package import Lifecycle

/// Stage 2: the totals of the open windows over all source partitions, each final once.
///
/// Owned by one task and touched on its queue alone. Memory: 112 bytes a cell (one window and group), about 100 in
/// the tables that find it, and what ``Figures`` says for what occurred in it; a window holds `group.limit` groups and
/// one more for each app.
package struct WindowTotals: ~Copyable {
    package let settings: AggregateSettings
    package private(set) var statistics = Statistics()
    /// The smallest watermark over all source partitions at the last ``emit(into:checkpoint:)``, ms since the epoch:
    /// what is final by it is gone. `Int64.min` before all have one; it never goes back.
    package private(set) var watermark = Int64.min

    /// Since the start, but for ``cells`` and ``windows``.
    package struct Statistics: Sendable, Equatable {
        /// Windows and groups that are open now.
        package var cells = 0
        /// Open windows now.
        package var windows = 0
        /// Partials that came for a final window and were dropped.
        package var droppedPartials = 0
        /// Partials that went to `__other__` because the window had its groups.
        package var overLimit = 0
        /// Windows and groups made final.
        package var finals = 0
        /// Watermarks of partitions that are not among the sources.
        package var strangers = 0
    }

    /// One window and group.
    struct Cell: Sendable {
        var window: Window
        var group: GroupName
        /// Of the last row that went out; 0 where none did.
        var revision: UInt64 = 0
        /// Changed since the last ``WindowTotals/emit(into:checkpoint:)``.
        var isChanged = false
        /// Its place among the cells of its window.
        var rank = 0
        var figures = Figures()
    }

    private struct Place: Hashable {
        var window: Window
        var group: GroupName
    }

    private struct OpenWindow {
        var cells: ContiguousArray<Int> = []
        /// Groups that count for the limit.
        var groups = 0
    }

    private var cells: ContiguousArray<Cell?> = []
    private var free: ContiguousArray<Int> = []
    private var places: [Place: Int] = [:]
    private var windows: [Window: OpenWindow] = [:]
    private var changed: ContiguousArray<Int> = []
    private var sources: [SourcePartition: Int64] = [:]
    private var sourcesChanged = false

    /// - Parameter sources: every input partition; one that is missing from it moves no watermark.
    package init(_ settings: AggregateSettings, sources: some Sequence<SourcePartition>) {
        self.settings = settings
        setSources(sources)
    }

    /// Partitions were added or taken away. A new one holds the watermark until it has one of its own.
    package mutating func setSources(_ sources: some Sequence<SourcePartition>) {
        let known = self.sources
        self.sources = [:]
        for source in sources { self.sources[source] = known[source] ?? Int64.min }
        sourcesChanged = true
    }

    /// Takes the value of one record of the partials.
    ///
    /// - Returns: the end of the window that it belongs to, ms since the epoch; nil for a watermark alone.
    /// - Throws: ``PackedError``, before anything was taken from the value.
    @discardableResult
    package mutating func take(_ partial: RawSpan) throws(PackedError) -> Int64? {
        switch try PackedValue(partial, settings: settings) {
        case .partial(let source, let watermark, let window, let group, let figures):
            add(figures, to: window, group)
            advance(source, to: watermark)
            return window.end
        case .watermark(let source, let watermark):
            advance(source, to: watermark)
            return nil
        case .total, .watermarks:
            throw .malformed
        }
    }

    /// Takes what `combiner` gathered, without packing it, and clears it there: for `replay`.
    package mutating func take(_ combiner: inout Combiner, lexicon: borrowing Lexicon) {
        let cells = combiner.takeCells()
        for number in 0..<cells.count {
            let group = GroupName(cells[number].dimensions, groupBy: settings.groupBy, texts: lexicon.texts)
            add(cells[number].named(lexicon.texts), to: cells[number].window, group)
        }
    }

    /// Ends a commit: the changed windows' new revisions (``EmissionMode/updates``) and the final records of the
    /// windows that the smallest watermark has passed.
    ///
    /// - Parameters:
    ///   - rows: the output records are appended here, sorted by key.
    ///   - checkpoint: what ``restore(key:value:)`` needs of the changes is appended here, a tombstone for each window
    ///     and group that is over.
    package mutating func emit(into rows: inout RecordBatch, checkpoint: inout RecordBatch) {
        watermark = max(watermark, sources.values.min() ?? .min)
        write(into: &rows, checkpoint: &checkpoint)
        if sourcesChanged {
            let (smallest, sources) = (watermark, sources)
            checkpoint.append(.watermarks, route: 0) { bytes in
                bytes.append(ascii: "watermarks")
            } value: { bytes in
                bytes.append(watermarks: sources, smallest: smallest)
            }
        }
        sourcesChanged = false
    }

    /// The end of all input: every window is final. Rows are sorted by key.
    package mutating func finish(into rows: inout RecordBatch) {
        watermark = .max
        var checkpoint = RecordBatch()
        write(into: &rows, checkpoint: &checkpoint)
    }

    /// All records of the checkpoint have been taken back: windows that were final by then and stand in it all the
    /// same, since nobody wrote that they are over, are dropped.
    package mutating func finishRestore() {
        for (window, open) in windows where window.isFinal(at: watermark, grace: settings.windows.grace) {
            for number in open.cells { forget(number) }
        }
    }

    /// Takes back one record of the checkpoint; those of one key in the order in which they were written.
    ///
    /// - Parameter value: empty in a tombstone.
    /// - Throws: ``PackedError``, before anything was taken from the record.
    package mutating func restore(key: RawSpan, value: RawSpan) throws(PackedError) {
        guard !value.isEmpty else {
            var reader = ByteReader(offset: 0, end: key.byteCount)
            let window = try Window(&reader, key)
            let group = try GroupName(&reader, key, groupBy: settings.groupBy)
            if let number = places[Place(window: window, group: group)] { forget(number) }
            return
        }
        switch try PackedValue(value, settings: settings) {
        case .total(let revision, let window, let group, let figures):
            let number = places[Place(window: window, group: group)] ?? make(window, group)
            cells[number]?.figures = figures
            cells[number]?.revision = revision
        case .watermarks(let smallest, let marks):
            for (source, mark) in marks where sources[source] != nil { advance(source, to: mark) }
            watermark = max(watermark, smallest)
        case .partial, .watermark:
            throw .malformed
        }
    }
}

extension WindowTotals {
    private mutating func advance(_ source: SourcePartition, to watermark: Int64) {
        guard let known = sources[source] else {
            statistics.strangers += 1
            return
        }
        guard watermark > known else { return }
        sources[source] = watermark
        sourcesChanged = true
    }

    private mutating func add(_ figures: borrowing Figures, to window: Window, _ group: GroupName) {
        guard !window.isFinal(at: watermark, grace: settings.windows.grace) else {
            statistics.droppedPartials += 1
            return
        }
        let number = cell(window, group)
        if cells[number]?.isChanged == false { changed.append(number) }
        cells[number]?.isChanged = true
        cells[number]?.figures.merge(figures, limit: settings.maxBuckets)
    }

    /// The cell of a group: its own, or that of its app's `__other__` where the window has its groups.
    private mutating func cell(_ window: Window, _ group: GroupName) -> Int {
        if let number = places[Place(window: window, group: group)] { return number }
        guard !group.isOther(groupBy: settings.groupBy), let open = windows[window],
            open.groups >= settings.groupLimit
        else { return make(window, group) }
        statistics.overLimit += 1
        let other = GroupName(otherOf: group, groupBy: settings.groupBy)
        return places[Place(window: window, group: other)] ?? make(window, other)
    }

    private mutating func make(_ window: Window, _ group: GroupName) -> Int {
        var cell = Cell(window: window, group: group)
        cell.rank = windows[window]?.cells.count ?? 0
        let number = free.popLast() ?? cells.count
        if number < cells.count { cells[number] = cell } else { cells.append(cell) }
        places[Place(window: window, group: group)] = number
        windows[window, default: OpenWindow()].cells.append(number)
        if !group.isOther(groupBy: settings.groupBy) { windows[window]?.groups += 1 }
        statistics.cells = places.count
        statistics.windows = windows.count
        return number
    }

    private mutating func forget(_ number: Int) {
        guard let cell = cells[number] else { return }
        cells[number] = nil
        free.append(number)
        places[Place(window: cell.window, group: cell.group)] = nil
        if let last = windows[cell.window]?.cells.popLast(), last != number {
            windows[cell.window]?.cells[cell.rank] = last
            cells[last]?.rank = cell.rank
        }
        if !cell.group.isOther(groupBy: settings.groupBy) { windows[cell.window]?.groups -= 1 }
        if windows[cell.window]?.cells.isEmpty == true { windows[cell.window] = nil }
        statistics.cells = places.count
        statistics.windows = windows.count
    }

    /// Rows and checkpoint of what has changed or is over.
    private mutating func write(into rows: inout RecordBatch, checkpoint: inout RecordBatch) {
        var numbers = changed
        for (window, open) in windows where window.isFinal(at: watermark, grace: settings.windows.grace) {
            for number in open.cells where cells[number]?.isChanged == false { numbers.append(number) }
        }
        changed.removeAll(keepingCapacity: true)
        for number in sortedByKey(numbers) {
            guard var cell = cells[number] else { continue }
            cells[number] = nil
            cell.isChanged = false
            let isFinal = cell.window.isFinal(at: watermark, grace: settings.windows.grace)
            if isFinal || settings.emission == .updates {
                cell.revision += 1
                rows.append(row: cell, isFinal: isFinal, settings: settings)
            }
            checkpoint.append(checkpointOf: cell, isOver: isFinal, limit: settings.maxBuckets)
            cells[number] = cell
            if isFinal {
                statistics.finals += 1
                forget(number)
            }
        }
    }

    private func sortedByKey(_ numbers: ContiguousArray<Int>) -> [Int] {
        var keyed: [(key: ContiguousArray<UInt8>, number: Int)] = []
        keyed.reserveCapacity(numbers.count)
        for number in numbers {
            guard let cell = cells[number] else { continue }
            var key = ContiguousArray<UInt8>()
            key.append(keyOf: cell.window, group: cell.group, groupBy: settings.groupBy)
            keyed.append((key, number))
        }
        keyed.sort { $0.key.precedes($1.key) }
        return keyed.map(\.number)
    }
}

extension RecordBatch {
    fileprivate mutating func append(checkpointOf cell: borrowing WindowTotals.Cell, isOver: Bool, limit: Int) {
        let (window, group, revision, figures) = (cell.window, cell.group, cell.revision, cell.figures)
        let route = window.route(app: group[.app])
        guard !isOver else {
            let start = bytes.count
            bytes.append(window, group)
            records.append(Record(key: start..<bytes.count, value: bytes.count..<bytes.count, route: route))
            return
        }
        append(.total, route: route) { bytes in
            bytes.append(window, group)
        } value: { bytes in
            bytes.append(varint: revision)
            bytes.append(window, group)
            bytes.append(packed: figures, limit: limit)
        }
    }
}

extension ContiguousArray<UInt8> {
    fileprivate mutating func append(watermarks: [SourcePartition: Int64], smallest: Int64) {
        append(zigzag: smallest)
        append(varint: UInt64(watermarks.count))
        let inOrder = watermarks.sorted { ($0.key.topic, $0.key.partition) < ($1.key.topic, $1.key.partition) }
        for (source, watermark) in inOrder {
            append(source)
            append(zigzag: watermark)
        }
    }
}
