import Lifecycle

/// Reads what a ``StateWriter`` has written. Good as long as the bytes are there.
@safe struct StateReader {
    private var columns: PerColumn<ColumnCursor>
    let names: NameReader
    let entries: Int
    var last = Moment.never
    var since = Moment.never
    var lastReceived: Int64 = 0
    /// What was added to the device time of the last event, ms, and how many events there were.
    var offset: Int64 = 0
    var events: Int64 = 0
    let stream: Int64

    /// - Throws: where the bytes were not written by a ``StateWriter``.
    @unsafe init(
        _ bytes: UnsafeRawBufferPointer, stream: Int64, _ lexicon: inout Lexicon
    ) throws(UnreadableBytes) {
        self.stream = stream
        guard let base = bytes.baseAddress else { throw UnreadableBytes() }
        var head = unsafe ColumnCursor(base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        names = try NameReader(&head, &lexicon)
        entries = try head.length()
        var lengths = PerColumn<Int>(repeating: 0)
        for index in lengths.indices {
            let length = try head.number()
            guard length <= UInt64(bytes.count) else { throw UnreadableBytes() }
            lengths[index] = Int(length)
        }
        columns = PerColumn(repeating: head)
        for index in columns.indices { columns[index] = try head.part(lengths[index]) }
        guard head.left == 0 else { throw UnreadableBytes() }
    }

    subscript(column: StateColumn) -> ColumnCursor {
        @inline(__always) get { columns[column.rawValue] }
        @inline(__always) _modify { yield &columns[column.rawValue] }
    }

    /// Everything was read.
    var isAtEnd: Bool {
        for index in columns.indices where columns[index].left != 0 { return false }
        return true
    }

    /// The places of all entries, in their order.
    mutating func places() throws(UnreadableBytes) -> ContiguousArray<UInt32> {
        var places = ContiguousArray<UInt32>()
        places.reserveCapacity(entries)
        var cursor = self[.place]
        var last: Int64 = -1
        for _ in 0..<entries {
            let place = last &+ 1 &+ (try cursor.signed())
            guard place >= 0, place < Int64(UInt32.max) - 1 else { throw UnreadableBytes() }
            places.append(UInt32(truncatingIfNeeded: place))
            last = place
        }
        self[.place] = cursor
        return places
    }

    mutating func text(_ column: StateColumn) throws(UnreadableBytes) -> UInt32 {
        try names.text(try self[column].number())
    }

    mutating func group(_ column: StateColumn) throws(UnreadableBytes) -> UInt32 {
        try names.group(try self[column].number())
    }

    mutating func hash(_ column: StateColumn) throws(UnreadableBytes) -> UInt64 {
        try names.hash(try self[column].number())
    }

    @inline(__always)
    mutating func moment(
        from other: Moment, _ column: StateColumn, times: StateColumn? = nil
    ) throws(UnreadableBytes) -> Moment {
        guard let moment = try optionalMoment(from: other, column, times: times) else { throw UnreadableBytes() }
        return moment
    }

    @inline(__always)
    private mutating func optionalMoment(
        from other: Moment, _ column: StateColumn, times: StateColumn?
    ) throws(UnreadableBytes) -> Moment? {
        let times = times ?? column
        let form = try self[column].byte()
        switch form {
        case MomentForm.isSame: return other
        case MomentForm.isSince: return since
        case MomentForm.isNone: return nil
        default: break
        }
        guard form < 64, form & 12 != 12 else { throw UnreadableBytes() }
        var moment = Moment.never
        if form & MomentForm.time != 0 { moment.time = other.time &- (try self[times].signed()) }
        if form & MomentForm.monotonic != 0 {
            moment.monotonic = MomentForm.monotonic(of: try self[times].signed(), moment.time, from: other)
        }
        moment.domain =
            form & MomentForm.sameDomain != 0
            ? other.domain : form & MomentForm.ownDomain != 0 ? try self[column].fixed32() : 0
        switch form & MomentForm.ownSetting {
        case 0: moment.setting = other.setting
        case MomentForm.fixed: moment.setting = Moment.fixed
        case MomentForm.firstSetting: moment.setting = 0
        default: moment.setting = try self[column].small(UInt32.self)
        }
        return moment
    }

    mutating func stamp(_ column: StateColumn) throws(UnreadableBytes) -> Stamp {
        let moment = try moment(from: last, column)
        let corrected = moment.time &+ (try self[column].signed())
        let received = corrected &+ (try self[column].signed())
        return Stamp(moment: moment, corrected: corrected, received: received, group: try group(column))
    }

    mutating func optionalStamp(_ column: StateColumn) throws(UnreadableBytes) -> Stamp? {
        try flag(column) ? try stamp(column) : nil
    }

    mutating func optionalMoment(
        _ column: StateColumn, times: StateColumn? = nil
    ) throws(UnreadableBytes) -> Moment? {
        try optionalMoment(from: last, column, times: times)
    }

    mutating func place(_ column: StateColumn) throws(UnreadableBytes) -> Place {
        Place(stamp: try stamp(column), order: try self[column].signed())
    }

    @inline(__always)
    mutating func flag(_ column: StateColumn) throws(UnreadableBytes) -> Bool {
        let byte = try self[column].byte()
        guard byte <= 1 else { throw UnreadableBytes() }
        return byte == 1
    }

    /// How many things follow in a column, each of a byte at least.
    mutating func length(_ column: StateColumn) throws(UnreadableBytes) -> Int {
        try self[column].length()
    }
}
