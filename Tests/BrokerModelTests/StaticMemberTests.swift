import BrokerModel
import Testing

@Suite struct StaticMemberTests {
    private static let request = JoinRequest(
        group: "g", instance: "i", subscription: ["input"], sessionTimeout: 10_000, rebalanceTimeout: 30_000)

    @Test func aTwinTakesThePlaceWithoutARebalance() throws {
        var cluster = try makeCluster()
        let old = try cluster.enter(Self.request)
        guard case .held(let ticket) = try cluster.join(Self.request, now: 9000),
            case .joined(let id, 1, let leader, let members) = try cluster.answer(to: ticket, now: 9000)
        else { throw NotIn() }
        // It has a session of its own, and is not told that it leads.
        #expect(id != old.id && leader == old.id && members == [])
        let new = MemberIdentity(id: id, generation: 1, instance: "i")
        let synced = try cluster.sync("g", new, assignment: [:], now: 18_999)
        #expect(try cluster.answer(to: synced, now: 18_999) == .synced([input]))
        try cluster.heartbeat("g", new, now: 18_999)
        #expect(throws: BrokerError.fencedInstanceID) { try cluster.heartbeat("g", old, now: 18_999) }
        #expect(throws: BrokerError.fencedInstanceID) { try cluster.leave("g", old, now: 18_999) }
        #expect(throws: BrokerError.fencedInstanceID) {
            try cluster.commitOffsets([input: CommittedOffset(1)], of: "g", member: old, now: 18_999)
        }
        #expect(cluster.violations == [])
    }

    @Test func aTwinFencesWhoWaits() throws {
        var cluster = try makeCluster { $0.initialRebalanceDelay = 3000 }
        guard case .held(let first) = try cluster.join(Self.request, now: 0),
            case .held(let second) = try cluster.join(Self.request, now: 0)
        else { throw NotIn() }
        #expect(throws: BrokerError.fencedInstanceID) { try cluster.answer(to: first, now: 0) }
        guard case .joined(_, 1, _, let members) = try cluster.answer(to: second, now: 3000) else { throw NotIn() }
        #expect(members.count == 1)
    }

    @Test func aStaticMemberThatDoesNotJoinAgainStaysUntilItsSessionEnds() throws {
        var cluster = try makeCluster()
        var request = Self.request
        request.sessionTimeout = 60_000
        let silent = try cluster.enter(request)
        request.instance = "j"
        guard case .held(let ticket) = try cluster.join(request, now: 0) else { throw NotIn() }
        guard case .joined(let id, 2, let leader, let members) = try cluster.answer(to: ticket, now: 30_000) else {
            throw NotIn()
        }
        #expect(leader == id && members.map(\.memberID) == [silent.id, id])
        // It owes its sync.
        let synced = try cluster.sync(
            "g", MemberIdentity(id: id, generation: 2, instance: "j"), assignment: [id: [input]], now: 30_000)
        #expect(try cluster.answer(to: synced, now: 30_000) == .synced([input]))
        #expect(try cluster.groups(now: 59_999).first?.state == "Stable")
        #expect(try cluster.groups(now: 60_000).first?.members == [id])
    }

    @Test func aRebalanceWaitsForStaticMembersAsLongAsNobodyComes() throws {
        var cluster = try makeCluster()
        var request = Self.request
        request.sessionTimeout = 80_000
        _ = try cluster.enter(request)
        request.instance = "j"
        guard case .held = try cluster.join(request, now: 0) else { throw NotIn() }
        cluster.advance(to: 30_000)
        try cluster.leave("g", MemberIdentity(id: "", generation: -1, instance: "j"), now: 30_000)
        // The other one, whose session is that of the generation, does not join either.
        let group = try #require(try cluster.groups(now: 109_999).first)
        #expect(group.state == "PreparingRebalance" && group.generation == 2 && group.members.count == 1)
        #expect(try cluster.groups(now: 110_000).first?.state == "Empty")
    }

    @Test func aStaticMemberIsTakenOutByItsInstance() throws {
        var cluster = try makeCluster()
        _ = try cluster.enter(Self.request)
        try cluster.leave("g", MemberIdentity(id: "", generation: -1, instance: "i"), now: 0)
        #expect(try cluster.groups(now: 0).first?.members == [])
        #expect(throws: BrokerError.unknownMemberID) {
            try cluster.leave("g", MemberIdentity(id: "", generation: -1, instance: "i"), now: 0)
        }
    }
}
