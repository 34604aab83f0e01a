/// Events that come later than their place in the order of their device: a bounded number of them.
struct Stragglers {
    /// The most that may be on their way.
    let limit: Int
    /// How many places are taken.
    private(set) var count = 0
    private var places: ContiguousArray<(report: Report, profile: UInt16)?>
    private var free: ContiguousArray<Int32>

    init(limit: Int) {
        self.limit = limit
        places = ContiguousArray(repeating: nil, count: limit)
        free = ContiguousArray((0..<Int32(limit)).reversed())
    }

    /// Takes a place that is to be filled; nil where there is none.
    mutating func reserve() -> Int? {
        guard let place = free.popLast() else { return nil }
        count += 1
        return Int(place)
    }

    mutating func put(_ report: Report, profile: UInt16, in place: Int) {
        places[place] = (report, profile)
    }

    mutating func take(_ place: Int) -> (report: Report, profile: UInt16) {
        guard let straggler = places[place] else { preconditionFailure("nothing is in this place") }
        free.append(Int32(place))
        places[place] = nil
        count -= 1
        return straggler
    }
}

extension Device {
    /// The next event as its source tells it.
    func report(id: UInt64, source: FleetOptions.Source) -> Report {
        let base = UInt32(truncatingIfNeeded: id)
        return Report(
            device: id, name: name(source), time: stamp + Int64(skew), sequence: sequence,
            process: UInt32(truncatingIfNeeded: Random.scramble(UInt64(base) << 32 | UInt64(process))),
            boot: base ^ 0x5A5A_5A5A, monotonic: stamp - Self.bootTime(id), sent: sent + Int64(skew),
            received: received, reason: reason.name, handler: Int64(handler), prewarm: step == .prewarm,
            exitReason: step == .exitReport ? crashReason : "", scope: scope(source),
            instance: instance(base, source), className: className(source),
            resource: step == .episode ? episodeStage.resource : "")
    }

    private func name(_ source: FleetOptions.Source) -> StaticString {
        switch step {
        case .echo: echoed.appDelegateName
        case .episode: episodeStage.name
        default: step.name(source)
        }
    }

    private func instance(_ base: UInt32, _ source: FleetOptions.Source) -> UInt32 {
        let number = subject(source)
        return number == 0 ? 0 : UInt32(truncatingIfNeeded: Random.scramble(UInt64(base) << 16 | UInt64(number)))
    }

    /// When the phone was started: long before the simulation.
    private static func bootTime(_ id: UInt64) -> Int64 { 1_500_000_000_000 - Int64(id & 0x3FFF_FFFF) }

    var crashReason: StaticString {
        switch process % 4 {
        case 0: "abort"
        case 1: "bad_access"
        case 2: "low_memory"
        default: "watchdog"
        }
    }
}
