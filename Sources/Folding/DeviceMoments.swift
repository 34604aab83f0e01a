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
    fileprivate var since: Reading
    fileprivate var last: Reading
    fileprivate var latencyFrom: Reading

    fileprivate init(ofUsual device: borrowing Device) {
        since = .usual(at: device.sinceTime)
        last = .usual(at: device.lastTime)
        latencyFrom = .usual(at: device.latencyTime)
    }

    @inline(__always)
    fileprivate mutating func note(_ reading: Reading, as mark: Device.Mark) {
        switch mark {
        case .since: since = reading
        case .last: last = reading
        case .latencyFrom: latencyFrom = reading
        }
    }

    fileprivate func areUsual(of device: borrowing Device) -> Bool {
        last == .usual(at: device.lastTime) && since == .usual(at: device.sinceTime)
            && latencyFrom == .usual(at: device.latencyTime)
    }
}

/// The ``Clocks`` of one partition, by index.
struct ClockStore: ~Copyable {
    private var pool = Pool<Clocks>()

    /// Devices that have some.
    var count: Int { pool.count }
    /// Bytes that they take.
    var byteCount: Int { pool.byteCount }

    fileprivate subscript(index: UInt32) -> Clocks {
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
    /// When the phase began; ``Moment/never`` where that is not known.
    @inline(__always)
    func since(_ context: FoldContext) -> Moment {
        clocks == Self.noClocks
            ? Moment(sinceTime, .usual(at: sinceTime)) : Moment(sinceTime, context.clocks[clocks].since)
    }

    /// The last event that was folded; ``Moment/never`` before the first.
    @inline(__always)
    func last(_ context: FoldContext) -> Moment {
        clocks == Self.noClocks ? Moment(lastTime, .usual(at: lastTime)) : Moment(lastTime, context.clocks[clocks].last)
    }

    /// Where the open latency is measured from; see ``Flags/latencyOpen``. In the background, without an open one,
    /// the edge that told of it.
    @inline(__always)
    func latencyFrom(_ context: FoldContext) -> Moment {
        clocks == Self.noClocks
            ? Moment(latencyTime, .usual(at: latencyTime)) : Moment(latencyTime, context.clocks[clocks].latencyFrom)
    }

    enum Mark {
        case since
        case last
        case latencyFrom
    }

    @inline(__always)
    mutating func set(_ mark: Mark, _ moment: Moment, _ context: FoldContext) {
        switch mark {
        case .since: sinceTime = moment.time
        case .last: lastTime = moment.time
        case .latencyFrom: latencyTime = moment.time
        }
        if clocks != Self.noClocks || !moment.isUsual { note(moment, as: mark, context) }
    }

    /// Notes what a moment, whose time has been set, tells beside that.
    @inline(never)
    private mutating func note(_ moment: Moment, as mark: Mark, _ context: FoldContext) {
        if clocks == Self.noClocks { clocks = context.clocks.insert(Clocks(ofUsual: self)) }
        context.clocks[clocks].note(moment.reading, as: mark)
        if moment.isUsual, context.clocks[clocks].areUsual(of: self) { removeClocks(context) }
    }

    /// From here on its moments are what their times tell.
    mutating func removeClocks(_ context: FoldContext) {
        guard clocks != Self.noClocks else { return }
        context.clocks.remove(clocks)
        clocks = Self.noClocks
    }
}
