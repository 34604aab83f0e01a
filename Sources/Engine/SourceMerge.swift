internal import Aggregating
internal import Decoding
internal import Lifecycle

/// Where the fold of packed events stands in the merge of its sources, for a restart.
package struct MergePlace: Equatable, Sendable {
    /// The first record of the log that was not read.
    package var end: Int64
    /// Of what stands before ``end``, the events with an older stream time are folded, and no others.
    package var frontier: Int64

    package init(end: Int64, frontier: Int64) {
        self.end = end
        self.frontier = frontier
    }
}

/// Puts the packed events of several input partitions, which come through one log as each of them was read, into one
/// order: by the stream time of the input partition once the event's record had come, then by partition, then as they
/// stand in the log. So how fast each was read decides nothing.
///
/// What makes it right:
/// - Records of one source come in their order, and each tells how far the source has come. What is older than all of
///   them have come can only be followed by younger events: it is folded (``frontier``). The rest waits, packed.
/// - The frontier never goes back, and all of what is older than it is folded at once, wherever it comes from. So what
///   was folded of the log up to some place is told by two numbers: ``MergePlace``.
/// - A source that is idle is not waited for. What it sends later is folded when it comes, where others have gone on.
///
/// How much waits is bounded by whoever writes the log: see `Alignment`.
struct SourceMerge {
    private struct Source {
        let id: SourcePartition
        /// It is one that was expected. Others are never waited for: nobody may read them any more.
        let isExpected: Bool
        var stream = Event.absent
        var isIdle: Bool

        init(_ id: SourcePartition, isExpected: Bool) {
            self.id = id
            self.isExpected = isExpected
            isIdle = !isExpected
        }
    }

    /// The next events of a record that waits.
    private struct Turn: Comparable {
        let stream: Int64
        let source: SourcePartition
        let offset: Int64
        let number: Int
        /// Of ``records``.
        let slot: Int

        static func < (one: Turn, other: Turn) -> Bool {
            (one.stream, one.source.partition, one.source.topic, one.offset, one.number)
                < (other.stream, other.source.partition, other.source.topic, other.offset, other.number)
        }
    }

    /// A record that waits, or the rest of it.
    struct Waiting {
        var cursor: PackedCursor
        let bytes: ContiguousArray<UInt8>
        var offset: Int64
        /// Counted as they come: those of a log that was made anew have one offset.
        let number: Int
    }

    private var sources: ContiguousArray<Source> = []
    private var turns = MinHeap<Turn>()
    private var records: ContiguousArray<Waiting?> = []
    private var free: [Int] = []
    private var kept = 0
    private var resumed = MergePlace(end: 0, frontier: Event.absent)
    /// All events with an older stream time are folded.
    private(set) var frontier = Event.absent
    /// The stream time of all sources together.
    private(set) var stream = Event.absent
    /// Of the records that wait.
    private(set) var byteCount = 0

    /// - Parameter expected: nothing is folded before all of them have told how far they are.
    mutating func expect(_ expected: [SourcePartition]) {
        sources = ContiguousArray(expected.map { Source($0, isExpected: true) })
    }

    mutating func resume(_ place: MergePlace) {
        resumed = place
        frontier = place.frontier
    }

    /// Offsets begin anew. What waits goes on waiting, as if it stood before the first record of the new log: a restart
    /// does not find it.
    mutating func beginAnew() {
        resumed = MergePlace(end: 0, frontier: frontier)
        for index in records.indices { records[index]?.offset = 0 }
        turns = MinHeap(
            turns.elements.map {
                Turn(stream: $0.stream, source: $0.source, offset: 0, number: $0.number, slot: $0.slot)
            })
    }

    /// - Parameter end: the first record of the log that was not taken in.
    func place(end: Int64) -> MergePlace { MergePlace(end: max(end, resumed.end), frontier: frontier) }

    /// Whether these events were folded before the restart.
    func wasFolded(_ stream: Int64, _ offset: Int64) -> Bool {
        offset < resumed.end && (stream == Event.absent || stream < resumed.frontier)
    }

    /// The log's first record that is not folded wholly; nil where none waits.
    var firstWaiting: Int64? { turns.elements.lazy.map(\.offset).min() }

    /// No source is waited for, and nothing waits.
    var isIdle: Bool { turns.least == nil && sources.allSatisfy(\.isIdle) }

    // MARK: How far the sources have come

    /// - Parameter offset: of the record that tells it.
    mutating func hear(_ header: PackedHeader, at offset: Int64) {
        let id = SourcePartition(topic: header.topic, partition: header.partition)
        let index = sources.firstIndex { $0.id == id } ?? sources.count
        if index == sources.count { sources.append(Source(id, isExpected: false)) }
        sources[index].stream = max(sources[index].stream, header.stream)
        sources[index].isIdle = header.isIdle || !sources[index].isExpected
        // Of what was read before the restart, nothing is folded now that was not to be folded then: else what a
        // further restart would find could not be told by one frontier.
        if offset >= resumed.end { advance() }
    }

    private mutating func advance() {
        var (slowest, fastest) = (Int64.max, Event.absent)
        var awaited = 0
        for source in sources {
            fastest = max(fastest, source.stream)
            if source.isIdle { continue }
            awaited += 1
            slowest = min(slowest, source.stream)
        }
        // Of one that is awaited alone, or of none, what has come is all that there is.
        reach(awaited == 0 ? fastest : slowest, isWhole: awaited < 2)
    }

    /// - Parameter isWhole: nobody else has events of this stream time.
    private mutating func reach(_ time: Int64, isWhole: Bool) {
        if time == Event.absent { return }
        stream = max(stream, time)
        frontier = max(frontier, isWhole ? time + 1 : time)
    }

    // MARK: What waits

    /// Whether the next events of a record are those that are to be folded next, before all that waits.
    func isNext(_ cursor: PackedCursor, at offset: Int64) -> Bool {
        guard cursor.stream < frontier || cursor.stream == Event.absent else { return false }
        guard let first = turns.least else { return true }
        return turn(of: cursor, offset, number: kept, slot: 0) < first
    }

    /// - Parameter bytes: of the record; they are copied.
    mutating func keep(_ cursor: PackedCursor, _ bytes: RawSpan, at offset: Int64) {
        let copy = unsafe bytes.withUnsafeBytes { unsafe ContiguousArray($0) }
        keep(Waiting(cursor: cursor, bytes: copy, offset: offset, number: kept))
        kept += 1
    }

    mutating func keep(_ record: Waiting) {
        byteCount += record.bytes.count
        let slot = free.popLast() ?? records.count
        if slot == records.count { records.append(nil) }
        records[slot] = record
        turns.insert(turn(of: record.cursor, record.offset, number: record.number, slot: slot))
    }

    /// Takes the record out whose events are to be folded next; nil where there are none.
    mutating func takeNext() -> Waiting? {
        guard let next = turns.least, next.stream < frontier || next.stream == Event.absent else { return nil }
        _ = turns.removeLeast()
        guard let record = records[next.slot] else { preconditionFailure("a turn is that of a record") }
        records[next.slot] = nil
        free.append(next.slot)
        byteCount -= record.bytes.count
        return record
    }

    private func turn(of cursor: PackedCursor, _ offset: Int64, number: Int, slot: Int) -> Turn {
        let source = SourcePartition(topic: cursor.header.topic, partition: cursor.header.partition)
        return Turn(stream: cursor.stream, source: source, offset: offset, number: number, slot: slot)
    }
}
