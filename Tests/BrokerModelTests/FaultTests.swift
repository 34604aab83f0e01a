import BrokerModel
import Testing

@Suite struct FaultTests {
    private static let timeout: Int64 = 60_000

    private func open(_ cluster: inout ModelCluster) throws -> ProducerIdentity {
        let producer = try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: cluster.now)
        try cluster.addPartitions([output], to: "t", producer, now: cluster.now)
        try cluster.write("a", by: producer, 0, to: output)
        return producer
    }

    @Test func aStoppedClusterAnswersNothingAndForgetsNothing() throws {
        var cluster = try makeCluster { $0.markerDelay = 10 }
        let producer = try open(&cluster)
        try cluster.commitOffsets([input: CommittedOffset(1)], of: "g", member: .none, now: 0)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        cluster.stop(now: 5)
        #expect(cluster.nextDeadline == nil)
        #expect(throws: BrokerError.networkException) { try cluster.topics(now: 50) }
        #expect(throws: BrokerError.networkException) { try cluster.values(of: output) }
        cluster.start(loading: 100, now: 100)
        #expect(throws: BrokerError.coordinatorLoadInProgress) {
            try cluster.committedOffsets([input], of: "g", stable: true, now: 199)
        }
        #expect(throws: BrokerError.coordinatorLoadInProgress) {
            try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 199)
        }
        #expect(try cluster.values(of: output) == [])
        #expect(cluster.nextDeadline == 200)
        // What had been decided is done.
        cluster.advance(to: 200)
        #expect(try cluster.values(of: output) == ["a"])
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 200)[input]?.offset == 1)
    }

    @Test func anOpenTransactionOutlivesARestartAndItsTimeRunsOn() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster)
        cluster.stop(now: 0)
        cluster.start(loading: 0, now: 1000)
        try cluster.write("b", by: producer, 1, to: output)
        #expect(cluster.nextDeadline == Self.timeout)
        cluster.stop(now: 2000)
        cluster.start(loading: 500, now: Self.timeout + 1000)
        #expect(cluster.nextDeadline == Self.timeout + 1500)
        cluster.advance(to: Self.timeout + 1500)
        #expect(cluster.transaction(of: "t")?.state == "CompleteAbort")
    }

    @Test func aGroupComesBackAsItWasStableLast() throws {
        var cluster = try makeCluster()
        let member = try cluster.enter(GroupTests.request)
        // A second one joins; the rebalance is lost.
        guard case .memberIDRequired(let id) = try cluster.join(GroupTests.request, now: 0) else { throw NotIn() }
        var request = GroupTests.request
        request.memberID = id
        guard case .held(let ticket) = try cluster.join(request, now: 0) else { throw NotIn() }
        cluster.stop(now: 0)
        cluster.start(loading: 500, now: 20_000)
        #expect(throws: BrokerError.notCoordinator) { try cluster.answer(to: ticket, now: 20_500) }
        #expect(throws: BrokerError.unknownMemberID) { try cluster.join(request, now: 20_500) }
        // Its session begins anew.
        #expect(cluster.nextDeadline == 30_500)
        try cluster.heartbeat("g", member, now: 30_499)
        let synced = try cluster.sync("g", member, assignment: [:], now: 30_499)
        #expect(try cluster.answer(to: synced, now: 30_499) == .synced([input, output, other]))
        #expect(cluster.violations == [])
    }

    @Test func theCoordinatorOfTransactionsMoves() throws {
        var cluster = try makeCluster { $0.markerDelay = 10 }
        let producer = try open(&cluster)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        cluster.moveCoordinator(of: .transaction("t"), away: 100, loading: 50, now: 5)
        #expect(throws: BrokerError.notCoordinator) {
            try cluster.endTransaction("t", producer, commit: true, now: 104)
        }
        #expect(throws: BrokerError.coordinatorLoadInProgress) {
            try cluster.endTransaction("t", producer, commit: true, now: 154)
        }
        #expect(try cluster.values(of: output) == [])
        try cluster.endTransaction("t", producer, commit: true, now: 155)
        #expect(try cluster.values(of: output) == ["a"])
        // Of another id it has been there all along.
        _ = try cluster.initProducer("u", timeout: Self.timeout, current: nil, now: 155)
    }

    @Test func whoWritesWhileTheCoordinatorIsAwayTriesAgain() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster)
        try cluster.addPartitions([other], to: "t", producer, now: 0)
        cluster.moveCoordinator(of: .transaction("t"), away: 100, loading: 0, now: 0)
        #expect(throws: BrokerError.notEnoughReplicas) { try cluster.write("b", by: producer, 0, to: other) }
        // Of a partition that has records of the transaction nobody has to be asked.
        try cluster.write("c", by: producer, 1, to: output)
        cluster.advance(to: 100)
        // What follows does not overtake it.
        #expect(throws: BrokerError.outOfOrderSequenceNumber) { try cluster.write("d", by: producer, 1, to: other) }
        try cluster.write("b", by: producer, 0, to: other)
        try cluster.write("d", by: producer, 1, to: other)
    }

    @Test func aRepetitionThatComesTooLateIsInTheWayOfTheNextTransaction() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        #expect(throws: BrokerError.invalidTxnState) { try cluster.write("a", by: producer, 0, to: output) }
        try cluster.addPartitions([output], to: "t", producer, now: 0)
        #expect(throws: BrokerError.outOfOrderSequenceNumber) { try cluster.write("b", by: producer, 1, to: output) }
        // The leader has that in its memory alone.
        cluster.moveLeader(of: output, away: 0, now: 0)
        try cluster.write("b", by: producer, 1, to: output)
        #expect(cluster.violations == [])
    }

    @Test func theCoordinatorOfAGroupMoves() throws {
        var cluster = try makeCluster()
        let member = try cluster.enter(GroupTests.request)
        let producer = try open(&cluster)
        try cluster.addOffsets(of: "g", to: "t", producer, now: 0)
        try cluster.commitOffsets([input: CommittedOffset(1)], of: "g", in: "t", producer, member: member, now: 0)
        cluster.moveCoordinator(of: .group("g"), away: 100, loading: 50, now: 0)
        #expect(throws: BrokerError.notCoordinator) { try cluster.heartbeat("g", member, now: 99) }
        // The marker of the offsets waits, that of the records does not.
        try cluster.endTransaction("t", producer, commit: true, now: 99)
        #expect(try cluster.values(of: output) == ["a"])
        #expect(cluster.transaction(of: "t")?.targets == ["offsets of g"])
        #expect(throws: BrokerError.coordinatorLoadInProgress) {
            try cluster.committedOffsets([input], of: "g", stable: true, now: 149)
        }
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 150)[input]?.offset == 1)
        try cluster.heartbeat("g", member, now: 150)
    }

    @Test func aLeaderMoves() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster)
        cluster.moveLeader(of: output, away: 100, now: 0)
        #expect(throws: BrokerError.notLeaderOrFollower) { try cluster.values(of: output) }
        #expect(throws: BrokerError.notLeaderOrFollower) { try cluster.write(["b"], to: output) }
        try cluster.write(["b"], to: other)
        // The marker is written when there is a leader.
        try cluster.endTransaction("t", producer, commit: true, now: 50)
        #expect(cluster.transaction(of: "t")?.state == "PrepareCommit")
        #expect(cluster.nextDeadline == 100)
        cluster.advance(to: 100)
        #expect(try cluster.values(of: output) == ["a"])
    }

    @Test func aRestartAndANewTopicHaveNoMoveBehindThem() throws {
        var cluster = try makeCluster()
        cluster.moveCoordinator(of: .transaction("t"), away: 10_000, loading: 0, now: 0)
        cluster.moveLeader(of: output, away: 10_000, now: 0)
        cluster.stop(now: 0)
        cluster.start(loading: 0, now: 1000)
        _ = try open(&cluster)
        cluster.moveLeader(of: input, away: 10_000, now: 1000)
        try cluster.deleteTopic("input", now: 1000)
        try cluster.createTopic("input", partitions: 1, settings: [:], now: 1000)
        try cluster.write(["a"], to: input)
    }

    @Test func theDumpTellsAll() throws {
        var cluster = try makeCluster()
        _ = try cluster.enter(GroupTests.request)
        try cluster.commitOffsets(
            [input: CommittedOffset(3, metadata: "m")], of: "g",
            member: MemberIdentity(id: "member-1", generation: 1), now: 0)
        _ = try open(&cluster)
        #expect(
            cluster.description == """
                0 ms
                input[0] #1: 0..<0..<0
                output[0] #2: 0..<0..<1
                  0 a by 1/0 #0 txn
                output[1] #2: 0..<0..<0
                transaction t: Ongoing, producer 1/0, until 60000, output[0]
                group g: Stable, generation 1
                  member-1 leads, until 10000: input[0] output[0] output[1]
                  input[0] at 3 m
                """)
    }
}
