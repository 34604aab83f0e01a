/// What goes wrong on the way of events, and in the devices: each kind with what must come of it.
package struct Faults: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Events arrive twice, at once or some seconds later.
    package static let duplicates = Faults(rawValue: 1)
    /// Events arrive after younger ones, within one upload or some seconds later. Needs sequence numbers.
    package static let reorder = Faults(rawValue: 2)
    /// Events never arrive. Needs sequence numbers.
    package static let lost = Faults(rawValue: 4)
    /// Devices whose clock is wrong: by days where uploads say when they were sent, else by minutes.
    package static let skew = Faults(rawValue: 8)
    /// Devices that are offline for hours and upload then, some of them when windows are final.
    package static let late = Faults(rawValue: 16)
    /// Processes die in the foreground; some deaths are reported by the next process.
    package static let crashes = Faults(rawValue: 32)
    /// Apps in the foreground fall silent for longer than the limit, some for good.
    package static let silence = Faults(rawValue: 64)

    /// Each kind by the name under which it is asked for.
    package static let names: [(name: String, fault: Faults)] = [
        ("duplicates", .duplicates), ("reorder", .reorder), ("lost", .lost), ("skew", .skew), ("late", .late),
        ("crashes", .crashes), ("silence", .silence),
    ]

    package static let all: Faults = names.reduce([]) { $0.union($1.fault) }

    /// - Parameter list: names with commas between them, or `all`, or `none`.
    /// - Returns: nil with the first name that means nothing.
    package static func parse(_ list: String) -> Result<Faults, UnknownFault> {
        var faults: Faults = []
        for name in list.split(separator: ",") {
            let name = name.filter { $0 != " " }
            if name == "none" { continue }
            if name == "all" {
                faults = all
            } else if let known = names.first(where: { $0.name == name }) {
                faults.insert(known.fault)
            } else {
                return .failure(UnknownFault(name: name))
            }
        }
        return .success(faults)
    }

    package struct UnknownFault: Error, Equatable {
        package let name: String
    }
}

extension Device {
    /// What a device has to know of the fleet to go on.
    struct World {
        let source: FleetOptions.Source
        let heartbeat: Int64
        let faults: Faults
        /// Whether events bear numbers, so that a lost or a late one is noticed.
        let isNumbered: Bool
        let hasEpisodes: Bool
        /// No device lives on after it, ms since the epoch.
        let end: Int64
    }

    /// Whether the event to come is lost on its way: one whose absence has a known consequence.
    mutating func decideLoss(_ world: World) {
        traits.remove(.lost)
        guard world.faults.contains(.lost), world.isNumbered, sequence > 0 else { return }
        switch step {
        case .heartbeat: if random.chance(Habits.lostHeartbeat) { traits.insert(.lost) }
        case .interrupt where burstSize == 0 && losesEdges: if random.chance(Habits.lostEdge) { traits.insert(.lost) }
        case .depart where losesEdges, .foreground where losesEdges:
            if random.chance(Habits.lostEdge) { traits.insert(.lost) }
        default: break
        }
    }

    /// Graces and echoes tell what a lost edge has meant, or seem to.
    private var losesEdges: Bool { traits.isDisjoint(with: [.echoes, .hasGraces]) }

    /// Whether the event to come may arrive after the one that follows it: one before which no limit runs but that
    /// of silence.
    var mayBeOvertaken: Bool {
        // Those that wait for it must find room: no upload of hours, no burst.
        let hasRoom = burstSize == 0 && sent - due <= 60_000
        guard sequence > 1, !overtaken, !traits.contains(.lost), hasRoom else { return false }
        switch step {
        case .heartbeat: return true
        case .interrupt, .depart, .foreground, .wakeForeground: return !traits.contains(.hasGraces)
        default: return false
        }
    }

    /// Whether few events go with the one to come.
    var isAlone: Bool { burstSize == 0 && sent - due < 20_000 }

    /// When the event to come happened, as the figures see it.
    var eventTime: Int64 { step == .exitReport ? died : due }

    /// The next process begins only when all that the one before has sent is there.
    mutating func waitForStragglers() {
        guard step.beginsProcess, received <= barrier else { return }
        sent = max(due + lateness, barrier)
        received = max(sent + Int64(lag), barrier + 1)
        sent = received - Int64(lag)
    }

    /// Nothing is uploaded long after the end, or stream time would pass in leaps.
    mutating func uploadBy(_ end: Int64, after before: Int64) {
        guard sent > end, due < end else { return }
        sent = max(due + lateness, end)
        received = max(sent + Int64(lag), max(barrier, before) + 1)
        sent = received - Int64(lag)
    }
}

extension Step {
    var beginsProcess: Bool { self == .launch || self == .wake || self == .prewarm }
}
