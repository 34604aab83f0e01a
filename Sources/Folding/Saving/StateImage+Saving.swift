import Lifecycle

/// An image as bytes: what of it differs from the one before, and from what it mostly is.
private enum Shape {
    static let last: UInt64 = 1 << 0
    static let received: UInt64 = 1 << 1
    static let sequence: UInt64 = 1 << 2
    static let phase: UInt64 = 1 << 3
    static let flags: UInt64 = 1 << 4
    static let since: UInt64 = 1 << 5
    static let latency: UInt64 = 1 << 6
    static let process: UInt64 = 1 << 7
    static let launches: UInt64 = 1 << 8
    static let groups: UInt64 = 1 << 9
    static let reason: UInt64 = 1 << 10
    static let boot: UInt64 = 1 << 11
    static let unexplained: UInt64 = 1 << 12
    static let all: UInt64 = (1 << 13) - 1
}

/// Where a time is taken from: one of these, or told.
private enum Source {
    static let same: UInt8 = 0
    static let last: UInt8 = 1
    static let lastBefore: UInt8 = 2
    static let since: UInt8 = 3
    static let sinceBefore: UInt8 = 4
    static let none: UInt8 = 5
    static let told: UInt8 = 6
}

/// The byte that says how ``StateImage/last`` is told.
private enum LastForm {
    static let time: UInt8 = 1
    static let monotonic: UInt8 = 2
    /// Two bits each.
    static let domain: UInt8 = 2
    static let setting: UInt8 = 4
    /// The domain is that of the moment before, which is neither of the process nor of the boot.
    static let domainBefore: UInt8 = 64
}

private enum SeenNumbers {
    /// What is seen by the time of `next` where every number since `before` has come.
    static func seen(_ seen: UInt64, at next: Int64, from before: Int64) -> UInt64 {
        let (step, overflow) = next.subtractingReportingOverflow(before)
        guard !overflow, step >= 0, step < 64 else { return step < 0 ? 0 : UInt64.max }
        return seen << UInt64(step) | (1 << UInt64(step) - 1)
    }
}

extension StateWriter {
    mutating func put(_ image: StateImage, over old: StateImage) {
        let shape = image.shape(over: old)
        self[.shape].append(shape)
        if shape & Shape.process != 0 { self[.identity].append(fixed: image.process) }
        if shape & Shape.boot != 0 { self[.identity].append(fixed: image.boot) }
        if shape & Shape.launches != 0 {
            self[.identity].append(fixed: image.lastLaunch)
            self[.identity].append(byte: image.launchBefore == old.lastLaunch ? 0 : 1)
            if image.launchBefore != old.lastLaunch { self[.identity].append(fixed: image.launchBefore) }
        }
        if shape & Shape.received != 0 { self[.received].append(signed: stream &- image.lastReceived) }
        if shape & Shape.last != 0 { putLast(image, over: old) }
        (last, since, lastReceived) = (image.last, old.since, image.lastReceived)
        if shape & Shape.since != 0 { putSince(image, over: old) }
        since = image.since
        if shape & Shape.latency != 0 { putLatency(image, over: old) }
        if shape & Shape.sequence != 0 { putSequence(image, over: old) }
        if shape & Shape.phase != 0 {
            self[.phase].append(byte: image.phase)
            self[.phase].append(byte: image.before)
        }
        if shape & Shape.flags != 0 { self[.flags].append(UInt64(image.flags ^ old.flags)) }
        if shape & Shape.unexplained != 0 { self[.flags].append(UInt64(image.unexplained)) }
        if shape & Shape.groups != 0 {
            let sinceGroup = image.sinceGroup == image.lastGroup ? Source.last : Source.told
            self[.names].append(byte: sinceGroup)
            group(image.lastGroup, to: .names)
            if sinceGroup == Source.told { group(image.sinceGroup, to: .names) }
        }
        if shape & Shape.reason != 0 { text(image.reason, to: .names) }
    }

    private mutating func putLast(_ image: StateImage, over old: StateImage) {
        let moment = image.last
        var form: UInt8 = 0
        if moment.isKnown { form |= LastForm.time }
        if moment.monotonic != Moment.absent { form |= LastForm.monotonic }
        let domain: UInt8 =
            moment.domain == 0 ? 0 : moment.domain == image.process ? 1 : moment.domain == image.boot ? 2 : 3
        let setting: UInt8 = moment.setting == 0 ? 0 : moment.setting == Moment.fixed ? 1 : 2
        form |= domain << LastForm.domain | setting << LastForm.setting
        if domain == 3, moment.domain == old.last.domain { form |= LastForm.domainBefore }
        self[.last].append(byte: form)
        if moment.isKnown { self[.time].append(signed: image.lastReceived &- moment.time) }
        if moment.monotonic != Moment.absent {
            self[.monotonic].append(signed: MomentForm.drift(of: moment.monotonic, moment.time, from: old.last))
        }
        if domain == 3, form & LastForm.domainBefore == 0 { self[.identity].append(fixed: moment.domain) }
        if setting == 2 { self[.monotonic].append(UInt64(moment.setting)) }
    }

    private mutating func putSince(_ image: StateImage, over old: StateImage) {
        let from = image.sinceSource(over: old)
        let received = image.receivedSource(over: old)
        self[.spans].append(byte: from | received << 4)
        if from == Source.told { put(image.since, from: last, to: .since) }
        if received == Source.told {
            // Uploads take about as long each time.
            let usual = image.lastReceived &- image.last.time
            self[.since].append(signed: usual &- (image.sinceReceived &- image.since.time))
        }
    }

    private mutating func putLatency(_ image: StateImage, over old: StateImage) {
        let from = image.latencySource(over: old)
        let resign = image.resignSource(over: old)
        self[.spans].append(byte: from | resign << 4)
        if from == Source.told { put(image.latencyFrom, from: last, to: .since) }
        if resign == Source.told { self[.resign].append(signed: last.time &- image.lastResign) }
    }

    private mutating func putSequence(_ image: StateImage, over old: StateImage) {
        self[.sequence].append(signed: image.sequenceNext &- old.numberBefore)
        let allSeen = SeenNumbers.seen(old.sequenceSeen, at: image.sequenceNext, from: old.numberBefore)
        if image.sequenceSeen == allSeen { return self[.sequence].append(byte: 0x80) }
        let run = (~image.sequenceSeen).trailingZeroBitCount
        let isRun = run == 64 || image.sequenceSeen >> UInt64(run) == 0
        self[.sequence].append(byte: isRun ? UInt8(run) : 0xFF)
        if !isRun { self[.sequence].append(fixed: image.sequenceSeen) }
    }
}

extension StateImage {
    /// Numbers are told as they differ from this.
    var numberBefore: Int64 { StateBefore.number(at: sequenceNext) }

    fileprivate func shape(over old: StateImage) -> UInt64 {
        var shape: UInt64 = 0
        if last != old.last { shape |= Shape.last }
        if lastReceived != old.lastReceived { shape |= Shape.received }
        if sequenceNext != old.sequenceNext || sequenceSeen != old.sequenceSeen { shape |= Shape.sequence }
        if phase != old.phase || before != old.before { shape |= Shape.phase }
        if flags != old.flags { shape |= Shape.flags }
        if since != old.since || sinceReceived != old.sinceReceived { shape |= Shape.since }
        if latencyFrom != old.latencyFrom || lastResign != old.lastResign { shape |= Shape.latency }
        if process != old.process { shape |= Shape.process }
        if lastLaunch != old.lastLaunch || launchBefore != old.launchBefore { shape |= Shape.launches }
        if lastGroup != old.lastGroup || sinceGroup != old.sinceGroup { shape |= Shape.groups }
        if reason != old.reason { shape |= Shape.reason }
        if boot != old.boot { shape |= Shape.boot }
        if unexplained != old.unexplained { shape |= Shape.unexplained }
        return shape
    }

    fileprivate func sinceSource(over old: StateImage) -> UInt8 {
        if since == old.since { return Source.same }
        if since == last { return Source.last }
        if since == old.last { return Source.lastBefore }
        return since == .never ? Source.none : Source.told
    }

    fileprivate func latencySource(over old: StateImage) -> UInt8 {
        if latencyFrom == old.latencyFrom { return Source.same }
        if latencyFrom == last { return Source.last }
        if latencyFrom == since { return Source.since }
        if latencyFrom == old.last { return Source.lastBefore }
        if latencyFrom == old.since { return Source.sinceBefore }
        return latencyFrom == .never ? Source.none : Source.told
    }

    fileprivate func receivedSource(over old: StateImage) -> UInt8 {
        if sinceReceived == old.sinceReceived { return Source.same }
        if sinceReceived == lastReceived { return Source.last }
        if sinceReceived == old.lastReceived { return Source.lastBefore }
        return sinceReceived == Moment.absent ? Source.none : Source.told
    }

    fileprivate func resignSource(over old: StateImage) -> UInt8 {
        if lastResign == old.lastResign { return Source.same }
        if lastResign == last.time { return Source.last }
        if lastResign == since.time { return Source.since }
        if lastResign == old.last.time { return Source.lastBefore }
        if lastResign == old.since.time { return Source.sinceBefore }
        return lastResign == Moment.absent ? Source.none : Source.told
    }
}

extension StateReader {
    /// Takes what ``StateWriter/put(_:over:)`` wrote, in place.
    ///
    /// - Parameter device: as it was told before; a blank one where it is told whole.
    mutating func update(_ device: inout Device, _ context: FoldContext) throws(UnreadableBytes) -> StateBefore {
        let old = StateBefore(device, context)
        let shape = try self[.shape].number()
        guard shape & ~Shape.all == 0 else { throw UnreadableBytes() }
        if shape & Shape.process != 0 { device.process = try self[.identity].fixed32() }
        if shape & Shape.boot != 0 { device.boot = try self[.identity].fixed32() }
        if shape & Shape.launches != 0 {
            let before = device.lastLaunch
            device.lastLaunch = try self[.identity].fixed32()
            device.launchBefore = try flag(.identity) ? try self[.identity].fixed32() : before
        }
        if shape & Shape.received != 0 { device.lastReceived = stream &- (try self[.received].signed()) }
        if shape & Shape.last != 0 { try readLast(into: &device, over: old, context) }
        (last, since, lastReceived) = (device.moment(.last, context), old.since, device.lastReceived)
        if shape & Shape.since != 0 { try readSince(into: &device, over: old, context) }
        since = device.moment(.since, context)
        if shape & Shape.latency != 0 { try readLatency(into: &device, over: old, context) }
        if shape & Shape.sequence != 0 { try readSequence(into: &device, over: old) }
        if shape & Shape.phase != 0 { try readPhase(into: &device) }
        if shape & Shape.flags != 0 {
            let flags = Device.Flags(rawValue: try self[.flags].small(UInt32.self))
            guard flags.isDisjoint(with: .unsaved) else { throw UnreadableBytes() }
            device.flags.formSymmetricDifference(flags)
        }
        if shape & Shape.unexplained != 0 { device.unexplained = try self[.flags].small(UInt16.self) }
        if shape & Shape.groups != 0 {
            let from = try self[.names].byte()
            device.lastGroup = try group(.names)
            guard from == Source.last || from == Source.told else { throw UnreadableBytes() }
            device.sinceGroup = from == Source.last ? device.lastGroup : try group(.names)
        }
        if shape & Shape.reason != 0 { device.reason = try text(.names) }
        return old
    }

    private mutating func readLast(
        into device: inout Device, over old: StateBefore, _ context: FoldContext
    ) throws(UnreadableBytes) {
        let form = try self[.last].byte()
        guard form < 128 else { throw UnreadableBytes() }
        var moment = Moment.never
        if form & LastForm.time != 0 { moment.time = device.lastReceived &- (try self[.time].signed()) }
        if form & LastForm.monotonic != 0 {
            let drift = try self[.monotonic].signed()
            moment.monotonic = MomentForm.monotonic(of: drift, moment.time, from: old.last)
        }
        switch form >> LastForm.domain & 3 {
        case 0: moment.domain = 0
        case 1: moment.domain = device.process
        case 2: moment.domain = device.boot
        default:
            moment.domain = form & LastForm.domainBefore != 0 ? old.last.domain : try self[.identity].fixed32()
        }
        switch form >> LastForm.setting & 3 {
        case 0: moment.setting = 0
        case 1: moment.setting = Moment.fixed
        case 2: moment.setting = try self[.monotonic].small(UInt32.self)
        default: throw UnreadableBytes()
        }
        device.set(.last, moment, context)
    }

    private mutating func readSince(
        into device: inout Device, over old: StateBefore, _ context: FoldContext
    ) throws(UnreadableBytes) {
        let sources = try self[.spans].byte()
        switch sources & 15 {
        case Source.same: break
        case Source.last: device.set(.since, last, context)
        case Source.lastBefore: device.set(.since, old.last, context)
        case Source.none: device.set(.since, .never, context)
        case Source.told: device.set(.since, try moment(from: last, .since), context)
        default: throw UnreadableBytes()
        }
        switch sources >> 4 {
        case Source.same: break
        case Source.last: device.sinceReceived = device.lastReceived
        case Source.lastBefore: device.sinceReceived = old.lastReceived
        case Source.none: device.sinceReceived = Moment.absent
        case Source.told:
            let usual = device.lastReceived &- device.lastTime
            device.sinceReceived = usual &- (try self[.since].signed()) &+ device.sinceTime
        default: throw UnreadableBytes()
        }
    }

    private mutating func readLatency(
        into device: inout Device, over old: StateBefore, _ context: FoldContext
    ) throws(UnreadableBytes) {
        let sources = try self[.spans].byte()
        switch sources & 15 {
        case Source.same: break
        case Source.last: device.set(.latencyFrom, last, context)
        case Source.since: device.set(.latencyFrom, since, context)
        case Source.lastBefore: device.set(.latencyFrom, old.last, context)
        case Source.sinceBefore: device.set(.latencyFrom, old.since, context)
        case Source.none: device.set(.latencyFrom, .never, context)
        case Source.told: device.set(.latencyFrom, try moment(from: last, .since), context)
        default: throw UnreadableBytes()
        }
        switch sources >> 4 {
        case Source.same: break
        case Source.last: device.lastResign = device.lastTime
        case Source.since: device.lastResign = device.sinceTime
        case Source.lastBefore: device.lastResign = old.last.time
        case Source.sinceBefore: device.lastResign = old.since.time
        case Source.none: device.lastResign = Moment.absent
        case Source.told: device.lastResign = last.time &- (try self[.resign].signed())
        default: throw UnreadableBytes()
        }
    }

    private mutating func readSequence(into device: inout Device, over old: StateBefore) throws(UnreadableBytes) {
        let next = old.number &+ (try self[.sequence].signed())
        let run = try self[.sequence].byte()
        switch run {
        case 0x80: device.sequenceSeen = SeenNumbers.seen(device.sequenceSeen, at: next, from: old.number)
        case 0xFF: device.sequenceSeen = try self[.sequence].fixed64()
        case 0...63: device.sequenceSeen = 1 << UInt64(run) - 1
        case 64: device.sequenceSeen = UInt64.max
        default: throw UnreadableBytes()
        }
        device.sequenceNext = next
    }

    private mutating func readPhase(into device: inout Device) throws(UnreadableBytes) {
        let phase = try self[.phase].byte()
        guard let state = Device.State(rawValue: phase & 7), let began = Device.Began(rawValue: phase >> 3 & 7),
            let launch = Device.Launch(rawValue: phase >> 6),
            let before = Device.State(rawValue: try self[.phase].byte())
        else { throw UnreadableBytes() }
        (device.state, device.before, device.began, device.launch) = (state, before, began, launch)
    }
}
