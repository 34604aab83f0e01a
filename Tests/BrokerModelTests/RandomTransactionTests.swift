import BrokerModel
@testable import Fleet
import Testing

/// Clients that write transactions while everything goes wrong, and what they were told of them.
@Suite struct RandomTransactionTests {
    @Test func readersSeeWhatWritersWereTold() {
        for seed in 0..<UInt64(1000) {
            var run = TransactionRun(seed: seed)
            let failures = run.failures()
            if failures.isEmpty { continue }
            Issue.record("seed \(seed): \(failures.joined(separator: "\n"))\n\(run.world.cluster)")
            return
        }
    }

    @Test func aSeedTellsTheWholeRun() {
        for seed in 0..<UInt64(20) {
            var first = TransactionRun(seed: seed)
            var second = TransactionRun(seed: seed)
            #expect(first.failures() == second.failures())
            #expect(first.world.cluster.dump(entries: .max) == second.world.cluster.dump(entries: .max))
        }
    }

    /// The oracle itself: a model without fencing of late records must be found out.
    @Test func aBrokenClusterIsFoundOut() {
        let found = (0..<UInt64(200)).contains { seed in
            var run = TransactionRun(seed: seed)
            run.world.cluster.options.verifiesTransactions = false
            run.world.forgetsFencing = true
            return !run.failures().isEmpty
        }
        #expect(found)
    }
}

/// A cluster, chance, and the way between it and the clients, on which requests and answers are lost.
struct World {
    var cluster: ModelCluster
    var random: Random
    /// Clients act in the name of their successors.
    var forgetsFencing = false
    /// Of 1000 requests, and of 1000 answers, so many are lost.
    var losses: Int64 = 40

    init(seed: UInt64, topics: [String: Int32]) {
        var options = ClusterOptions()
        options.initialRebalanceDelay = 100
        cluster = ModelCluster(options: options)
        random = Random(seed: seed, index: 0)
        for (name, partitions) in topics.sorted(by: { $0.key < $1.key }) {
            try? cluster.createTopic(name, partitions: partitions, settings: [:], now: 0)
        }
    }

    /// - Returns: nil where the client hears nothing, whether it was done or not, or is told to ask again.
    mutating func ask<Answer>(
        _ request: (inout ModelCluster) throws(BrokerError) -> Answer
    ) throws(BrokerError) -> Answer? {
        if random.chance(losses) { return nil }
        do throws(BrokerError) {
            let answer = try request(&cluster)
            return random.chance(losses) ? nil : answer
        } catch {
            switch error {
            case .networkException, .notCoordinator, .coordinatorLoadInProgress, .notLeaderOrFollower,
                .concurrentTransactions, .notEnoughReplicas:
                return nil
            default: throw error
            }
        }
    }

    /// Now and then something befalls the cluster; time goes on in any case.
    mutating func befall(_ coordinated: [Coordinated], _ partitions: [PartitionName]) {
        cluster.advance(to: cluster.now + random.below(20))
        cluster.options.markerDelay = random.below(3) * 10
        cluster.options.firstMarker = Int(random.below(4))
        let now = cluster.now
        switch random.below(100) {
        case 0: cluster.stop(now: now)
        case 1: cluster.advance(to: now + 2000)
        case 2:
            let whom = coordinated[Int(random.below(Int64(coordinated.count)))]
            cluster.moveCoordinator(of: whom, away: random.below(100), loading: random.below(100), now: now)
        case 3 where !partitions.isEmpty:
            let partition = partitions[Int(random.below(Int64(partitions.count)))]
            cluster.moveLeader(of: partition, away: random.below(200), now: now)
        case 4...20: cluster.start(loading: random.below(100), now: now)
        default: break
        }
    }
}

/// One seed.
private struct TransactionRun {
    static let outputs = (0..<3).map { PartitionName("output", $0) }
    private static let inputs = (0..<3).map { PartitionName("input", $0) }
    var world: World
    private var clients: [Client] = []
    /// Every one that was begun.
    private var transactions: [Transaction] = []
    /// A reader that has been there all along.
    private var read: [PartitionName: [String]] = [:]
    private var positions: [PartitionName: Int64] = [:]

    private struct Transaction {
        enum Outcome { case open, committed, aborted, unknown }
        /// As the client was told.
        var outcome = Outcome.open
        var partitions: [PartitionName]
        /// What a reader has to see of it, if anything.
        var records: [String] { partitions.flatMap { ["\($0.index)a", "\($0.index)b"] } }
    }

    /// Writes one transaction after another in the name of `transactional.id` w0, w1 or w2.
    private struct Client {
        enum Step { case claim, add, write(Int), offsets, commitOffsets, end }
        var name: Int
        var step = Step.claim
        var producer = ProducerIdentity(id: -1, epoch: -1)
        var sequences: [PartitionName: Int32] = [:]
        var transaction = -1
        var partitions: [PartitionName] = []
        var commits = true
        var isSent = false
        var id: String { "w\(name)" }
    }

    init(seed: UInt64) {
        world = World(seed: seed, topics: ["input": 3, "output": 3])
        clients = (0..<3).map { Client(name: $0) }
    }

    /// Runs it and holds what is there against what was told.
    mutating func failures() -> [String] {
        let coordinated = clients.map { Coordinated.transaction($0.id) } + [.group("g")]
        for step in 0..<80 {
            world.befall(coordinated, Self.outputs)
            let place = Int(world.random.below(Int64(clients.count)))
            // A twin comes, and the old one may go on as if it were alone.
            if world.random.chance(15) { clients.append(Client(name: clients[place].name)) }
            clients[place] = next(of: clients[place])
            if step % 8 == 0 { readOn() }
        }
        world.cluster.start(loading: 0, now: world.cluster.now)
        // Every transaction has an end by then.
        world.cluster.advance(to: world.cluster.now + 10_000)
        readOn()
        return world.cluster.violations + compare()
    }

    // MARK: Clients

    /// The client after its next step.
    private mutating func next(of client: Client) -> Client {
        var client = client
        do throws(BrokerError) {
            // It may be killed at any step.
            if world.random.chance(10) { throw .producerFenced }
            try take(&client)
        } catch {
            settle(client, client.isSent && client.commits ? .unknown : .aborted)
            return Client(name: client.name)
        }
        return client
    }

    private mutating func settle(_ client: Client, _ outcome: Transaction.Outcome) {
        if client.transaction >= 0 { transactions[client.transaction].outcome = outcome }
    }

    private mutating func take(_ client: inout Client) throws(BrokerError) {
        let (id, producer, now) = (client.id, claimed(client), world.cluster.now)
        switch client.step {
        case .claim:
            let found = try world.ask { cluster throws(BrokerError) in
                try cluster.initProducer(id, timeout: 1000, current: nil, now: now)
            }
            guard let found else { return }
            client.producer = found
            client.sequences = [:]
            begin(&client)
        case .add:
            let partitions = client.partitions
            let answer: Void? = try world.ask { cluster throws(BrokerError) in
                try cluster.addPartitions(partitions, to: id, producer, now: now)
            }
            if answer != nil { client.step = .write(0) }
        case .write(let number): try write(&client, number, producer)
        case .offsets:
            let answer: Void? = try world.ask { cluster throws(BrokerError) in
                try cluster.addOffsets(of: "g", to: id, producer, now: now)
            }
            if answer != nil { client.step = .commitOffsets }
        case .commitOffsets:
            let offset = CommittedOffset(0, metadata: "\(client.transaction)")
            let partition = Self.inputs[client.name]
            let answer: Void? = try world.ask { cluster throws(BrokerError) in
                try cluster.commitOffsets([partition: offset], of: "g", in: id, producer, member: .none, now: now)
            }
            if answer != nil { client.step = .end }
        case .end:
            client.isSent = true
            let commits = client.commits
            let answer: Void? = try world.ask { cluster throws(BrokerError) in
                try cluster.endTransaction(id, producer, commit: commits, now: now)
            }
            if answer != nil {
                settle(client, commits ? .committed : .aborted)
                begin(&client)
            }
        }
    }

    /// Whom a client claims to be: where fencing is to fail, always the newest of its name.
    private func claimed(_ client: Client) -> ProducerIdentity {
        world.forgetsFencing ? world.cluster.transaction(of: client.id)?.producer ?? client.producer : client.producer
    }

    private mutating func begin(_ client: inout Client) {
        client.transaction = transactions.count
        client.partitions = Self.outputs.filter { $0.index == 0 || world.random.chance(500) }
        transactions.append(Transaction(partitions: client.partitions))
        client.commits = !world.random.chance(200)
        client.isSent = false
        client.step = .add
    }

    private mutating func write(
        _ client: inout Client, _ number: Int, _ producer: ProducerIdentity
    ) throws(BrokerError) {
        let (partition, now) = (client.partitions[number], world.cluster.now)
        let sequence = client.sequences[partition] ?? 0
        let batch = Batch(
            ["a", "b"].map { record("\(client.name)/\(client.transaction)/\($0)") }, producer: producer,
            sequence: sequence, isTransactional: true)
        let offset = try world.ask { cluster throws(BrokerError) in
            try cluster.produce(batch, to: partition, now: now)
        }
        if offset == nil { return }
        client.sequences[partition] = sequence + 2
        client.step = number + 1 < client.partitions.count ? .write(number + 1) : .offsets
    }

    // MARK: Readers

    private mutating func readOn() {
        for partition in Self.outputs {
            while let found = try? world.cluster.fetch(
                partition, from: positions[partition] ?? 0, .readCommitted, bytes: 300, now: world.cluster.now),
                found.next > positions[partition] ?? 0
            {
                read[partition, default: []] += found.records.map(text)
                positions[partition] = found.next
            }
        }
    }

    private mutating func compare() -> [String] {
        var failures: [String] = []
        var seen: [Int: [String]] = [:]
        var last: [Int: Int] = [:]
        for partition in Self.outputs {
            let values = (try? world.cluster.values(of: partition)) ?? []
            if read[partition] ?? [] != values { failures.append("\(partition): who read all along saw otherwise") }
            for value in values {
                let parts = value.split(separator: "/").map(String.init)
                guard let name = Int(parts[0]), let transaction = Int(parts[1]) else { continue }
                seen[transaction, default: []].append("\(partition.index)\(parts[2])")
                if partition.index == 0 { last[name] = transaction }
            }
        }
        for (number, transaction) in transactions.enumerated() {
            let found = seen[number] ?? []
            switch transaction.outcome {
            case .committed where found.isEmpty, .aborted where !found.isEmpty:
                failures.append("\(number) was told to be \(transaction.outcome): \(found)")
            default: if !found.isEmpty, found != transaction.records { failures.append("\(number) is torn: \(found)") }
            }
        }
        let offsets = try? world.cluster.committedOffsets(Self.inputs, of: "g", stable: true, now: world.cluster.now)
        for name in clients.indices.prefix(Self.inputs.count) {
            let committed = offsets?[Self.inputs[name]]?.metadata
            if committed != last[name].map(String.init) {
                failures.append("w\(name): offsets of \(committed ?? "none"), records of \(last[name] ?? -1)")
            }
        }
        return failures
    }
}
