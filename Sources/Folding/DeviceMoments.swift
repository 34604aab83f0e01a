import Lifecycle

/// What a moment tells beside its time: the other clock of its device, and the setting of the one it was read from.
struct Reading: BitwiseCopyable, Equatable {
    /// As of ``Moment``.
    var monotonic: Int64
    var domain: UInt32
    var setting: UInt32

    /// That of most devices, which send no monotonic clock and whose wall clock is never set; and that of no moment.
    static func usual(at time: Int64) -> Reading {
        Reading(monotonic: Moment.absent, domain: 0, setting: time == Moment.absent ? Moment.fixed : 0)
    }
}

extension Moment {
    @inline(__always)
    init(_ time: Int64, _ reading: Reading) {
        self.init(time: time, monotonic: reading.monotonic, domain: reading.domain, setting: reading.setting)
    }

    var reading: Reading { Reading(monotonic: monotonic, domain: domain, setting: setting) }

    /// The time tells all of it.
    var isUsual: Bool { reading == .usual(at: time) }
}

/// What the moments of one device tell beside their times. It has this only while that of one of them is unusual.
struct Clocks: BitwiseCopyable {
    private var readings: InlineArray<3, Reading>

    fileprivate init(ofUsual device: borrowing Device) {
        readings = [.usual(at: device.sinceTime), .usual(at: device.lastTime), .usual(at: device.latencyTime)]
    }

    subscript(mark: Device.Mark) -> Reading {
        @inline(__always) get { readings[mark.rawValue] }
        @inline(__always) set { readings[mark.rawValue] = newValue }
    }

    fileprivate func areUsual(of device: borrowing Device) -> Bool {
        self[.last] == .usual(at: device.lastTime) && self[.since] == .usual(at: device.sinceTime)
            && self[.latencyFrom] == .usual(at: device.latencyTime)
    }
}

/// The ``Clocks`` of one partition, by index.
struct ClockStore: ~Copyable {
    private var pool = Pool<Clocks>()

    /// Devices that have some.
    var count: Int { pool.count }
    /// Bytes that they take.
    var byteCount: Int { pool.byteCount }

    subscript(index: UInt32) -> Clocks {
        @inline(__always) unsafeAddress { unsafe UnsafePointer(pool.address(index)) }
        @inline(__always) nonmutating unsafeMutableAddress { unsafe pool.address(index) }
    }

    /// Asks for those of a device.
    @inline(__always)
    func prefetch(_ index: UInt32) {
        guard index != Device.noClocks else { return }
        pool.prefetch(index)
    }

    fileprivate mutating func insert(_ clocks: Clocks) -> UInt32 { pool.insert(clocks) }

    fileprivate mutating func remove(_ index: UInt32) { pool.remove(index) }
}

extension Device {
    /// The moments that a state has.
    enum Mark: Int {
        /// When the phase began; ``Moment/never`` where that is not known.
        case since
        /// The last event that was folded; ``Moment/never`` before the first.
        case last
        /// Where the open latency is measured from; see ``Flags/latencyOpen``. In the background, without an open one,
        /// the edge that told of it.
        case latencyFrom
    }

    @inline(__always)
    func time(of mark: Mark) -> Int64 {
        switch mark {
        case .since: sinceTime
        case .last: lastTime
        case .latencyFrom: latencyTime
        }
    }

    @inline(__always)
    func moment(_ mark: Mark, _ context: FoldContext) -> Moment {
        let time = time(of: mark)
        return Moment(time, clocks == Self.noClocks ? .usual(at: time) : context.clocks[clocks][mark])
    }

    @inline(__always)
    mutating func set(_ mark: Mark, _ moment: Moment, _ context: FoldContext) {
        switch mark {
        case .since: sinceTime = moment.time
        case .last: lastTime = moment.time
        case .latencyFrom: latencyTime = moment.time
        }
        switch (clocks == Self.noClocks, moment.isUsual) {
        case (true, true): break
        case (false, false): context.clocks[clocks][mark] = moment.reading
        case (true, false): makeClocks(moment.reading, as: mark, context)
        case (false, true): removeClock(of: moment, as: mark, context)
        }
    }

    @inline(never)
    private mutating func makeClocks(_ reading: Reading, as mark: Mark, _ context: FoldContext) {
        clocks = context.clocks.insert(Clocks(ofUsual: self))
        context.clocks[clocks][mark] = reading
    }

    /// One of its moments has become usual.
    @inline(never)
    private mutating func removeClock(of moment: Moment, as mark: Mark, _ context: FoldContext) {
        context.clocks[clocks][mark] = moment.reading
        if context.clocks[clocks].areUsual(of: self) { removeClocks(context) }
    }

    /// From here on its moments are what their times tell.
    mutating func removeClocks(_ context: FoldContext) {
        guard clocks != Self.noClocks else { return }
        context.clocks.remove(clocks)
        clocks = Self.noClocks
    }
}
