import BrokerModel
import Kafka
import Worker

/// A member of a group, as librdkafka's consumer behaves towards its caller: eager rebalances with the range assignor,
/// served by whoever polls; heartbeats beside it; partitions lost where the group has gone on without it.
final class SimulatedMember: Client, GroupMember, @unchecked Sendable {
    private enum State {
        /// Out of the group, or on the way into it.
        case joining
        /// It has an assignment, taken or about to be.
        case assigned
        case closed
    }

    private enum Task {
        case assign([PartitionName])
        case revoke
        case failure(KafkaError)
    }

    private let group: String
    private let instance: String?
    private let properties: [String: String]
    private let sessionTimeout: Int64
    private let interval: Int64
    private let refreshInterval: Int64
    private var topics: [String] = []
    private weak var handler: (any AssignmentHandler)?
    private var state = State.joining
    private var id = ""
    private var generation = -1
    private var tasks: [Task] = []
    private var poller: Pause?
    private var fetchers: [PartitionName: Fetcher] = [:]
    private var isTaken = false
    private var isLost = false
    private var isRevoking = false
    private var lastSign: Int64 = 0
    private var life = 0
    private var known: [String: Int32] = [:]
    /// As the group told last.
    private var told: [PartitionName: CommittedOffset] = [:]

    init(_ net: Net, _ actor: Actor, _ group: String, _ properties: [String: String]) {
        self.group = group
        self.properties = properties
        instance = properties["group.instance.id"]
        sessionTimeout = Int64(properties["session.timeout.ms"] ?? "") ?? 8000
        interval = Int64(properties["heartbeat.interval.ms"] ?? "") ?? 2000
        refreshInterval = Int64(properties["topic.metadata.refresh.interval.ms"] ?? "") ?? 30_000
        super.init(net, actor, properties)
    }

    private var identity: MemberIdentity { MemberIdentity(id: id, generation: generation, instance: instance) }

    func subscribe(_ topics: [String], handler: any AssignmentHandler) {
        self.topics = topics
        self.handler = handler
        join()
        refresh()
    }

    // MARK: Into the group

    private func again(_ life: Int) {
        world.after(world.random.number(50...300), for: actor) { [weak self] in
            guard let self, life == self.life, state == .joining else { return }
            join()
        }
    }

    private func join() {
        life += 1
        let life = life
        state = .joining
        (isTaken, isLost, isRevoking) = (false, false, false)
        let request = JoinRequest(
            group: group, memberID: id, instance: instance, subscription: topics,
            sessionTimeout: sessionTimeout, rebalanceTimeout: 300_000)
        net.send(.joinGroup, for: actor, timeout: timeout) { cluster, now throws(BrokerError) in
            try cluster.join(request, now: now)
        } _: { [weak self] outcome in
            guard let self, life == self.life else { return }
            switch outcome {
            case .answer(.memberIDRequired(let name)):
                id = name
                join()
            case .answer(.held(let ticket)):
                net.await(ticket, for: actor) { [weak self] outcome in self?.joined(outcome, life) }
            case .refused(let error): refused(error, life)
            case .lost: again(life)
            }
        }
    }

    private func refused(_ error: BrokerError, _ life: Int) {
        switch error {
        case .unknownMemberID: id = ""
        case .fencedInstanceID:
            var failure = KafkaError(error, "stay in the group")
            failure.retry = .fatal
            state = .closed
            return push(.failure(failure))
        case .inconsistentGroupProtocol: push(.failure(KafkaError(error, "join the group")))
        default: break
        }
        again(life)
    }

    private func joined(_ outcome: Outcome<GroupAnswer>, _ life: Int) {
        guard life == self.life else { return }
        switch outcome {
        case .answer(.joined(let name, let generation, let leader, let members)):
            id = name
            self.generation = generation
            known = counts
            let assignment = name == leader ? rangeAssignment(members, partitions: known) : [:]
            let (group, identity) = (group, identity)
            net.send(.syncGroup, for: actor, timeout: timeout) { cluster, now throws(BrokerError) in
                try cluster.sync(group, identity, assignment: assignment, now: now)
            } _: { [weak self] outcome in
                guard let self, life == self.life else { return }
                switch outcome {
                case .answer(let ticket):
                    net.await(ticket, for: actor) { [weak self] outcome in self?.synced(outcome, life) }
                case .refused(let error): refused(error, life)
                case .lost: again(life)
                }
            }
        case .answer: again(life)
        case .refused(let error): refused(error, life)
        case .lost: again(life)
        }
    }

    private var counts: [String: Int32] {
        Dictionary(uniqueKeysWithValues: topics.map { ($0, net.partitions(of: $0)) })
    }

    private func synced(_ outcome: Outcome<GroupAnswer>, _ life: Int) {
        guard life == self.life else { return }
        switch outcome {
        case .answer(.synced(let partitions)):
            state = .assigned
            lastSign = world.now
            net.give(partitions.map(\.kafka), to: actor, as: id)
            world.trace.line(world.now, "\(actor.name): generation \(generation) with \(partitions)")
            push(.assign(partitions))
            beat(life)
        case .answer: again(life)
        case .refused(let error): refused(error, life)
        case .lost: again(life)
        }
    }

    // MARK: In the group

    private func beat(_ life: Int) {
        world.after(interval, for: actor) { [weak self] in
            guard let self, life == self.life, state == .assigned else { return }
            if world.now - lastSign > sessionTimeout {
                id = ""
                return leaveBehind(lost: true)
            }
            let (group, identity) = (group, identity)
            net.send(.heartbeat, for: actor, timeout: timeout) { cluster, now throws(BrokerError) in
                try cluster.heartbeat(group, identity, now: now)
            } _: { [weak self] outcome in
                guard let self, life == self.life, state == .assigned else { return }
                heard(outcome)
            }
            beat(life)
        }
    }

    private func heard(_ outcome: Outcome<Void>) {
        switch outcome {
        case .answer: lastSign = world.now
        case .refused(.rebalanceInProgress):
            lastSign = world.now
            leaveBehind(lost: false)
        case .refused(.unknownMemberID):
            id = ""
            leaveBehind(lost: true)
        case .refused(.illegalGeneration):
            generation = -1
            leaveBehind(lost: true)
        case .refused(.fencedInstanceID):
            var failure = KafkaError(.fencedInstanceID, "stay in the group")
            failure.retry = .fatal
            push(.failure(failure))
            leaveBehind(lost: true)
        case .refused, .lost: break
        }
    }

    /// The assignment is over; whoever polls gives it up, then the group is joined again.
    private func leaveBehind(lost: Bool) {
        guard state == .assigned else { return }
        if lost { isLost = true }
        if isRevoking { return }
        isRevoking = true
        push(.revoke)
    }

    /// Partitions that were added are seen now and then.
    private func refresh() {
        world.after(refreshInterval, for: actor) { [weak self] in
            guard let self, state != .closed else { return }
            if state == .assigned, counts != known { leaveBehind(lost: false) }
            refresh()
        }
    }

    /// A topic is not there any more: what there is is asked for at once.
    private func refreshSoon() {
        world.after(world.random.number(100...1000), for: actor) { [weak self] in
            guard let self, state == .assigned, counts != known else { return }
            leaveBehind(lost: false)
        }
    }

    // MARK: Whoever polls

    private func push(_ task: Task) {
        tasks.append(task)
        if let poller { world.resume(poller) }
    }

    func poll(timeout: Int32) -> KafkaError? {
        world.step()
        if tasks.isEmpty {
            let pause = world.pause()
            poller = pause
            world.wait(pause, until: world.now + Int64(timeout))
            poller = nil
        }
        world.step()
        return serve()
    }

    private func serve() -> KafkaError? {
        if tasks.isEmpty { return nil }
        switch tasks.removeFirst() {
        case .failure(let error): return error
        case .revoke:
            giveUp()
            if state == .assigned { join() }
        case .assign(let partitions): take(partitions)
        }
        return nil
    }

    private func take(_ partitions: [PartitionName]) {
        guard let handler else { return }
        isTaken = true
        let names = partitions.map(\.kafka)
        let starts = handler.start(names)
        var made: [(Fetcher, StartOffset)] = []
        for (index, partition) in partitions.enumerated() {
            let fetcher = Fetcher(net, actor, properties, partition, isMember: true)
            fetcher.whenUnknown = { [weak self] in self?.refreshSoon() }
            fetchers[partition] = fetcher
            // Without an answer of the group there is no task.
            if starts[index] != .committed { net.journeys[partition, default: Journey()].give(told[partition]) }
            made.append((fetcher, starts[index]))
            handler.begin(names[index], feed: SimulatedFeed(fetcher))
        }
        for (fetcher, start) in made { fetcher.begin(at: start) }
        handler.assigned(names)
    }

    private func giveUp() {
        let partitions = fetchers.keys.sorted()
        if isTaken, !partitions.isEmpty { handler?.end(partitions.map(\.kafka), lost: isLost) }
        for partition in partitions { fetchers[partition]?.stop() }
        fetchers = [:]
        isTaken = false
    }

    func close() throws(KafkaError) {
        world.step()
        tasks = []
        giveUp()
        let wasIn = !id.isEmpty
        state = .closed
        life += 1
        handler = nil
        guard wasIn else { return }
        let (group, identity) = (group, identity)
        // The library does not wait for long.
        try? ask(.leaveGroup, "leave the group", limit: 3000) { cluster, now throws(BrokerError) in
            try cluster.leave(group, identity, now: now)
        }
    }

    // MARK: Offsets

    func commit(_ offsets: [PartitionOffset]) throws(KafkaError) {
        var committed: [PartitionName: CommittedOffset] = [:]
        for entry in offsets {
            committed[PartitionName(entry.partition)] = CommittedOffset(entry.offset ?? 0, metadata: entry.metadata)
        }
        let (sent, group, identity) = (committed, group, identity)
        try ask(.commitOffsets, "commit offsets", limit: 5000) { cluster, now throws(BrokerError) in
            try cluster.commitOffsets(sent, of: group, member: identity, now: now)
        }
    }

    func committed(_ partitions: [TopicPartition], limit: Int32) throws(KafkaError) -> [PartitionOffset] {
        let group = group
        let names = partitions.map { PartitionName($0) }
        let isStable = properties["isolation.level"] != "read_uncommitted"
        let found = try ask(.committedOffsets, "read committed offsets", limit: limit) {
            cluster, now throws(BrokerError) in
            try cluster.committedOffsets(names, of: group, stable: isStable, now: now)
        }
        for name in names { told[name] = found[name] }
        return names.map { name in
            PartitionOffset(name.kafka, found[name]?.offset, metadata: found[name]?.metadata ?? "")
        }
    }

    func seek(_ partition: TopicPartition, to start: StartOffset, limit: Int32) throws(KafkaError) {
        world.step()
        // One that is not fetched yet cannot be sought in: the library says so, and the caller asks again.
        guard let fetcher = fetchers[PartitionName(partition)], fetcher.hasBegun else {
            throw .state("seek in \(partition)")
        }
        fetcher.begin(at: start)
    }

    func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks {
        try watermarks(of: PartitionName(partition), limit: limit)
    }

    func cachedWatermarks(of partition: TopicPartition) -> Watermarks? { fetchers[PartitionName(partition)]?.ends }

    /// Empty after the group has said that it does not know it.
    var memberID: String { id }

    func members(limit: Int32) throws(KafkaError) -> GroupMembers {
        let group = group
        let groups = try ask(.metadata, "ask for the members of \(group)", limit: limit) {
            (cluster, now) throws(BrokerError) in try cluster.groups(now: now)
        }
        guard let found = groups.first(where: { $0.name == group }) else {
            throw KafkaError(.notCoordinator, "ask for the members of \(group)")
        }
        return GroupMembers(
            isStable: found.state == "Stable",
            members: found.members.map { name in
                GroupMembers.Member(id: name, partitions: net.assignments[name] ?? [])
            })
    }

    func place() throws(KafkaError) -> any GroupPlace { SimulatedPlace(group, identity) }
}

final class SimulatedPlace: GroupPlace {
    let group: String
    let member: MemberIdentity

    init(_ group: String, _ member: MemberIdentity) {
        self.group = group
        self.member = member
    }
}
