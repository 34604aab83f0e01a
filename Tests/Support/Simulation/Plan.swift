import Settings

/// One run, drawn from its seed: cluster, workers, input, and what befalls them.
struct Plan {
    enum Fault: Equatable {
        /// kill -9 of a worker. What supervises workers starts another in its place, soon or later.
        case kill(worker: Int)
        /// kill -9 when it comes to a request, or at one of its steps.
        case trap(worker: Int?, Request, Trap.Fate, skipping: Int, delay: Int64)
        case steps(worker: Int, Int)
        case freeze(worker: Int, Int64)
        case outage(Int64, loading: Int64)
        case moveGroup(away: Int64, loading: Int64)
        case moveTransactions(away: Int64, loading: Int64)
        case moveLeaders(Int64)
        /// So many of a thousand requests or answers are lost for a while.
        case loss(Int, Int64)
        case delays(Int, Int64)
        /// A second process of the same name for so long.
        case twin(worker: Int, Int64)
        case join
        case stop(worker: Int)
        case addPartition
        case clock(worker: Int, Int64)
        /// One of the newest records of a checkpoint is spoilt: 0 of the devices, 1 of the totals.
        case spoil(Int, partition: Int, back: Int, torn: Bool)
        /// All of a checkpoint's records are deleted.
        case empty(Int, partition: Int)
        /// Retention passes whoever reads a partition of the input: all but the newest records are deleted.
        case retention(partition: Int, Laggard, after: Int64, keeping: Int)
        case remake(Remade)
        /// All workers are killed, and those that come after them are of another version than the checkpoint.
        case upgrade
    }

    /// Why a reader is behind when its records are deleted.
    enum Laggard: CaseIterable {
        /// It is not, or but a moment.
        case nobody
        case killed
        case frozen
    }

    /// A topic is deleted, and made anew.
    struct Remade: Equatable {
        enum Topic: String, CaseIterable {
            case input = "in"
            case events = "app-events"
            case devices = "app-devices"
            case partials = "app-partials"
            case totals = "app-totals"
        }

        var topic: Topic
        /// ms in which there is none; nil where nobody makes it again, but a worker may.
        var gap: Int64?
        /// All workers have died before it is there again.
        var isUnwatched: Bool
        /// What was written before has been folded and committed: nothing is lost with the topic.
        var isDrained: Bool
        /// ms after it is there again, when the workers are killed: others go on from what is new.
        var kill: Int64?
    }

    let seed: UInt64
    var partitions: Int32
    var workers: Int
    /// A worker keeps its name over restarts.
    var hasNames: Bool
    var isStatic: Bool
    var isKeyed: Bool
    var settings: [String: String]
    /// ms in which input comes and faults happen.
    var length: Int64
    var faults: [(time: Int64, fault: Fault)] = []
    var markerDelay: Int64
    var rebalanceDelay: Int64
    var firstMarker: Int
    var latency: ClosedRange<Int64>
    var hesitation: Double
    var devices: Int
    var events: Int
    /// When all is done, all workers die at once, and others begin in their places.
    var killsAll: Bool
    /// The last partition of the input is silent in the middle of the run, and at the end.
    private(set) var hasSilence = false
    /// Of each app; what is in which group is then decided within each commit, and so compared commit by commit.
    private(set) var versions = 0
    /// Stream time that passes in a ms.
    var pace: Int64
    private(set) var random: Random

    init(seed: UInt64) {
        self.seed = seed
        var random = Random(seed: seed)
        partitions = Int32(random.pick([1, 2, 2, 3, 4]))
        workers = random.happens(0.08) ? Int(partitions) + 1 : random.pick([1, 1, 2, 2, 3])
        hasNames = random.happens(0.5)
        isStatic = hasNames && random.happens(0.3)
        isKeyed = random.happens(0.85)
        length = random.pick([8000, 12_000, 20_000])
        markerDelay = random.pick([0, 0, 2, 20])
        firstMarker = random.below(7)
        rebalanceDelay = random.pick([0, 500, 3000])
        latency = random.pick([1...3, 1...20, 5...60])
        hesitation = random.pick([0, 0, 0.002, 0.02])
        devices = random.pick([3, 10, 30])
        events = random.pick([100, 200, 400])
        pace = random.pick([1, 10, 30])
        killsAll = random.happens(0.2)
        settings = [
            "application.id": "app", "input.topic": "in", "output.topic": "out", "idle.timeout": "1h",
            "kafka.bootstrap.servers": "simulated:1", "group.by": "app_id", "window.sizes": "1m",
            "input.keyed": String(isKeyed), "input.max_record_bytes": "4KiB",
            "commit.interval": random.pick(["200ms", "500ms", "1s"]), "window.grace": random.pick(["20s", "2m", "6h"]),
            "checkpoint.pass": random.pick(["2", "3", "7"]), "emit": random.pick(["updates", "updates", "final"]),
            "transaction.timeout": random.pick(["5s", "10s"]), "revoke.budget": random.pick(["200ms", "1s", "5s"]),
        ]
        if !isKeyed {
            // What is received last waits until all partitions are silent; and stream time runs ahead of the clock.
            settings.merge(["idle.timeout": "20s", "future.tolerance": "1d"]) { _, new in new }
            // Some are ahead of others by more than that again and again.
            if settings["emit"] == "updates" { settings["merge.memory"] = "2KiB" }
            // Whether what a timer releases is before its window is final depends on the steps in which time goes on.
            settings["window.grace"] = "6h"
        }
        if random.happens(0.3) { settings["standby.replicas"] = "1" }
        // What a full buffer lets go depends on the records that events came in, and stage 0 makes others.
        settings["reorder.buffer"] = isKeyed ? random.pick(["1", "3", "32"]) : "32"
        if random.happens(0.3) { settings["standby.memory"] = "1MiB" }
        if random.happens(0.1), isKeyed { settings["kafka.auto.offset.reset"] = "latest" }
        self.random = random
        drawFaults()
        switch self.random.below(20) {
        case 0, 1, 2: drawRetention()
        case 3, 4, 5, 6, 7: drawRemake()
        case 8, 9, 10: if isKeyed { settings["delivery.guarantee"] = "at_least_once" }
        case 11, 12, 13: drawSilence()
        case 14: faults.append((random.number(3000...length), .upgrade))
        case 15, 16: drawGroups()
        default: break
        }
        faults.sort { $0.time < $1.time }
    }

    private mutating func drawRetention() {
        for _ in 0..<random.pick([1, 1, 2, 3]) {
            let fault = Fault.retention(
                partition: random.below(4), random.pick(Laggard.allCases), after: random.pick([100, 1500, 3000]),
                keeping: random.pick([0, 0, 1, 5]))
            faults.append((random.number(1000...length), fault))
        }
        if random.happens(0.3) { settings["kafka.auto.offset.reset"] = "latest" }
    }

    /// One partition has nothing for a while, and others wait for it no longer than they must.
    private mutating func drawSilence() {
        guard isKeyed, partitions > 1 else { return }
        // The wall clock, which silent partitions follow, and the stream go together.
        (pace, hasSilence, length) = (1, true, 20_000)
        settings.merge([
            "idle.timeout": "2s", "window.grace": "20s", "emit": "updates", "checkpoint.pass": Self.endlessPass,
        ]) {
            _, new in new
        }
        faults.removeAll { entry in
            switch entry.fault {
            case .clock, .spoil, .empty: true
            default: false
            }
        }
    }

    /// Nothing of a checkpoint is deleted that has not been looked at yet: no run has so many commits.
    private static let endlessPass = "5000"

    /// More groups than a window holds.
    private mutating func drawGroups() {
        guard isKeyed else { return }
        versions = random.pick([2, 4, 8])
        settings.merge([
            "group.by": "app_id,app_version", "group.limit": random.pick(["1", "2", "5"]),
            "checkpoint.pass": Self.endlessPass,
        ]) { _, new in new }
        faults.removeAll { entry in
            switch entry.fault {
            case .spoil(0, _, _, _), .empty(0, _): true
            default: false
            }
        }
    }

    private mutating func drawRemake() {
        var topic = random.pick([Remade.Topic.input, .input, .events, .devices, .partials, .partials, .totals, .totals])
        if isKeyed ? topic == .events : topic == .totals { topic = .input }
        // A topic that a worker makes again has the partitions that the input has then.
        faults.removeAll { $0.fault == .addPartition }
        // A static leader that comes back does not tell its group of what has changed meanwhile.
        if isStatic, topic != .devices, topic != .totals { return }
        // Totals that are missing are missed where their windows become final.
        if topic == .totals { settings["window.grace"] = random.pick(["20s", "2m"]) }
        let remade = Remade(
            topic: topic, gap: random.pick([0, 200, 3000, 20_000, topic == .input ? 0 : nil]),
            isUnwatched: random.happens(0.4),
            // The order over partitions is not known of what comes after all were silent.
            isDrained: isKeyed && random.happens(0.7),
            kill: random.happens(0.5) ? random.number(1000...4000) : nil)
        let time = random.number(2000...length * 2 / 3)
        faults.append((time, .remake(remade)))
        // Of states without an offset workers of another version do not know whose they are.
        if topic == .input, random.happens(0.3) { faults.append((time + random.number(-2000...4000), .upgrade)) }
    }

    private mutating func drawFaults() {
        let count = random.pick([0, 1, 2, 3, 4, 6, 8, 10])
        for _ in 0..<count { faults.append((random.number(200...length), drawFault())) }
    }

    private mutating func drawFault() -> Fault {
        let worker = random.below(8)
        switch random.below(24) {
        case 0, 1: return .kill(worker: worker)
        case 2, 3, 4, 5: return drawTrap(worker)
        case 6, 7: return .steps(worker: worker, random.below(900) + 1)
        case 8, 9: return .freeze(worker: worker, random.pick([300, 3000, 9000, 16_000]))
        case 10: return .outage(random.pick([200, 3000, 12_000]), loading: random.pick([0, 500, 3000]))
        case 11: return .moveGroup(away: random.pick([100, 2000]), loading: random.pick([0, 1000]))
        case 12: return .moveTransactions(away: random.pick([100, 2000]), loading: random.pick([0, 1000]))
        case 13: return .moveLeaders(random.pick([100, 3000]))
        case 14, 15: return .loss(random.pick([20, 100, 300]), random.pick([1000, 5000]))
        case 16: return .delays(random.pick([50, 300]), random.pick([1000, 5000]))
        case 17: return hasNames ? .twin(worker: worker, random.pick([1000, 6000])) : .join
        case 18: return .join
        case 19: return .stop(worker: worker)
        // A static leader that comes back does not tell its group of partitions that were added meanwhile.
        case 20: return isStatic ? .join : .addPartition
        case 21: return .clock(worker: worker, random.number(-3_000_000...3_000_000))
        case 22:
            return .spoil(
                random.below(2), partition: random.below(4), back: random.below(12), torn: random.happens(0.5))
        default: return .empty(random.below(2), partition: random.below(4))
        }
    }

    private mutating func drawTrap(_ worker: Int) -> Fault {
        let deadly: [Request] = [
            .committedOffsets, .initProducer, .addPartitions, .produce, .addOffsets, .transactionOffsets,
            .endTransaction, .fetch, .listOffsets, .joinGroup, .syncGroup, .leaveGroup, .metadata,
        ]
        let fate = random.pick(Trap.Fate.allCases)
        let request = random.happens(0.4) ? .endTransaction : random.pick(deadly)
        return .trap(
            worker: random.happens(0.5) ? worker : nil, request, fate, skipping: random.pick([0, 0, 1, 3, 10]),
            delay: random.pick([500, 3000, 12_000]))
    }

    /// Whether the states that a restart needs are spoilt on purpose.
    var spoilsCheckpoints: Bool {
        faults.contains {
            switch $0.fault {
            case .spoil, .empty, .upgrade: true
            case .remake(let remade): remade.topic == .devices
            default: false
            }
        }
    }

    /// Records of the states are spoilt or deleted, apart from what another version makes of them.
    var spoilsDevices: Bool {
        faults.contains {
            switch $0.fault {
            case .spoil(0, _, _, _), .empty(0, _): true
            case .remake(let remade): remade.topic == .devices
            default: false
            }
        }
    }

    /// Totals are made again from partials, whose revisions begin anew.
    var spoilsTotals: Bool {
        faults.contains {
            switch $0.fault {
            case .spoil(1, _, _, _), .empty(1, _): true
            case .remake(let remade): remade.topic == .totals
            default: false
            }
        }
    }

    /// The topic that is made anew; at most one.
    var remade: Remade? {
        for entry in faults { if case .remake(let remade) = entry.fault { return remade } }
        return nil
    }

    var deletesRecords: Bool {
        faults.contains { if case .retention = $0.fault { true } else { false } }
    }

    /// Some events may count twice after a fault.
    var mayRepeat: Bool { settings["delivery.guarantee"] == "at_least_once" }

    /// What is said of a partition depends on where its commits end, which the checkpoint tells.
    var isByCommit: Bool { hasSilence || versions > 0 }

    var addsPartitions: Bool { faults.contains { $0.fault == .addPartition } }

    /// Those of one worker.
    func settings(of name: String) throws -> Settings {
        var values = settings
        if hasNames { values["worker.name"] = name }
        if isStatic { values["kafka.consumer.group.instance.id"] = name }
        return try Settings(values)
    }
}
