import Lifecycle

/// The states of some installations as bytes: what a block of the checkpoint holds.
///
/// Each field of all states stands together with its like, as the difference from what it is mostly near to; of what
/// is mostly the same a few bits in ``StateColumn/shape`` are left. The layout, all numbers as of ``ByteColumn``:
///
///     texts      how many; each: length, bytes
///     groups     how many; each: five places in the texts
///     entries    how many
///     columns    the length of each in the order of ``StateColumn``, then each
///
/// An entry is one of three (``StateColumn/entry``): a whole state under its key; the state of a place whose key was
/// told before, with of its lists of known events and clock readings only what is new; or the end of one. States
/// are told by their place in the writer's table, which the reader's repeats.
enum StateColumn: Int, CaseIterable {
    case place, entry, key, phase, shape, flags
    case received, time, monotonic, since, latency, resign, sequence, identity, names
    case cold, clock, known, instances, held, graces
}

/// What an entry of a block is.
enum StateEntry {
    static let isState: UInt8 = 1
    static let isWhole: UInt8 = 2
    static let hasCold: UInt8 = 4
}

/// Writes states; see ``StateColumn``.
struct StateWriter {
    private var columns = Array(repeating: ByteColumn(), count: StateColumn.allCases.count)
    private var names = NameWriter()
    private(set) var entries = 0
    private var lastPlace: Int64 = -1
    /// Reference for the times of the state in hand: its last event.
    var last = Moment.never
    var lastReceived: Int64 = 0
    /// Stream time of the partition, ms.
    let stream: Int64

    init(stream: Int64) {
        self.stream = stream
    }

    subscript(column: StateColumn) -> ByteColumn {
        get { columns[column.rawValue] }
        _modify { yield &columns[column.rawValue] }
    }

    /// Bytes so far, without the names.
    var count: Int { columns.reduce(0) { $0 + $1.count } }

    mutating func begin(place: UInt32, entry: UInt8) {
        self[.place].append(signed: Int64(place) - lastPlace - 1)
        lastPlace = Int64(place)
        self[.entry].append(byte: entry)
        entries += 1
    }

    mutating func text(_ id: UInt32, to column: StateColumn) { self[column].append(names.text(id)) }

    mutating func group(_ id: UInt32, to column: StateColumn) { self[column].append(names.group(id)) }

    /// The finished bytes.
    func finish(_ lexicon: borrowing Lexicon) -> ContiguousArray<UInt8> {
        var body = ByteColumn()
        names.write(to: &body, lexicon)
        body.append(UInt64(entries))
        for column in columns { body.append(UInt64(column.count)) }
        for column in columns { body.append(column) }
        return body.bytes
    }

    // MARK: Parts of states

    /// A moment, as it differs from another.
    mutating func put(_ moment: Moment, from other: Moment, to column: StateColumn) {
        var code: UInt8 = 0
        if moment.isKnown { code |= 1 }
        if moment.monotonic != Moment.absent { code |= 2 }
        if moment.domain != 0 { code |= moment.domain == other.domain ? 4 : 8 }
        if moment.setting != other.setting {
            code |= moment.setting == Moment.fixed ? 16 : moment.setting == 0 ? 32 : 48
        }
        self[column].append(byte: code)
        if moment.isKnown { self[column].append(signed: other.time &- moment.time) }
        if moment.monotonic != Moment.absent {
            self[column].append(signed: MomentForm.drift(of: moment.monotonic, moment.time, from: other))
        }
        if code & 8 != 0 { self[column].append(fixed: moment.domain) }
        if code & 48 == 48 { self[column].append(UInt64(moment.setting)) }
    }

    mutating func put(_ stamp: Stamp, to column: StateColumn) {
        put(stamp.moment, from: last, to: column)
        self[column].append(signed: stamp.corrected &- stamp.moment.time)
        self[column].append(signed: stamp.received &- stamp.corrected)
        group(stamp.group, to: column)
    }

    mutating func put(_ stamp: Stamp?, to column: StateColumn) {
        self[column].append(byte: stamp == nil ? 0 : 1)
        if let stamp { put(stamp, to: column) }
    }

    mutating func put(_ moment: Moment?, to column: StateColumn) {
        self[column].append(byte: moment == nil ? 0 : 1)
        if let moment { put(moment, from: last, to: column) }
    }
}

/// How the monotonic clock is told beside the wall clock: mostly both went on by the same time.
enum MomentForm {
    static func drift(of monotonic: Int64, _ time: Int64, from other: Moment) -> Int64 {
        guard other.monotonic != Moment.absent else { return monotonic }
        return (other.monotonic &- monotonic) &- (other.time &- time) &* 1000
    }

    static func monotonic(of drift: Int64, _ time: Int64, from other: Moment) -> Int64 {
        guard other.monotonic != Moment.absent else { return drift }
        return other.monotonic &- drift &- (other.time &- time) &* 1000
    }
}

/// Reads what a ``StateWriter`` has written.
struct StateReader {
    private var columns: [ByteColumnReader] = []
    private var names: NameReader
    let entries: Int
    private var lastPlace: Int64 = -1
    var last = Moment.never
    var lastReceived: Int64 = 0
    let stream: Int64

    /// - Throws: where the bytes were not written by a ``StateWriter``.
    init(
        _ bytes: ContiguousArray<UInt8>, stream: Int64, _ lexicon: inout Lexicon
    ) throws(UnreadableBytes) {
        self.stream = stream
        var reader = ByteColumnReader(bytes)
        names = try NameReader(&reader, &lexicon)
        entries = try reader.length()
        var lengths: [Int] = []
        for _ in StateColumn.allCases { lengths.append(try reader.length(within: bytes.count)) }
        for length in lengths { columns.append(try reader.part(length)) }
        guard reader.left == 0 else { throw UnreadableBytes() }
    }

    subscript(column: StateColumn) -> ByteColumnReader {
        get { columns[column.rawValue] }
        _modify { yield &columns[column.rawValue] }
    }

    /// Everything was read.
    var isAtEnd: Bool { columns.allSatisfy { $0.left == 0 } }

    mutating func begin() throws(UnreadableBytes) -> (place: UInt32, entry: UInt8) {
        let place = lastPlace &+ 1 &+ (try self[.place].signed())
        guard place >= 0, place < Int64(UInt32.max) - 1 else { throw UnreadableBytes() }
        lastPlace = place
        return (UInt32(place), try self[.entry].byte())
    }

    mutating func text(_ column: StateColumn) throws(UnreadableBytes) -> UInt32 {
        try names.text(try self[column].number())
    }

    mutating func group(_ column: StateColumn) throws(UnreadableBytes) -> UInt32 {
        try names.group(try self[column].number())
    }

    mutating func moment(from other: Moment, _ column: StateColumn) throws(UnreadableBytes) -> Moment {
        let code = try self[column].byte()
        guard code < 64, code & 12 != 12 else { throw UnreadableBytes() }
        var moment = Moment.never
        if code & 1 != 0 { moment.time = other.time &- (try self[column].signed()) }
        if code & 2 != 0 {
            moment.monotonic = MomentForm.monotonic(of: try self[column].signed(), moment.time, from: other)
        }
        moment.domain = code & 4 != 0 ? other.domain : code & 8 != 0 ? try self[column].fixed32() : 0
        switch code & 48 {
        case 0: moment.setting = other.setting
        case 16: moment.setting = Moment.fixed
        case 32: moment.setting = 0
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

    mutating func optionalMoment(_ column: StateColumn) throws(UnreadableBytes) -> Moment? {
        try flag(column) ? try moment(from: last, column) : nil
    }

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
