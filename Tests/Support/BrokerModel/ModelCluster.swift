/// A Kafka cluster as its clients see it: a value that changes by calls alone.
///
/// It has no clock, no thread and no randomness of its own: the same calls at the same times give the same answers.
/// Copies are independent of each other. All brokers are one here: replication is instant, and to lose a leader or a
/// coordinator is to be refused for a while.
package struct ModelCluster: BrokerCalls, BrokerFaults, Sendable {
    struct Topic: Sendable {
        var id: Int
        var settings: [String: String] = [:]
        var logs: [PartitionLog] = []
    }

    /// While a coordinator is on its way from one broker to another, ms.
    struct Move: Sendable {
        /// Until then nobody knows it.
        var away: Int64
        /// Until then it reads what it has to know.
        var loading: Int64
    }

    package var options: ClusterOptions
    /// Virtual time, ms.
    package private(set) var now: Int64
    var topicsByName: [String: Topic] = [:]
    // What is due next depends on these.
    var isDown = false { didSet { quietUntil = nil } }
    var transactions: [String: Transaction] = [:] { didSet { quietUntil = nil } }
    var groupsByName: [String: Group] = [:] { didSet { quietUntil = nil } }
    var moves: [Coordinated: Move] = [:] { didSet { quietUntil = nil } }
    /// When every coordinator is loaded after a start.
    var loaded: Int64 = 0 { didSet { quietUntil = nil } }
    /// Until when a partition has no leader that is known.
    var leaderless: [PartitionName: Int64] = [:] { didSet { quietUntil = nil } }
    /// Nothing is due before this, so that most calls need not look; nil where that is not known.
    private var quietUntil: Int64?
    private var lastProducer: Int64 = 0
    private var lastTopic = 0

    package init(options: ClusterOptions = ClusterOptions(), now: Int64 = 0) {
        self.options = options
        self.now = now
    }

    mutating func freshProducer() -> Int64 {
        lastProducer += 1
        return lastProducer
    }

    mutating func freshTopic() -> Int {
        lastTopic += 1
        return lastTopic
    }

    // MARK: Time

    /// What every call begins with.
    mutating func begin(_ now: Int64) throws(BrokerError) {
        advance(to: now)
        if isDown { throw .networkException }
    }

    package mutating func advance(to now: Int64) {
        precondition(now >= self.now, "time goes back from \(self.now) to \(now)")
        defer { self.now = now }
        if let quietUntil, now < quietUntil { return }
        var next = nextDeadline
        while let time = next, time <= now {
            self.now = max(self.now, time)
            for whom in due(by: time) { advance(whom) }
            next = nextDeadline
        }
        quietUntil = next ?? .max
    }

    private mutating func advance(_ whom: Coordinated) {
        let time = now
        switch whom {
        case .group(let name): groupsByName[name]?.advance(to: time)
        case .transaction(let id): advanceTransaction(id)
        }
    }

    package var nextDeadline: Int64? {
        if isDown { return nil }
        var first = Int64.max
        for (_, group) in groupsByName { first = min(first, group.nextDeadline ?? .max) }
        for (id, transaction) in transactions { first = min(first, deadline(of: id, transaction) ?? .max) }
        return first == .max ? nil : first
    }

    /// By name: never in the order of a dictionary, which differs from run to run.
    private func due(by time: Int64) -> [Coordinated] {
        let groups = groupsByName.values.filter { $0.nextDeadline ?? .max <= time }.map(\.name).sorted()
        let ends = transactions.filter { deadline(of: $0, $1) ?? .max <= time }.map(\.key).sorted()
        return groups.map { .group($0) } + ends.map { .transaction($0) }
    }

    // MARK: Who is there

    /// When the coordinator is at work again.
    func loaded(_ whom: Coordinated) -> Int64 { max(loaded, moves[whom]?.loading ?? 0) }

    func checkCoordinator(of whom: Coordinated) throws(BrokerError) {
        if let move = moves[whom], now < move.away { throw .notCoordinator }
        if now < loaded(whom) { throw .coordinatorLoadInProgress }
    }

    func log(of partition: PartitionName) -> PartitionLog? {
        guard let logs = topicsByName[partition.topic]?.logs, logs.indices.contains(Int(partition.index)) else {
            return nil
        }
        return logs[Int(partition.index)]
    }

    /// The log of a partition whose leader can be reached.
    func reachableLog(of partition: PartitionName) throws(BrokerError) -> PartitionLog {
        guard let log = log(of: partition) else { throw .unknownTopicOrPartition }
        if now < leaderless[partition] ?? 0 { throw .notLeaderOrFollower }
        return log
    }

    /// Changes a log in its place. Nothing happens where there is no such partition.
    @discardableResult
    mutating func change<Result, Failure: Error>(
        _ partition: PartitionName, _ body: (inout PartitionLog) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard log(of: partition) != nil else { return nil }
        return try body(&topicsByName[partition.topic, default: Topic(id: 0)].logs[Int(partition.index)])
    }

    /// Changes a group in its place; makes it where it is missing.
    @discardableResult
    mutating func change<Result, Failure: Error>(
        group name: String, _ body: (inout Group) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&groupsByName[name, default: Group(name: name)])
    }
}
