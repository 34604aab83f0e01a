/// Which offset is safe to commit while events before it may still be held back in memory.
///
/// An event that waits for older ones waits in memory alone. Were the offset behind it committed, a crash would lose
/// it. It waits no longer than a known span of stream time; so an offset is safe once stream time has gone on by
/// more than that span since it was reached.
struct HoldMarks {
    private struct Mark {
        var offset: Int64
        var stream: Int64
    }

    private var marks: [Mark] = []
    private let span: Int64
    /// Marks are at least a sixteenth of the span apart, so there are few of them.
    private var distance: Int64 { max(span / 16, 1) }

    /// - Parameter span: ms of stream time.
    init(span: Int64) {
        self.span = span
    }

    /// All records before `offset` came at stream time `stream` or earlier.
    mutating func reached(_ offset: Int64, stream: Int64) {
        if let last = marks.last, stream < last.stream + distance {
            return
        }
        marks.append(Mark(offset: offset, stream: stream))
    }

    /// The largest offset before which nothing is held any more; nil where none is known.
    mutating func safe(at stream: Int64) -> Int64? {
        guard let index = marks.lastIndex(where: { $0.stream + span < stream }) else { return nil }
        marks.removeFirst(index)
        return marks[0].offset
    }

    /// Nothing is held.
    mutating func clear() {
        marks.removeAll(keepingCapacity: true)
    }
}
