/// Simulated devices: a source of events as SDKs would send them, with the figures that must come out.
///
/// Events are pulled in batches; nothing is held back but the next event of each device, so that memory depends on
/// the number of devices alone. Not for use by several threads at once.
package struct Fleet: ~Copyable {
    package let options: FleetOptions
    /// What must come out of all events given so far; ``finish()`` makes it whole. Nil where none was asked for.
    package private(set) var truth: Truth?
    /// Events given so far.
    package private(set) var count = 0
    /// The largest receive time given so far, ms since the epoch.
    package private(set) var streamTime = Int64.min

    private let profiles: ContiguousArray<Profile>
    private var devices: ContiguousArray<Device>
    private var wheel: Wheel
    private let end: Int64

    /// - Parameter truth: how the truth is divided; nil where none is wanted, which is faster.
    package init(_ options: FleetOptions, truth shape: Truth.Shape? = nil) {
        precondition((1...Int(Int32.max)).contains(options.devices), "a fleet has 1 to 2³¹ − 1 devices")
        precondition((1_000...1_200_000).contains(options.heartbeat), "heartbeats come every second to 20 minutes")
        self.options = options
        end = options.start + options.duration
        let (all, weights) = Profile.all(of: options.mix)
        profiles = ContiguousArray(all)
        devices = Self.born(options, profiles: all, weights: weights)
        wheel = Wheel(capacity: options.devices, start: options.start)
        truth = shape.map {
            Truth(shape: $0, profiles: all, devices: options.devices, start: options.start)
        }
        for index in devices.indices.reversed() where devices[index].due < end {
            wheel.insert(Int32(index), at: devices[index].received)
        }
    }

    private static func born(
        _ options: FleetOptions, profiles: [Profile], weights: [Int]
    ) -> ContiguousArray<Device> {
        var random = Random(seed: options.seed)
        let sum = Int64(weights.reduce(0, +))
        precondition(sum > 0, "a fleet needs a source with a weight")
        let firstWithin = max(1, min(600_000, options.duration / 2))
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
        while batch.hasRoom, count < options.events ?? .max, let number = wheel.pop() {
            give(Int(number), to: &batch)
        }
        return batch.count > before
    }

    /// Gives the events of one device that are received at one moment.
    private mutating func give(_ number: Int, to batch: inout LineBatch) {
        let now = devices[number].received
        streamTime = max(streamTime, now)
        while devices[number].received == now {
            guard batch.hasRoom, count < options.events ?? .max else {
                return wheel.insert(Int32(number), at: now)
            }
            step(number, to: &batch)
            if devices[number].due >= end { return }
        }
        wheel.insert(Int32(number), at: devices[number].received)
    }

    private mutating func step(_ number: Int, to batch: inout LineBatch) {
        let profile = Int(devices[number].profile)
        devices[number].sequence += 1
        let report = devices[number].report(
            id: Random.scramble(options.seed &+ UInt64(number)), source: profiles[profile].source)
        batch.append(report, of: profiles[profile], fields: options.fields)
        count += 1
        if truth != nil {
            let shift = options.fields.contains(.sent) ? Int64(devices[number].lag) : 0
            devices[number].witness(&truth!, number: number, shift: shift)
        }
        devices[number].proceed(profiles[profile].source, heartbeat: options.heartbeat)
    }

    /// Adds what the clock alone brings by the end of the stream. No more events are given afterwards.
    package mutating func finish() {
        guard truth != nil else { return }
        for number in devices.indices {
            let shift = options.fields.contains(.sent) ? Int64(devices[number].lag) : 0
            devices[number].passTime(to: .min / 2, received: streamTime, &truth!, shift: shift)
        }
        while wheel.pop() != nil {}
    }
}

extension Device {
    /// The next event as its source tells it.
    func report(id: UInt64, source: FleetOptions.Source) -> Report {
        let base = UInt32(truncatingIfNeeded: id)
        return Report(
            device: id, name: step.name(source), time: due, sequence: sequence,
            process: UInt32(truncatingIfNeeded: Random.scramble(UInt64(base) << 32 | UInt64(process))),
            boot: base ^ 0x5A5A_5A5A, monotonic: due - bootTime(id), sent: sent, received: received,
            reason: reason.name, handler: Int64(handler), prewarm: step == .prewarm)
    }

    /// When the phone was started: up to twelve days before the epoch of the simulation's default start.
    private func bootTime(_ id: UInt64) -> Int64 { 1_500_000_000_000 - Int64(id & 0x3FFF_FFFF) }
}
