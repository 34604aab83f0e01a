import Lifecycle

/// What the checkpoint tells of every state, whatever its layout in memory: what was told last, and so what the next
/// telling differs from.
struct StateImage: BitwiseCopyable {
    var last = Moment.never
    var since = Moment.never
    var latencyFrom = Moment.never
    var lastReceived = Moment.absent
    var sinceReceived = Moment.absent
    var lastResign = Moment.absent
    var sequenceNext = Moment.absent
    var sequenceSeen: UInt64 = 0
    var process: UInt32 = 0
    var boot: UInt32 = 0
    var lastLaunch: UInt32 = 0
    var launchBefore: UInt32 = 0
    var sinceGroup: UInt32 = 0
    var lastGroup: UInt32 = 0
    var reason: UInt32 = 0
    var flags: UInt32 = 0
    var unexplained: UInt16 = 0
    /// State, what began it, and the launch, in 3, 3 and 2 bits.
    var phase: UInt8 = 0
    var before: UInt8 = 0
    /// Of the ``Cold`` state; those of a new one where there is none.
    var held = HeldImage()

    init() {}

    init(of device: borrowing Device, _ context: FoldContext) {
        last = device.moment(.last, context)
        since = device.moment(.since, context)
        latencyFrom = device.moment(.latencyFrom, context)
        lastReceived = device.lastReceived
        sinceReceived = device.sinceReceived
        lastResign = device.lastResign
        sequenceNext = device.sequenceNext
        sequenceSeen = device.sequenceSeen
        process = device.process
        boot = device.boot
        lastLaunch = device.lastLaunch
        launchBefore = device.launchBefore
        sinceGroup = device.sinceGroup
        lastGroup = device.lastGroup
        reason = device.reason
        flags = device.flags.subtracting(Device.Flags.unsaved).rawValue
        unexplained = device.unexplained
        phase = device.state.rawValue | device.began.rawValue << 3 | device.launch.rawValue << 6
        before = device.before.rawValue
        if let cold = context.store[device.cold] { held = HeldImage(of: cold) }
    }
}

/// The numbers of a ``Cold`` state, beside its lists.
struct HeldImage: BitwiseCopyable {
    var lastOffset: Int64 = 0
    var sinceOffset: Int64 = 0
    var lastTold: Int64 = 0
    var events: Int64 = 0
    var steppedFrom = Moment.never

    init() {}

    init(of cold: Cold) {
        lastOffset = cold.lastOffset
        sinceOffset = cold.sinceOffset
        lastTold = cold.rare.lastTold
        events = cold.events
        steppedFrom = cold.rare.steppedFrom
    }
}

extension Device.Flags {
    /// The writer's own business, in no checkpoint.
    static let unsaved: Self = [.changed, .savedEven, .savedOdd, .inUse]
}

/// What was told of a state before, as far as what is told next refers to it.
struct StateBefore: BitwiseCopyable {
    let last: Moment
    let since: Moment
    let lastReceived: Int64
    /// As of ``StateImage/numberBefore``.
    let number: Int64
    let process: UInt32
    let boot: UInt32

    init(_ device: borrowing Device, _ context: FoldContext) {
        last = device.moment(.last, context)
        since = device.moment(.since, context)
        lastReceived = device.lastReceived
        number = Self.number(at: device.sequenceNext)
        process = device.process
        boot = device.boot
    }

    /// Numbers are told as they differ from this.
    static func number(at sequenceNext: Int64) -> Int64 { sequenceNext == Moment.absent ? 0 : sequenceNext }
}
