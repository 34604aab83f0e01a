import BrokerModel
import Testing

@Suite struct TransactionTests {
    private static let timeout: Int64 = 60_000

    /// Opens a transaction of `id` that writes one record to each partition.
    private func open(
        _ cluster: inout ModelCluster, _ id: String, _ value: String, in partitions: [PartitionName] = [output]
    ) throws -> ProducerIdentity {
        let producer = try cluster.initProducer(id, timeout: Self.timeout, current: nil, now: cluster.now)
        try cluster.addPartitions(partitions, to: id, producer, now: cluster.now)
        for partition in partitions { try cluster.write(value, by: producer, 0, to: partition) }
        return producer
    }

    @Test func aCommittedTransactionIsSeenAndAnAbortedOneIsNot() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster, "t", "a")
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        try cluster.addPartitions([output], to: "t", producer, now: 0)
        try cluster.write("b", by: producer, 1, to: output)
        try cluster.endTransaction("t", producer, commit: false, now: 0)
        try cluster.write(["c"], to: output)
        #expect(try cluster.values(of: output) == ["a", "c"])
        #expect(try cluster.values(of: output, .readUncommitted) == ["a", "b", "c"])
        #expect(try cluster.offset(.latest, of: output, .readCommitted, now: 0) == 5)
        #expect(cluster.violations == [])
    }

    @Test func anOpenTransactionHoldsUpReaders() throws {
        var cluster = try makeCluster()
        try cluster.write(["a"], to: output)
        let producer = try open(&cluster, "t", "b")
        try cluster.write(["c"], to: output)
        let held = try cluster.fetch(output, from: 0, .readCommitted, bytes: .max, now: 0)
        #expect(held.records.map(text) == ["a"] && held.next == 1)
        #expect(held.lastStableOffset == 1 && held.highWatermark == 3)
        #expect(try cluster.offset(.latest, of: output, .readCommitted, now: 0) == 1)
        #expect(try cluster.offset(.latest, of: output, .readUncommitted, now: 0) == 3)
        let late = try cluster.produce(Batch([record("d", at: 9)]), to: output, now: 0)
        #expect(try cluster.offset(.timestamp(9), of: output, .readUncommitted, now: 0) == late)
        #expect(try cluster.offset(.timestamp(9), of: output, .readCommitted, now: 0) == nil)
        try cluster.endTransaction("t", producer, commit: false, now: 0)
        let free = try cluster.fetch(output, from: 1, .readCommitted, bytes: .max, now: 0)
        #expect(free.records.map(text) == ["c", "d"] && free.next == 5)
    }

    @Test func markersAreWrittenOneAfterAnother() throws {
        var cluster = try makeCluster {
            $0.markerDelay = 10
            $0.firstMarker = 1
        }
        let producer = try open(&cluster, "t", "a", in: [output, other])
        try cluster.addOffsets(of: "g", to: "t", producer, now: 0)
        try cluster.commitOffsets([input: CommittedOffset(5)], of: "g", in: "t", producer, member: .none, now: 0)
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        #expect(cluster.transaction(of: "t")?.state == "PrepareCommit")
        #expect(throws: BrokerError.concurrentTransactions) {
            try cluster.endTransaction("t", producer, commit: true, now: 5)
        }
        #expect(throws: BrokerError.invalidTxnState) {
            try cluster.endTransaction("t", producer, commit: false, now: 5)
        }
        #expect(throws: BrokerError.concurrentTransactions) {
            try cluster.addPartitions([output], to: "t", producer, now: 5)
        }
        #expect(cluster.nextDeadline == 10)
        cluster.advance(to: 10)
        #expect(try cluster.values(of: other) == ["a"])
        #expect(try cluster.values(of: output) == [])
        cluster.advance(to: 20)
        #expect(try cluster.committedOffsets([input], of: "g", stable: true, now: 20) == [input: CommittedOffset(5)])
        #expect(try cluster.values(of: output) == [])
        cluster.advance(to: 30)
        #expect(try cluster.values(of: output) == ["a"])
        #expect(cluster.transaction(of: "t")?.state == "CompleteCommit")
        try cluster.endTransaction("t", producer, commit: true, now: 30)
        #expect(cluster.nextDeadline == nil)
        #expect(cluster.violations == [])
    }

    @Test func aNewProducerAbortsWhatTheOldOneLeftAndFencesIt() throws {
        var cluster = try makeCluster { $0.markerDelay = 10 }
        let old = try open(&cluster, "t", "a")
        #expect(throws: BrokerError.concurrentTransactions) {
            try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 0)
        }
        #expect(throws: BrokerError.producerFenced) { try cluster.endTransaction("t", old, commit: true, now: 0) }
        #expect(throws: BrokerError.concurrentTransactions) {
            try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 5)
        }
        let new = try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 10)
        #expect(new.id == old.id && new.epoch > old.epoch)
        #expect(throws: BrokerError.invalidProducerEpoch) { try cluster.write("b", by: old, 1, to: output) }
        #expect(throws: BrokerError.producerFenced) { try cluster.addPartitions([output], to: "t", old, now: 10) }
        #expect(throws: BrokerError.producerFenced) {
            try cluster.initProducer("t", timeout: Self.timeout, current: old, now: 10)
        }
        #expect(try cluster.values(of: output) == [])
        try cluster.addPartitions([output], to: "t", new, now: 10)
        try cluster.write("c", by: new, 0, to: output)
        try cluster.endTransaction("t", new, commit: true, now: 10)
        cluster.advance(to: 20)
        #expect(try cluster.values(of: output) == ["c"])
        #expect(cluster.violations == [])
    }

    @Test func aNewProducerFindsADecidedTransactionCompleted() throws {
        var cluster = try makeCluster { $0.markerDelay = 10 }
        let old = try open(&cluster, "t", "a")
        try cluster.endTransaction("t", old, commit: true, now: 0)
        #expect(throws: BrokerError.concurrentTransactions) {
            try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 9)
        }
        _ = try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 10)
        #expect(try cluster.values(of: output) == ["a"])
    }

    @Test func aTransactionTimesOut() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster, "t", "a")
        #expect(cluster.nextDeadline == Self.timeout)
        cluster.advance(to: Self.timeout - 1)
        #expect(cluster.transaction(of: "t")?.state == "Ongoing")
        cluster.advance(to: Self.timeout)
        #expect(cluster.transaction(of: "t")?.state == "CompleteAbort")
        #expect(try cluster.offset(.latest, of: output, .readCommitted, now: Self.timeout) == 2)
        #expect(throws: BrokerError.invalidProducerEpoch) { try cluster.write("b", by: producer, 1, to: output) }
        #expect(throws: BrokerError.producerFenced) {
            try cluster.endTransaction("t", producer, commit: true, now: Self.timeout)
        }
        #expect(try cluster.values(of: output) == [])
        // Nobody else has come meanwhile: the same producer may go on with the epoch that the abort raised.
        let next = try cluster.initProducer("t", timeout: Self.timeout, current: producer, now: Self.timeout)
        #expect(next == ProducerIdentity(id: producer.id, epoch: producer.epoch + 1))
        try cluster.addPartitions([output], to: "t", next, now: Self.timeout)
        try cluster.write("b", by: next, 0, to: output)
    }

    @Test func whatIsNotInTheTransactionIsRefused() throws {
        var cluster = try makeCluster()
        let producer = try open(&cluster, "t", "a")
        #expect(throws: BrokerError.invalidTxnState) { try cluster.write("b", by: producer, 0, to: other) }
        #expect(throws: BrokerError.invalidTxnState) {
            try cluster.commitOffsets([input: CommittedOffset(1)], of: "g", in: "t", producer, member: .none, now: 0)
        }
        let plain = Batch([record("c")], producer: producer, sequence: 1)
        #expect(throws: BrokerError.invalidTxnState) { try cluster.produce(plain, to: output, now: 0) }
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        #expect(throws: BrokerError.invalidTxnState) { try cluster.write("d", by: producer, 1, to: output) }
        let stranger = ProducerIdentity(id: 99, epoch: 0)
        #expect(throws: BrokerError.invalidProducerIDMapping) {
            try cluster.addPartitions([output], to: "t", stranger, now: 0)
        }
        #expect(throws: BrokerError.invalidProducerIDMapping) {
            try cluster.addPartitions([output], to: "nobody's", producer, now: 0)
        }
        #expect(throws: BrokerError.invalidTxnState) {
            try cluster.endTransaction("t", producer, commit: false, now: 0)
        }
    }

    @Test func withoutVerificationALateRecordHoldsUpReadersForEver() throws {
        var cluster = try makeCluster { $0.verifiesTransactions = false }
        let producer = try open(&cluster, "t", "a")
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        try cluster.write("b", by: producer, 1, to: output)
        try cluster.write(["c"], to: output)
        cluster.advance(to: 10 * Self.timeout)
        #expect(try cluster.values(of: output) == ["a"])
        cluster.options.verifiesTransactions = true
        #expect(cluster.violations == ["output[0]: nobody ends the transaction of producer 1"])
    }

    @Test func aProducerMayAskForANewEpochOfItsOwn() throws {
        var cluster = try makeCluster()
        let first = try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 0)
        let second = try cluster.initProducer("t", timeout: Self.timeout, current: first, now: 0)
        #expect(second == ProducerIdentity(id: first.id, epoch: first.epoch + 1))
        // The answer was lost: the same again.
        #expect(try cluster.initProducer("t", timeout: Self.timeout, current: first, now: 0) == second)
        let third = try cluster.initProducer("t", timeout: Self.timeout, current: nil, now: 0)
        #expect(third.epoch == second.epoch + 1)
        #expect(throws: BrokerError.producerFenced) {
            try cluster.initProducer("t", timeout: Self.timeout, current: second, now: 0)
        }
        #expect(throws: BrokerError.invalidTransactionTimeout) {
            try cluster.initProducer("u", timeout: 900_001, current: nil, now: 0)
        }
    }

    @Test func epochsThatAreUsedUpMakeANewProducer() throws {
        var cluster = try makeCluster()
        let first = try cluster.initProducer("t", timeout: 1, current: nil, now: 0)
        var last = first
        while last.id == first.id { last = try cluster.initProducer("t", timeout: 1, current: nil, now: 0) }
        #expect(last.epoch == 0)
        try cluster.addPartitions([output], to: "t", last, now: 0)
        try cluster.write("a", by: last, 0, to: output)
        try cluster.endTransaction("t", last, commit: true, now: 0)
        #expect(try cluster.values(of: output) == ["a"])
    }

    @Test func aDeletedTopicDoesNotHoldUpTheEnd() throws {
        var cluster = try makeCluster { $0.markerDelay = 10 }
        let producer = try open(&cluster, "t", "a", in: [input, output])
        try cluster.endTransaction("t", producer, commit: true, now: 0)
        try cluster.deleteTopic("input", now: 0)
        cluster.advance(to: 20)
        #expect(cluster.transaction(of: "t")?.state == "CompleteCommit")
        #expect(try cluster.values(of: output) == ["a"])
    }
}
