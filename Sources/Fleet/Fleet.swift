internal import Lifecycle

/// Simulated devices: a source of events as SDKs would send them, with the figures that must come out.
///
/// Events are pulled in batches; nothing is held back but the next event of each device and, with faults, a bounded
/// number of stragglers, so that memory depends on the number of devices alone. Not for use by several threads at
/// once.
package struct Fleet: ~Copyable {
    package let options: FleetOptions
    /// What must come out of all events given so far; ``finish()`` makes it whole. Nil where none was asked for.
    package private(set) var truth: Truth?
    /// Events given so far, duplicates included.
    package private(set) var count = 0
    /// Duplicates among them.
    package private(set) var duplicates = 0
    /// Events that were lost on their way: never given.
    package private(set) var lost = 0
    /// The largest receive time given so far, ms since the epoch; where none is given, the largest device time.
    package private(set) var streamTime = Int64.min

    private let profiles: ContiguousArray<Profile>
    private var devices: ContiguousArray<Device>
    private var stragglers: Stragglers
    private var wheel: Wheel
    private let end: Int64
    /// The device whose turn it is next, where they come one after the other.
    private var turn = 0

    /// - Parameter truth: how the truth is divided; nil where none is wanted, which is faster.
    package init(_ options: FleetOptions, truth shape: Truth.Shape? = nil) {
        precondition((1...Int(Int32.max / 2)).contains(options.devices), "a fleet has 1 to 2³⁰ devices")
        precondition((1_000...1_200_000).contains(options.heartbeat), "heartbeats come every second to 20 minutes")
        var options = options
        if options.order == .device {
            options.fields.remove(.received)
            options.faults.remove(.reorder)
        }
        self.options = options
        end = options.start + options.duration
        let (all, weights) = Profile.all(of: options.mix)
        profiles = ContiguousArray(all)
        devices = Self.born(options, profiles: all, weights: weights)
        let wantsStragglers = !options.faults.isDisjoint(with: [.duplicates, .reorder])
        stragglers = Stragglers(limit: wantsStragglers ? 1024 + options.devices / 8 : 0)
        wheel = Wheel(capacity: options.devices + stragglers.limit, start: options.start)
        let isTimed = options.order == .received
        truth = shape.map {
            Truth(shape: $0, isTimed: isTimed, profiles: all, devices: options.devices, start: options.start)
        }
        for index in devices.indices.reversed() { devices[index].uploadBy(end, after: options.start) }
        for index in devices.indices.reversed() where isTimed && devices[index].due < end {
            wheel.insert(Int32(index), at: devices[index].received)
        }
    }

    private static func born(
        _ options: FleetOptions, profiles: [Profile], weights: [Int]
    ) -> ContiguousArray<Device> {
        var random = Random(seed: options.seed)
        let sum = Int64(weights.reduce(0, +))
        precondition(sum > 0, "a fleet needs a source with a weight")
        let firstWithin = max(1, min(options.spread, options.duration / 2))
        var devices = ContiguousArray<Device>()
        devices.reserveCapacity(options.devices)
        for index in 0..<options.devices {
            var place = random.below(sum)
            var profile = 0
            while place >= weights[profile] {
                place -= Int64(weights[profile])
                profile += 1
            }
            devices.append(
                Device(
                    index: index, profile: UInt16(profile), source: profiles[profile].source, options: options,
                    firstWithin: firstWithin))
        }
        return devices
    }

    /// Adds events to the batch until it is full or no more come.
    ///
    /// - Returns: false if nothing was added: all events have been given.
    package mutating func fill(_ batch: inout LineBatch) -> Bool {
        let before = batch.count
        while batch.hasRoom, mayGive, let number = nextUp() {
            if Int(number) < devices.count {
                give(Int(number), to: &batch)
            } else {
                giveStraggler(Int(number) - devices.count, to: &batch)
            }
        }
        return batch.count > before
    }

    private mutating func nextUp() -> Int32? {
        while options.order == .device, wheel.count == 0, turn < devices.count {
            wheel.rewind(to: options.start)
            if devices[turn].due < end { wheel.insert(Int32(turn), at: devices[turn].received) }
            turn += 1
        }
        return wheel.pop()
    }

    /// Stragglers are counted beforehand: what they are late for has been told already.
    private var isAtLimit: Bool { count + stragglers.count >= options.events ?? .max }
    private var mayGive: Bool { !isAtLimit || stragglers.count > 0 }

    private mutating func giveStraggler(_ slot: Int, to batch: inout LineBatch) {
        let (report, profile) = stragglers.take(slot)
        append(report, profile: Int(profile), to: &batch)
    }

    private mutating func append(_ report: Report, profile: Int, to batch: inout LineBatch) {
        batch.append(report, of: profiles[profile], fields: options.fields)
        if options.order == .received { streamTime = max(streamTime, report.received) }
        count += 1
    }

    /// Gives the events of one device that are received at one moment.
    private mutating func give(_ number: Int, to batch: inout LineBatch) {
        let now = devices[number].received
        while devices[number].received == now {
            if isAtLimit { return }
            guard batch.hasRoom else { return wheel.insert(Int32(number), at: now) }
            step(number, to: &batch)
            if devices[number].due >= end || devices[number].step == .vanish { return }
        }
        wheel.insert(Int32(number), at: devices[number].received)
    }

    private mutating func step(_ number: Int, to batch: inout LineBatch) {
        let profile = Int(devices[number].profile)
        let source = profiles[profile].source
        devices[number].sequence += 1
        if devices[number].traits.contains(.lost) {
            lost += 1
            devices[number].missing += 1
            return devices[number].proceed(world(source))
        }
        var report = devices[number].report(id: Random.scramble(options.seed &+ UInt64(number)), source: source)
        var arrival = report.received
        let copyDelay = options.faults.contains(.duplicates) ? delayOfCopy(number) : nil
        var slot: Int?
        if options.faults.contains(.reorder), let late = overtaken(number, source) {
            slot = stragglers.reserve()
            if slot != nil {
                arrival = late.arrival
                report.received = late.received
                devices[number].barrier = max(devices[number].barrier, late.received)
            }
        }
        var told = report.received
        if options.order == .device {
            // Without a receive time an event counts as received when it happened, unless the stream is beyond.
            streamTime = max(streamTime, devices[number].due + shift(number))
            told = streamTime
            arrival = streamTime
        }
        if truth != nil {
            devices[number].witness(&truth!, number: number, shift: shift(number), received: told, arrival: arrival)
        }
        devices[number].overtaken = slot != nil
        if let copyDelay { duplicate(report, number, after: copyDelay) }
        devices[number].proceed(world(source))
        if let slot {
            stragglers.put(report, profile: UInt16(profile), in: slot)
            wheel.insert(Int32(devices.count + slot), at: report.received)
        } else {
            append(report, profile: profile, to: &batch)
        }
    }

    private func world(_ source: FleetOptions.Source) -> Device.World {
        Device.World(
            source: source, heartbeat: options.heartbeat, faults: options.faults,
            isNumbered: options.fields.contains(.sequence), hasEpisodes: options.hasEpisodes, end: end)
    }

    /// Decides whether the event to come is overtaken by the one after it.
    ///
    /// - Returns: when it is received, and when the first of the two is.
    private mutating func overtaken(
        _ number: Int, _ source: FleetOptions.Source
    ) -> (received: Int64, arrival: Int64)? {
        guard options.fields.contains(.sequence), devices[number].mayBeOvertaken,
            devices[number].random.chance(Habits.overtaken)
        else { return nil }
        let delay = devices[number].random.chance(500) ? 0 : devices[number].random.within(Habits.overtakenBy)
        let received = devices[number].received + delay
        var next = devices[number]
        next.proceed(world(source))
        let comes = next.due < end && next.sent <= end && next.step != .vanish && !next.traits.contains(.lost)
        guard comes, !next.step.beginsProcess, next.received < received || delay == 0 && next.received == received
        else { return nil }
        return (received, min(received, next.received))
    }

    /// Decides whether an event is sent a second time, and how much later.
    private mutating func delayOfCopy(_ number: Int) -> Int64? {
        guard devices[number].random.chance(Habits.duplicate) else { return nil }
        // A copy is known among the last 64 numbers, or without numbers among the last 16 events.
        guard devices[number].isAlone else { return nil }
        let isLater = options.fields.contains(.sequence) && devices[number].random.chance(500)
        return isLater ? devices[number].random.within(Habits.duplicateAfter) : 0
    }

    private mutating func duplicate(_ report: Report, _ number: Int, after delay: Int64) {
        guard let slot = stragglers.reserve() else { return }
        var copy = report
        copy.received += delay
        devices[number].barrier = max(devices[number].barrier, copy.received)
        let moment = Truth.Moment(
            time: devices[number].eventTime + shift(number), stream: copy.received, profile: devices[number].profile)
        truth?.anomaly(.duplicateEvent, moment)
        duplicates += 1
        stragglers.put(copy, profile: devices[number].profile, in: slot)
        wheel.insert(Int32(devices.count + slot), at: copy.received)
    }

    /// What has to be added to true time to make the corrected time that is measured by.
    fileprivate func shift(_ number: Int) -> Int64 {
        Int64(options.fields.contains(.sent) ? Int32(devices[number].lag) : devices[number].skew)
    }
}

extension Fleet {
    /// Adds what the clock alone brings by the end of the stream. No more events are given afterwards.
    package mutating func finish() {
        while wheel.pop() != nil {}
        guard truth != nil else { return }
        for number in devices.indices {
            devices[number].decideGraces(to: .min / 2, by: streamTime, &truth!, shift: shift(number))
            devices[number].passTime(to: .min / 2, received: streamTime, &truth!, shift: shift(number))
        }
    }
}
