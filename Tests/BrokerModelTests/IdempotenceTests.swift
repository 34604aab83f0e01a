import BrokerModel
import Testing

@Suite struct IdempotenceTests {
    private func batch(_ values: [String], _ producer: ProducerIdentity, _ sequence: Int32) -> Batch {
        Batch(values.map { record($0) }, producer: producer, sequence: sequence)
    }

    @Test func aRepetitionIsWrittenOnce() throws {
        var cluster = try makeCluster()
        let producer = try cluster.initProducer(nil, timeout: 0, current: nil, now: 0)
        #expect(try cluster.produce(batch(["a", "b"], producer, 0), to: input, now: 0) == 0)
        #expect(try cluster.produce(batch(["c"], producer, 2), to: input, now: 0) == 2)
        #expect(try cluster.produce(batch(["a", "b"], producer, 0), to: input, now: 0) == 0)
        #expect(try cluster.values(of: input) == ["a", "b", "c"])
    }

    @Test func onlyTheLastFiveBatchesAreKnownAgain() throws {
        var cluster = try makeCluster()
        let producer = try cluster.initProducer(nil, timeout: 0, current: nil, now: 0)
        for number in 0..<6 {
            _ = try cluster.produce(batch(["\(number)"], producer, Int32(number)), to: input, now: 0)
        }
        #expect(try cluster.produce(batch(["1"], producer, 1), to: input, now: 0) == 1)
        #expect(throws: BrokerError.outOfOrderSequenceNumber) {
            try cluster.produce(batch(["0"], producer, 0), to: input, now: 0)
        }
    }

    @Test func aGapIsRefused() throws {
        var cluster = try makeCluster()
        let producer = try cluster.initProducer(nil, timeout: 0, current: nil, now: 0)
        _ = try cluster.produce(batch(["a"], producer, 0), to: input, now: 0)
        #expect(throws: BrokerError.outOfOrderSequenceNumber) {
            try cluster.produce(batch(["c"], producer, 2), to: input, now: 0)
        }
        #expect(try cluster.produce(batch(["b"], producer, 1), to: input, now: 0) == 1)
    }

    @Test func sequencesAreCountedInEachPartition() throws {
        var cluster = try makeCluster()
        let producer = try cluster.initProducer(nil, timeout: 0, current: nil, now: 0)
        _ = try cluster.produce(batch(["a"], producer, 0), to: output, now: 0)
        #expect(try cluster.produce(batch(["a"], producer, 0), to: other, now: 0) == 0)
    }

    @Test func aProducerThatIsNotKnownMayBeginAnywhere() throws {
        var cluster = try makeCluster()
        let producer = try cluster.initProducer(nil, timeout: 0, current: nil, now: 0)
        #expect(try cluster.produce(batch(["a"], producer, 7), to: input, now: 0) == 0)
        #expect(throws: BrokerError.outOfOrderSequenceNumber) {
            try cluster.produce(batch(["b"], producer, 7 + 2), to: input, now: 0)
        }
    }

    @Test func aLaterEpochBeginsAtZeroAndFencesTheEarlier() throws {
        var cluster = try makeCluster()
        let old = try cluster.initProducer(nil, timeout: 0, current: nil, now: 0)
        let new = ProducerIdentity(id: old.id, epoch: 1)
        _ = try cluster.produce(batch(["a"], old, 0), to: input, now: 0)
        #expect(throws: BrokerError.outOfOrderSequenceNumber) {
            try cluster.produce(batch(["b"], new, 1), to: input, now: 0)
        }
        _ = try cluster.produce(batch(["b"], new, 0), to: input, now: 0)
        #expect(throws: BrokerError.invalidProducerEpoch) {
            try cluster.produce(batch(["c"], old, 1), to: input, now: 0)
        }
        #expect(try cluster.values(of: input) == ["a", "b"])
        #expect(cluster.violations == [])
    }
}
