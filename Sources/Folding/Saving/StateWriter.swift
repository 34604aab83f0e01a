import Lifecycle

/// Writes states; see ``StateColumn``.
struct StateWriter: ~Copyable {
    private var columns = PerColumn<ColumnBytes> { _ in ColumnBytes() }
    var names = NameWriter()
    private(set) var entries = 0
    private var lastPlace: Int64 = -1
    /// Reference for the times of the state in hand: its last event, and when its phase began.
    var last = Moment.never
    var since = Moment.never
    var lastReceived: Int64 = 0
    /// What was added to the device time of the last event, ms, and how many events there were.
    var offset: Int64 = 0
    var events: Int64 = 0
    /// Stream time of the partition, ms.
    let stream: Int64

    init(stream: Int64) {
        self.stream = stream
    }

    subscript(column: StateColumn) -> ColumnBytes {
        @inline(__always) _read { yield columns[column.rawValue] }
        @inline(__always) _modify { yield &columns[column.rawValue] }
    }

    /// Bytes so far, without the names.
    var count: Int {
        var count = 0
        for index in columns.indices { count += columns[index].count }
        return count
    }

    mutating func begin(place: UInt32, entry: UInt8) {
        self[.place].append(signed: Int64(place) - lastPlace - 1)
        lastPlace = Int64(place)
        self[.entry].append(byte: entry)
        entries += 1
    }

    mutating func text(_ id: UInt32, to column: StateColumn) { self[column].append(names.text(id)) }

    mutating func group(_ id: UInt32, to column: StateColumn) { self[column].append(names.group(id)) }

    /// The hash of a name that many installations share.
    mutating func hash(_ hash: UInt64, to column: StateColumn) { self[column].append(names.hash(hash)) }

    /// The finished bytes.
    func finish(_ lexicon: borrowing Lexicon) -> ContiguousArray<UInt8> {
        var head = ByteColumn()
        names.write(to: &head, lexicon)
        head.append(UInt64(entries))
        for index in columns.indices { head.append(UInt64(columns[index].count)) }
        var bytes = head.bytes
        bytes.reserveCapacity(bytes.count + count)
        for index in columns.indices { columns[index].copy(to: &bytes) }
        return bytes
    }

    // MARK: Parts of states

    /// A moment, as it differs from another.
    ///
    /// - Parameter times: the column of its times, where they do not stand behind its form.
    mutating func put(_ moment: Moment, from other: Moment, to column: StateColumn, times: StateColumn? = nil) {
        let times = times ?? column
        var form: UInt8 = 0
        if moment == other {
            form = MomentForm.isSame
        } else if moment == since {
            form = MomentForm.isSince
        } else {
            if moment.isKnown { form |= MomentForm.time }
            if moment.monotonic != Moment.absent { form |= MomentForm.monotonic }
            if moment.domain != 0 {
                form |= moment.domain == other.domain ? MomentForm.sameDomain : MomentForm.ownDomain
            }
            if moment.setting != other.setting {
                form |=
                    moment.setting == Moment.fixed
                    ? MomentForm.fixed : moment.setting == 0 ? MomentForm.firstSetting : MomentForm.ownSetting
            }
        }
        self[column].append(byte: form)
        if form & MomentForm.isSame != 0 || form & MomentForm.isSince != 0 { return }
        if moment.isKnown { self[times].append(signed: other.time &- moment.time) }
        if moment.monotonic != Moment.absent {
            self[times].append(signed: MomentForm.drift(of: moment.monotonic, moment.time, from: other))
        }
        if form & MomentForm.ownDomain != 0 { self[column].append(fixed: moment.domain) }
        if form & MomentForm.ownSetting == MomentForm.ownSetting { self[column].append(UInt64(moment.setting)) }
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

    mutating func put(_ moment: Moment?, to column: StateColumn, times: StateColumn? = nil) {
        guard let moment else { return self[column].append(byte: MomentForm.isNone) }
        put(moment, from: last, to: column, times: times)
    }

    mutating func put(_ place: Place, to column: StateColumn) {
        put(place.stamp, to: column)
        self[column].append(signed: place.order)
    }
}

/// The byte before a moment: what of it stands behind.
enum MomentForm {
    static let time: UInt8 = 1
    static let monotonic: UInt8 = 2
    static let sameDomain: UInt8 = 4
    static let ownDomain: UInt8 = 8
    // The setting: that of the other moment where neither bit is set.
    static let fixed: UInt8 = 16
    static let firstSetting: UInt8 = 32
    static let ownSetting: UInt8 = 48
    /// It is the other moment.
    static let isSame: UInt8 = 64
    /// The phase began then.
    static let isSince: UInt8 = 128
    /// There is none.
    static let isNone: UInt8 = 192

    /// How the monotonic clock is told beside the wall clock: mostly both went on by the same time.
    static func drift(of monotonic: Int64, _ time: Int64, from other: Moment) -> Int64 {
        guard other.monotonic != Moment.absent else { return monotonic }
        return (other.monotonic &- monotonic) &- (other.time &- time) &* 1000
    }

    static func monotonic(of drift: Int64, _ time: Int64, from other: Moment) -> Int64 {
        guard other.monotonic != Moment.absent else { return drift }
        return other.monotonic &- drift &- (other.time &- time) &* 1000
    }
}
