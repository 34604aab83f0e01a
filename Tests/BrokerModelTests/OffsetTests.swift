import BrokerModel
import Testing

@Suite struct OffsetTests {
    private static let request = GroupTests.request

    /// A producer with the group's offsets in its transaction.
    private func open(_ cluster: inout ModelCluster) throws -> ProducerIdentity {
        let producer = try cluster.initProducer("t", timeout: 60_000, current: nil, now: 0)
        try cluster.addOffsets(of: "g", to: "t", producer, now: 0)
        return producer
    }

    @Test func offsetsAreKeptWithTheirMetadata() throws {
        var cluster = try makeCluster()
        let member = try cluster.enter(Self.request)
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 0) == [:])
        let committed = CommittedOffset(7, metadata: "mark")
        try cluster.commitOffsets([input: committed], of: "g", member: member, now: 0)
        let found = try cluster.committedOffsets([input, output], of: "g", stable: true, now: 0)
        #expect(found == [input: committed])
        let long = CommittedOffset(8, metadata: String(repeating: "m", count: 4097))
        #expect(throws: BrokerError.offsetMetadataTooLarge) {
            try cluster.commitOffsets([input: long], of: "g", member: member, now: 0)
        }
        #expect(throws: BrokerError.unknownTopicOrPartition) {
            try cluster.commitOffsets([PartitionName("no", 0): committed], of: "g", member: member, now: 0)
        }
    }

    @Test func whoIsNotInTheGroupMayNotCommit() throws {
        var cluster = try makeCluster()
        let offsets = [input: CommittedOffset(1)]
        // Nobody is in it: a tool may set offsets.
        try cluster.commitOffsets(offsets, of: "g", member: .none, now: 0)
        let member = try cluster.enter(Self.request)
        #expect(throws: BrokerError.unknownMemberID) {
            try cluster.commitOffsets(offsets, of: "g", member: .none, now: 0)
        }
        let stale = MemberIdentity(id: member.id, generation: 0)
        #expect(throws: BrokerError.illegalGeneration) {
            try cluster.commitOffsets(offsets, of: "g", member: stale, now: 0)
        }
        #expect(throws: BrokerError.illegalGeneration) {
            try cluster.commitOffsets(offsets, of: "new", member: member, now: 0)
        }
        let producer = try open(&cluster)
        #expect(throws: BrokerError.illegalGeneration) {
            try cluster.commitOffsets(offsets, of: "g", in: "t", producer, member: stale, now: 0)
        }
        let stranger = MemberIdentity(id: "stranger", generation: 1)
        #expect(throws: BrokerError.unknownMemberID) {
            try cluster.commitOffsets(offsets, of: "g", in: "t", producer, member: stranger, now: 0)
        }
    }

    @Test func aRebalanceEndsCommitsOnlyWithTheNextGeneration() throws {
        var cluster = try makeCluster()
        let first = try cluster.enter(Self.request)
        let offsets = [input: CommittedOffset(1)]
        guard case .memberIDRequired(let id) = try cluster.join(Self.request, now: 0) else { throw NotIn() }
        var request = Self.request
        request.memberID = id
        _ = try cluster.join(request, now: 0)
        try cluster.commitOffsets(offsets, of: "g", member: first, now: 0)
        request.memberID = first.id
        _ = try cluster.join(request, now: 0)
        #expect(throws: BrokerError.illegalGeneration) {
            try cluster.commitOffsets(offsets, of: "g", member: first, now: 0)
        }
        let next = MemberIdentity(id: first.id, generation: 2)
        #expect(throws: BrokerError.rebalanceInProgress) {
            try cluster.commitOffsets(offsets, of: "g", member: next, now: 0)
        }
        // Within a transaction that is not asked.
        let producer = try open(&cluster)
        try cluster.commitOffsets(offsets, of: "g", in: "t", producer, member: next, now: 0)
    }

    @Test func offsetsOfAnOpenTransactionAreUnstable() throws {
        var cluster = try makeCluster()
        let member = try cluster.enter(Self.request)
        try cluster.commitOffsets([input: CommittedOffset(1)], of: "g", member: member, now: 0)
        let producer = try open(&cluster)
        try cluster.commitOffsets([input: CommittedOffset(2)], of: "g", in: "t", producer, member: member, now: 0)
        #expect(throws: BrokerError.unstableOffsetCommit) {
            try cluster.committedOffsets([input], of: "g", stable: true, now: 0)
        }
        #expect(try cluster.committedOffsets([output], of: "g", stable: true, now: 0) == [:])
        #expect(try cluster.committedOffsets([input], of: "g", stable: false, now: 0)[input]?.offset == 1)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 0)[input]?.offset == 2)
        try cluster.addOffsets(of: "g", to: "t", producer, now: 0)
        try cluster.commitOffsets([input: CommittedOffset(3)], of: "g", in: "t", producer, member: member, now: 0)
        try cluster.endTransaction("t", producer, commit: false, now: 0)
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 0)[input]?.offset == 2)
        #expect(cluster.violations == [])
    }

    @Test func ofTwoOffsetsTheOneThatCameLaterCounts() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster)
        try cluster.commitOffsets(
            [input: CommittedOffset(1), output: CommittedOffset(1)], of: "g", in: "t", producer, member: .none, now: 0)
        try cluster.commitOffsets([input: CommittedOffset(2)], of: "g", member: .none, now: 0)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        let found = try cluster.committedOffsets([input, output], of: "g", stable: true, now: 0)
        #expect(found == [input: CommittedOffset(2), output: CommittedOffset(1)])
    }

    @Test(arguments: [true, false]) func aFencedProducerCommitsNoOffsets(isVerified: Bool) throws {
        var cluster = try makeCluster { $0.verifiesTransactions = isVerified }
        let old = try open(&cluster)
        try cluster.commitOffsets([input: CommittedOffset(1)], of: "g", in: "t", old, member: .none, now: 0)
        #expect(throws: BrokerError.concurrentTransactions) {
            try cluster.initProducer("t", timeout: 60_000, current: nil, now: 0)
        }
        #expect(throws: BrokerError.invalidProducerEpoch) {
            try cluster.commitOffsets([input: CommittedOffset(2)], of: "g", in: "t", old, member: .none, now: 0)
        }
        let new = try open(&cluster)
        try cluster.commitOffsets([input: CommittedOffset(3)], of: "g", in: "t", new, member: .none, now: 0)
        #expect(throws: BrokerError.invalidProducerEpoch) {
            try cluster.commitOffsets([input: CommittedOffset(4)], of: "g", in: "t", old, member: .none, now: 0)
        }
        try cluster.endTransaction("t", new, commit: true, now: 0)
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 0)[input]?.offset == 3)
    }

    @Test func offsetsGoWithTheirTopicAndWithTheirGroup() throws {
        var cluster = try makeCluster()
        let offsets = [input: CommittedOffset(1), output: CommittedOffset(2)]
        try cluster.commitOffsets(offsets, of: "g", member: .none, now: 0)
        let producer = try open(&cluster)
        try cluster.commitOffsets(offsets, of: "g", in: "t", producer, member: .none, now: 0)
        try cluster.deleteTopic("output", now: 0)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        try cluster.createTopic("output", partitions: 1, settings: [:], now: 0)
        #expect(
            try cluster.committedOffsets([input, output], of: "g", stable: true, now: 0) == [input: CommittedOffset(1)])
        let member = try cluster.enter(Self.request)
        #expect(throws: BrokerError.nonEmptyGroup) { try cluster.deleteGroup("g", now: 0) }
        try cluster.leave("g", member, now: 0)
        try cluster.deleteGroup("g", now: 0)
        #expect(throws: BrokerError.groupIDNotFound) { try cluster.deleteGroup("g", now: 0) }
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 0) == [:])
    }
}
