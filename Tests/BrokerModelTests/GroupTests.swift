import BrokerModel
import Testing

@Suite struct GroupTests {
    static let request = JoinRequest(
        group: "g", subscription: ["input", "output"], sessionTimeout: 10_000, rebalanceTimeout: 30_000)

    /// Asks to join, with an id of the coordinator's.
    private func ask(_ cluster: inout ModelCluster) throws -> (id: String, ticket: Ticket) {
        var request = Self.request
        guard case .memberIDRequired(let id) = try cluster.join(request, now: cluster.now) else { throw NotIn() }
        request.memberID = id
        return (id, try held(cluster.join(request, now: cluster.now)))
    }

    private func rejoin(_ member: MemberIdentity, _ cluster: inout ModelCluster) throws -> Ticket {
        var request = Self.request
        request.memberID = member.id
        return try held(cluster.join(request, now: cluster.now))
    }

    private func held(_ joining: Joining) throws -> Ticket {
        guard case .held(let ticket) = joining else { throw NotIn() }
        return ticket
    }

    @Test func oneMemberGetsEverything() throws {
        var cluster = try makeCluster()
        let member = try cluster.enter(Self.request)
        #expect(member.generation == 1)
        try cluster.heartbeat("g", member, now: 5000)
        #expect(cluster.nextDeadline == 15_000)
        #expect(try cluster.groups(now: 5000).map(\.state) == ["Stable"])
        #expect(cluster.violations == [])
    }

    @Test func anEmptyGroupWaitsForMoreMembers() throws {
        var cluster = try makeCluster { $0.initialRebalanceDelay = 3000 }
        let first = try ask(&cluster)
        cluster.advance(to: 2000)
        let second = try ask(&cluster)
        // Somebody came: it waits once more.
        #expect(try cluster.answer(to: first.ticket, now: 3000) == nil)
        let answer = try cluster.answer(to: first.ticket, now: 6000)
        guard case .joined(first.id, 1, first.id, let members) = answer else { throw NotIn() }
        #expect(members.map(\.memberID) == [first.id, second.id])
        #expect(
            try cluster.answer(to: second.ticket, now: 6000)
                == .joined(memberID: second.id, generation: 1, leader: first.id, members: []))
    }

    @Test func aSecondMemberHasTheFirstJoinAgain() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        let second = try ask(&cluster)
        #expect(throws: BrokerError.rebalanceInProgress) { try cluster.heartbeat("g", first, now: 0) }
        #expect(throws: BrokerError.rebalanceInProgress) { try cluster.sync("g", first, assignment: [:], now: 0) }
        #expect(try cluster.answer(to: second.ticket, now: 0) == nil)
        let again = try rejoin(first, &cluster)
        guard case .joined(_, 2, first.id, let members) = try cluster.answer(to: again, now: 0) else { throw NotIn() }
        #expect(members.count == 2)
        _ = try cluster.answer(to: second.ticket, now: 0)
        let two = MemberIdentity(id: second.id, generation: 2)
        let waiting = try cluster.sync("g", two, assignment: [:], now: 0)
        #expect(try cluster.answer(to: waiting, now: 0) == nil)
        #expect(throws: BrokerError.illegalGeneration) { try cluster.sync("g", first, assignment: [:], now: 0) }
        let assignment = rangeAssignment(members, partitions: ["input": 1, "output": 2])
        let leads = MemberIdentity(id: first.id, generation: 2)
        let ticket = try cluster.sync("g", leads, assignment: assignment, now: 0)
        #expect(try cluster.answer(to: ticket, now: 0) == .synced([input, output]))
        #expect(try cluster.answer(to: waiting, now: 0) == .synced([other]))
        #expect(throws: BrokerError.illegalGeneration) { try cluster.heartbeat("g", first, now: 0) }
        try cluster.heartbeat("g", leads, now: 0)
        #expect(cluster.violations == [])
    }

    @Test func aSilentMemberIsTakenOut() throws {
        var cluster = try makeCluster()
        let member = try cluster.enter(Self.request)
        cluster.advance(to: 9999)
        #expect(try cluster.groups(now: 9999).first?.members == [member.id])
        cluster.advance(to: 10_000)
        let group = try #require(try cluster.groups(now: 10_000).first)
        #expect(group.members == [] && group.state == "Empty" && group.generation == 2)
        #expect(throws: BrokerError.unknownMemberID) { try cluster.heartbeat("g", member, now: 10_000) }
        #expect(throws: BrokerError.unknownMemberID) { try rejoin(member, &cluster) }
    }

    @Test func whoDoesNotJoinAgainInTimeIsTakenOut() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        let second = try ask(&cluster)
        for time in stride(from: Int64(5000), to: 30_000, by: 5000) {
            #expect(throws: BrokerError.rebalanceInProgress) { try cluster.heartbeat("g", first, now: time) }
        }
        #expect(try cluster.answer(to: second.ticket, now: 29_999) == nil)
        guard case .joined(_, 2, second.id, let members) = try cluster.answer(to: second.ticket, now: 30_000) else {
            throw NotIn()
        }
        #expect(members.map(\.memberID) == [second.id])
        #expect(throws: BrokerError.unknownMemberID) { try cluster.heartbeat("g", first, now: 30_000) }
    }

    @Test func whoDoesNotSyncInTimeIsTakenOut() throws {
        var cluster = try makeCluster()
        let first = try ask(&cluster)
        _ = try cluster.answer(to: first.ticket, now: 0)
        let member = MemberIdentity(id: first.id, generation: 1)
        for time in stride(from: Int64(5000), to: 30_000, by: 5000) { try cluster.heartbeat("g", member, now: time) }
        #expect(throws: BrokerError.unknownMemberID) { try cluster.heartbeat("g", member, now: 30_000) }
    }

    @Test func whoWaitedForTheLeaderIsWatchedAgain() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        let second = try ask(&cluster)
        _ = try rejoin(first, &cluster)
        let leader = MemberIdentity(id: first.id, generation: 2)
        let waiting = try cluster.sync("g", MemberIdentity(id: second.id, generation: 2), assignment: [:], now: 0)
        // While it waits it need not say that it lives.
        for time in stride(from: Int64(5000), through: 15_000, by: 5000) {
            try cluster.heartbeat("g", leader, now: time)
        }
        #expect(try cluster.answer(to: waiting, now: 15_000) == nil)
        try cluster.leave("g", leader, now: 15_000)
        #expect(throws: BrokerError.rebalanceInProgress) { try cluster.answer(to: waiting, now: 15_000) }
        #expect(try cluster.groups(now: 24_999).first?.members == [second.id])
        #expect(try cluster.groups(now: 25_000).first?.members == [])
    }

    @Test func whoWaitsForItsFirstGenerationIsGivenUpInTheEnd() throws {
        var cluster = try makeCluster()
        var request = Self.request
        (request.sessionTimeout, request.rebalanceTimeout) = (600_000, 600_000)
        _ = try cluster.enter(request)
        let second = try ask(&cluster)
        #expect(try cluster.answer(to: second.ticket, now: 299_999) == nil)
        #expect(throws: BrokerError.unknownMemberID) { try cluster.answer(to: second.ticket, now: 300_000) }
    }

    @Test func whoLeavesIsMissedAtOnce() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        let second = try ask(&cluster)
        try cluster.leave("g", first, now: 0)
        guard case .joined(_, 2, second.id, _) = try cluster.answer(to: second.ticket, now: 0) else { throw NotIn() }
        #expect(throws: BrokerError.unknownMemberID) { try cluster.leave("g", first, now: 0) }
        #expect(throws: BrokerError.unknownMemberID) { try cluster.leave("nobody's", first, now: 0) }
    }

    @Test func aLostAnswerIsGivenAgain() throws {
        var cluster = try makeCluster()
        let first = try ask(&cluster)
        let member = MemberIdentity(id: first.id, generation: 1)
        let again = try rejoin(member, &cluster)
        guard case .joined(_, 1, _, _) = try cluster.answer(to: again, now: 0) else { throw NotIn() }
        _ = try cluster.sync("g", member, assignment: [first.id: [input]], now: 0)
        let synced = try cluster.sync("g", member, assignment: [:], now: 0)
        #expect(try cluster.answer(to: synced, now: 0) == .synced([input]))
        // The leader of a stable group asks for a rebalance by it.
        guard case .joined(_, 2, _, _) = try cluster.answer(to: try rejoin(member, &cluster), now: 0) else {
            throw NotIn()
        }
    }

    @Test func aRequestTakesThePlaceOfAnEarlierOne() throws {
        var cluster = try makeCluster { $0.initialRebalanceDelay = 3000 }
        let first = try ask(&cluster)
        let again = try rejoin(MemberIdentity(id: first.id, generation: -1), &cluster)
        #expect(throws: BrokerError.rebalanceInProgress) { try cluster.answer(to: first.ticket, now: 0) }
        #expect(try cluster.answer(to: again, now: 3000) != nil)
    }

    @Test func aPromisedIdIsForgotten() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        guard case .memberIDRequired(let id) = try cluster.join(Self.request, now: 0) else { throw NotIn() }
        // A rebalance waits for it.
        let ticket = try rejoin(first, &cluster)
        #expect(try cluster.answer(to: ticket, now: 9999) == nil)
        #expect(try cluster.answer(to: ticket, now: 10_000) != nil)
        let promised = MemberIdentity(id: id, generation: -1)
        #expect(throws: BrokerError.unknownMemberID) { try rejoin(promised, &cluster) }
    }

    @Test func aPromisedIdMayBeGivenBack() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        guard case .memberIDRequired(let id) = try cluster.join(Self.request, now: 0) else { throw NotIn() }
        let ticket = try rejoin(first, &cluster)
        try cluster.leave("g", MemberIdentity(id: id, generation: -1), now: 0)
        #expect(try cluster.answer(to: ticket, now: 0) != nil)
    }

    @Test func allHaveTheSameAssignor() throws {
        var cluster = try makeCluster()
        _ = try cluster.enter(Self.request)
        var request = Self.request
        request.assignor = "roundrobin"
        #expect(throws: BrokerError.inconsistentGroupProtocol) { try cluster.join(request, now: 0) }
    }

    @Test func rangesAreRunsOfNeighbours() {
        let members = [
            Subscriber(memberID: "a", instance: nil, subscription: ["t", "u"]),
            Subscriber(memberID: "b", instance: "static", subscription: ["t"]),
            Subscriber(memberID: "c", instance: nil, subscription: ["t", "v"]),
        ]
        let found = rangeAssignment(members, partitions: ["t": 5, "u": 2])
        #expect(found["b"] == [PartitionName("t", 0), PartitionName("t", 1)])
        #expect(
            found["a"] == [
                PartitionName("t", 2), PartitionName("t", 3), PartitionName("u", 0), PartitionName("u", 1),
            ])
        #expect(found["c"] == [PartitionName("t", 4)])
    }
}
