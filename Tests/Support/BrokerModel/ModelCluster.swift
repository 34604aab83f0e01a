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
    var isDown = false
    var topicsByName: [String: Topic] = [:]
    var transactions: [String: Transaction] = [:]
    var groupsByName: [String: Group] = [:]
    var moves: [Coordinated: Move] = [:]
    /// When every coordinator is loaded after a start.
    var loaded: Int64 = 0
    /// Until when a partition has no leader that is known.
    var leaderless: [PartitionName: Int64] = [:]
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

    package var nextDeadline: Int64? { nextDue?.time }

    package mutating func advance(to now: Int64) {
        precondition(now >= self.now, "time goes back from \(self.now) to \(now)")
        while let due = nextDue, due.time <= now {
            self.now = max(self.now, due.time)
            switch due.whom {
            case .group(let name): groupsByName[name]?.advance(to: self.now)
            case .transaction(let id): advanceTransaction(id)
            }
        }
        self.now = now
    }

    /// The first by time, then by name: never by the order of a dictionary, which differs from run to run.
    private var nextDue: (time: Int64, whom: Coordinated)? {
        if isDown { return nil }
        var first: (time: Int64, whom: Coordinated)?
        func consider(_ time: Int64?, _ whom: Coordinated) {
            guard let time else { return }
            if let other = first, (other.time, other.whom) < (time, whom) { return }
            first = (time, whom)
        }
        for (name, group) in groupsByName { consider(group.nextDeadline, .group(name)) }
        for (id, transaction) in transactions { consider(deadline(of: id, transaction), .transaction(id)) }
        return first
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

extension Coordinated: Comparable {
    package static func < (a: Coordinated, b: Coordinated) -> Bool {
        switch (a, b) {
        case (.group(let a), .group(let b)), (.transaction(let a), .transaction(let b)): a < b
        case (.group, .transaction): true
        case (.transaction, .group): false
        }
    }
}
