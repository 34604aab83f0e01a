import BrokerModel
import Foundation
import Metering
import Settings
import Worker

/// One simulated worker process.
final class Host {
    let actor: Actor
    let worker: Worker
    let metrics: Metrics
    let name: String
    var hasEnded = false
    var failure: String?
    var isStopping = false

    init(_ name: String, _ actor: Actor, _ worker: Worker, _ metrics: Metrics) {
        self.name = name
        self.actor = actor
        self.worker = worker
        self.metrics = metrics
    }

    var isAlive: Bool { actor.state != .dead && !hasEnded }
}

/// One run: a cluster, workers, input, faults; checked all the time, then brought to rest.
final class Run {
    struct Result {
        var hash: UInt64
        var steps: Int
        var now: Int64
        var rows: Int
        /// Of them, those of groups beyond the limit.
        var others: Int
        var comparisons: Int
        var restorations: Int
        var trapped: Int
        /// ms from the end of faults until all was done.
        var recovery: Int64
    }

    let plan: Plan
    let world: World
    let net: Net
    let checks: Checks
    private(set) var hosts: [Host] = []
    private var telemetry: Input
    private var random: Random
    private var faults: ArraySlice<(time: Int64, fault: Plan.Fault)>
    private var actors = 0
    /// The trace is written, and what the workers log.
    private let isShown: Bool
    private var names = 0
    /// Told by all workers.
    private var commitFailures = 0
    private var isFinishing = false
    /// What stood in blocks of an older format, once it did.
    var upgrade: Upgrade?
    /// No more faults come about.
    private(set) var isRecovering = false
    /// A topic that was deleted and is not there again.
    var deleted: DescribedTopic?
    private(set) var partitions: Int32
    private let devices: FileHandle? = FileHandle(forWritingAtPath: "/dev/null")

    /// ms between two looks.
    private static let tick: Int64 = 250
    /// Within so many ms after the last fault all has to be done.
    static let recoveryLimit: Int64 = 90_000

    init(seed: UInt64, isShown: Bool) throws {
        self.isShown = isShown
        plan = Plan(seed: seed)
        var random = plan.random
        world = World(seed: random.next(), trace: Trace(isShown: isShown))
        world.hesitation = plan.hesitation
        var options = ClusterOptions()
        options.markerDelay = plan.markerDelay
        options.firstMarker = plan.firstMarker
        options.initialRebalanceDelay = plan.rebalanceDelay
        net = Net(world, ModelCluster(options: options))
        net.latency = plan.latency
        let partitions = plan.partitions
        net.change { cluster, now in
            try? cluster.createTopic("in", partitions: partitions, settings: [:], now: now)
        }
        self.partitions = partitions
        telemetry = Input(plan, random.branch())
        checks = try Checks(net, plan)
        self.random = random.branch()
        faults = plan.faults[...]
        net.kill = { [weak self] actor in self?.kill(actor) }
    }

    // MARK: Workers

    @discardableResult
    func launch(_ name: String? = nil) throws -> Host {
        if name == nil { names += 1 }
        let name = name ?? "w\(names)"
        actors += 1
        let actor = Actor(number: actors, name: "\(name)#\(actors)")
        let scheduler = SimulatedScheduler(world, actor)
        let metrics = Metrics()
        let log = Log(
            level: isShown ? .info : .error, descriptor: isShown ? 2 : devices?.fileDescriptor ?? 2,
            lost: metrics.counter(\.logLinesLost))
        let worker = Worker(
            try plan.settings(of: name), metrics: metrics, log: log,
            on: Platform(cluster: SimulatedCluster(net, actor), scheduler: scheduler))
        let host = Host(name, actor, worker, metrics)
        hosts.append(host)
        scheduler.makeQueue().add { [world] in
            do throws(WorkerFailure) {
                try worker.run()
            } catch {
                host.failure = error.description
            }
            host.hasEnded = true
            world.trace.line(world.now, "\(actor.name): ended \(host.failure ?? "")")
        }
        world.trace.line(world.now, "\(actor.name): launched")
        return host
    }

    func kill(_ actor: Actor) {
        // What was to befall somebody yet no longer does once all is over.
        if actor.state == .dead || net.isCut { return }
        actor.state = .dead
        world.trace.line(world.now, "\(actor.name): killed")
        // What supervises workers starts another one, of the same name.
        guard let host = hosts.first(where: { $0.actor === actor }), !host.isStopping else { return }
        world.after(random.pick([100, 1000, 5000, 15_000])) { [self] in
            if isFinishing || hosts.contains(where: { $0.name == host.name && $0.isAlive }) { return }
            _ = try? launch(host.name)
        }
    }

    func living(_ number: Int) -> Host? {
        let alive = hosts.filter { $0.isAlive && !$0.isStopping }
        return alive.isEmpty ? nil : alive[number % alive.count]
    }

    /// Of two processes of one name one goes.
    func endTwin(_ twin: Host) {
        guard hosts.contains(where: { $0 !== twin && $0.name == twin.name && $0.isAlive }) else { return }
        twin.isStopping = true
        kill(twin.actor)
    }

    /// The input topic has more partitions.
    func grew(to total: Int32) {
        partitions = total
        checks.partitionAdded(total - 1)
    }

    // MARK: Input

    private func write(_ records: [(partition: Int32, record: Record)]) {
        for (partition, record) in records {
            net.change { cluster, now in
                // Whoever sends telemetry keeps it until the cluster takes it.
                let place = PartitionName("in", partition)
                guard let offset = try? cluster.produce(Batch([record]), to: place, now: now) else { return }
                checks.wrote(record, to: place, at: offset)
            }
        }
    }

    // MARK: The course of it

    func run() throws -> Result {
        let result: Result
        do {
            result = try takeCourse()
        } catch {
            try? windUp()
            throw error
        }
        try windUp()
        return result
    }

    private func takeCourse() throws -> Result {
        for _ in 0..<plan.workers {
            try launch()
            world.sleep(random.number(0...500))
        }
        while world.now < plan.length || !faults.isEmpty {
            while let next = faults.first, next.time <= world.now {
                faults.removeFirst()
                try befall(next.fault)
            }
            write(telemetry.next(Self.tick))
            try tick()
        }
        let recovery = try recover()
        if plan.hasSilence { try awaitFinals() }
        if plan.killsAll { try restartAll() }
        try finish()
        return Result(
            hash: world.trace.hash, steps: world.trace.steps, now: world.now, rows: checks.rowCount,
            others: checks.otherRows,
            comparisons: checks.comparisons, restorations: checks.restorations, trapped: net.sprung,
            recovery: recovery)
    }

    func tick() throws {
        world.sleep(Self.tick)
        try checkHosts()
        let isDeep = random.happens(0.1)
        try checks.look(deep: isDeep)
        if isDeep { try checkBounds() }
    }

    /// A worker that does not reach its cluster when it begins says so, and ends.
    private func isExcused(_ host: Host) -> Bool {
        host.failure?.contains("transport") == true
            && plan.faults.contains {
                switch $0.fault {
                case .outage, .loss, .trap, .delays: true
                default: false
                }
            }
    }

    private func checkHosts() throws {
        let failures = hosts.reduce(0) { $0 + Int($1.metrics.counter(\.commitFailures).value) }
        if failures > commitFailures { checks.failed(commits: failures - commitFailures) }
        commitFailures = failures
        for host in hosts where host.actor.state != .dead {
            if host.hasEnded, !host.isStopping {
                if isExcused(host) {
                    kill(host.actor)
                    continue
                }
                throw Violation("I9", "\(host.actor.name) ended by itself: \(host.failure ?? "without a word")")
            }
            let waiting = host.metrics.gauge(\.epochsWaiting).value
            if waiting > 2 { throw Violation("I8", "\(waiting) epochs wait in \(host.actor.name)") }
        }
        let lost = hosts.reduce(0) { $0 + Int($1.metrics.counter(\.checkpointsLost).value) }
        if lost > 0, lost <= checks.uncommittedStates {
            checks.hasLostStates = true
        } else if lost > 0 {
            let isRemade = [.input, .events].contains(plan.remade?.topic)
            if !plan.spoilsCheckpoints, !isRemade { throw Violation("I2", "a checkpoint was lost") }
            if plan.spoilsCheckpoints { checks.hasLostStates = true }
        }
    }

    /// Faults are over: whoever is away comes back, and all that was sent has to be done in bounded time.
    private func recover() throws -> Int64 {
        isRecovering = true
        net.traps = []
        net.loss = 0
        net.delays = 0
        for host in hosts {
            world.thaw(host.actor)
            host.actor.plan = nil
            endTwin(host)
        }
        net.change { cluster, now in cluster.start(loading: 0, now: now) }
        makeAgain()
        if !hosts.contains(where: { $0.isAlive && !$0.isStopping }) { try launch() }
        while !telemetry.isOver { write(telemetry.next(Self.tick)) }
        write(telemetry.last(partitions))
        let begin = world.now
        world.trace.line(begin, "no more faults")
        while true {
            try tick()
            guard let undone = try checks.undone() else { break }
            if world.now - begin > Self.recoveryLimit {
                throw Violation("I9", "\(world.now - begin) ms after the last fault not all is done: \(undone)")
            }
        }
        let recovery = world.now - begin
        try settle()
        try checks.compareEvents()
        return recovery
    }

    /// The last partition stays silent: windows become final all the same.
    private func awaitFinals() throws {
        for _ in 0..<30 {
            world.sleep(5000)
            try checkHosts()
            try checks.look(deep: false)
        }
        try settle()
        try checks.lookForFinals(at: world.now)
    }

    /// I9: from a restart after kill -9 to the first commit it takes 10 s, and what is read back.
    private func restartAll() throws {
        // A member that died on its way into the group may have been made its leader: it is missed only later.
        let isBound = try isStable()
        isFinishing = true
        let names = hosts.filter { $0.isAlive && !$0.isStopping }.map(\.name)
        for host in hosts where host.isAlive { kill(host.actor) }
        for name in Set(names).sorted() { try launch(name) }
        write(telemetry.last(partitions))
        let begin = world.now
        let before = checks.committedInput()
        // Some round trips, and the epoch that is closed after it.
        let limit = 10_000 + plan.latency.upperBound * 60 + 2000
        while checks.committedInput() == before {
            try tick()
            if world.now - begin > (isBound ? limit : Self.recoveryLimit) {
                throw Violation("I9", "no commit \(world.now - begin) ms after a restart")
            }
        }
        while let undone = try checks.undone() {
            try tick()
            if world.now - begin > Self.recoveryLimit { throw Violation("I9", "after a restart: \(undone)") }
        }
        try settle()
    }

    /// Whether all living workers, and nobody else, are in the group.
    private func isStable() throws -> Bool {
        let now = world.now
        let groups = try net.peek { cluster throws(BrokerError) in try cluster.groups(now: now) }.get()
        return groups.allSatisfy { $0.state == "Stable" && $0.members.count == hosts.count(where: \.isAlive) }
    }

    /// What is done is seen at once or soon: markers are on their way.
    private func settle() throws {
        for _ in 0..<40 {
            if try checks.look(deep: true) { return }
            world.sleep(Self.tick)
        }
        throw Violation("I7", "transactions stay open")
    }

    /// SIGTERM to all.
    private func finish() throws {
        try becomeReady()
        try comeToAgree()
        try checkUpgrade()
        isFinishing = true
        for host in hosts where host.isAlive {
            host.isStopping = true
            host.worker.stop()
        }
        let begin = world.now
        while let host = hosts.first(where: { $0.isAlive }) {
            world.sleep(Self.tick)
            if world.now - begin > 22_000 { throw Violation("I9", "\(host.actor.name) does not stop") }
        }
        for host in hosts where host.hasEnded && host.actor.state != .dead {
            if let failure = host.failure, !isExcused(host) { throw Violation("I9", "\(host.actor.name): \(failure)") }
        }
        try checks.look(deep: true)
    }

    /// Has all come to its end that the run has begun, so that nothing of it stays in the process: the threads of
    /// whoever died go on where they were, in a worker that is stopped and has no cluster.
    private func windUp() throws {
        isFinishing = true
        net.cut()
        world.hesitation = 0
        for host in hosts {
            host.isStopping = true
            host.actor.plan = nil
            world.revive(host.actor)
            host.worker.stop()
        }
        let begin = world.now
        repeat {
            world.sleep(Self.tick)
            if world.now - begin > Self.recoveryLimit {
                let names = hosts.filter { !$0.hasEnded }.map(\.actor.name)
                throw Violation("I9", "without a cluster these do not come to an end: \(names)")
            }
        } while !world.isAtRest || hosts.contains { !$0.hasEnded }
        world.close()
    }

    /// All workers that are left say that they do their work; figures come along with it.
    private func becomeReady() throws {
        let begin = world.now
        while let host = hosts.first(where: { $0.isAlive && !$0.worker.readiness.isReady }) {
            if world.now - begin > Self.recoveryLimit {
                throw Violation("I10", "\(host.actor.name) is not ready: \(host.worker.readiness.reason)")
            }
            try tick()
        }
    }

    /// Figures come along with the work, and a member that died may yet cause a rebalance.
    private func comeToAgree() throws {
        let begin = world.now
        while true {
            do {
                return try checkMetrics()
            } catch {
                if world.now - begin > 30_000 { throw error }
                try tick()
            }
        }
    }
}
