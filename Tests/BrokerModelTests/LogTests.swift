import BrokerModel
import Testing

@Suite struct LogTests {
    @Test func topicsAreMadeAndDeletedAndMadeAnew() throws {
        var cluster = try makeCluster()
        #expect(throws: BrokerError.topicAlreadyExists) {
            try cluster.createTopic("input", partitions: 1, settings: [:], now: 0)
        }
        #expect(throws: BrokerError.invalidPartitions) {
            try cluster.createTopic("new", partitions: 0, settings: [:], now: 0)
        }
        let old = try #require(try cluster.topics(now: 0).first)
        try cluster.write(["a"], to: input)
        try cluster.deleteTopic("input", now: 0)
        #expect(throws: BrokerError.unknownTopicOrPartition) { try cluster.values(of: input) }
        #expect(throws: BrokerError.unknownTopicOrPartition) { try cluster.deleteTopic("input", now: 0) }
        try cluster.createTopic("input", partitions: 1, settings: ["retention.ms": "5"], now: 0)
        let new = try #require(try cluster.topics(now: 0).first)
        #expect(new.name == "input" && new.id != old.id)
        #expect(new.settings["retention.ms"] == "5" && new.settings["cleanup.policy"] == "delete")
        #expect(try cluster.values(of: input) == [])
        #expect(throws: BrokerError.offsetOutOfRange) { try cluster.values(of: input, from: 1) }
    }

    @Test func partitionsAreAdded() throws {
        var cluster = try makeCluster()
        #expect(throws: BrokerError.invalidPartitions) { try cluster.addPartitions(to: "output", total: 2, now: 0) }
        #expect(throws: BrokerError.unknownTopicOrPartition) {
            try cluster.write(["a"], to: PartitionName("output", 2))
        }
        try cluster.addPartitions(to: "output", total: 3, now: 0)
        try cluster.write(["a"], to: PartitionName("output", 2))
        #expect(try cluster.topics(now: 0).map(\.partitions) == [1, 3])
    }

    @Test func aFetchIsLimitedAndGoesOn() throws {
        var cluster = try makeCluster()
        #expect(try cluster.write(["a", "b", "c"], to: input) == 0)
        #expect(try cluster.write(["d"], to: input) == 3)
        let size = record("a").size
        let first = try cluster.fetch(input, from: 0, .readCommitted, bytes: 2 * size, now: 0)
        #expect(first.records.map(text) == ["a", "b"] && first.next == 2)
        let one = try cluster.fetch(input, from: 2, .readCommitted, bytes: 1, now: 0)
        #expect(one.records.map(text) == ["c"] && one.next == 3)
        let last = try cluster.fetch(input, from: 4, .readCommitted, bytes: 1, now: 0)
        #expect(last.records.isEmpty && last.next == 4 && last.highWatermark == 4)
    }

    @Test func recordsAreDeletedAndRetained() throws {
        var cluster = try makeCluster()
        try cluster.write((0..<10).map(String.init), to: input)
        #expect(try cluster.deleteRecords(of: input, before: 3, now: 0) == 3)
        #expect(try cluster.deleteRecords(of: input, before: 1, now: 0) == 3)
        #expect(throws: BrokerError.offsetOutOfRange) { try cluster.deleteRecords(of: input, before: 11, now: 0) }
        #expect(throws: BrokerError.offsetOutOfRange) { try cluster.values(of: input, from: 2) }
        cluster.retain(input, newest: 4, now: 0)
        #expect(try cluster.offset(.earliest, of: input, .readCommitted, now: 0) == 6)
        #expect(try cluster.values(of: input, from: 6) == ["6", "7", "8", "9"])
        #expect(try cluster.deleteRecords(of: input, before: -1, now: 0) == 10)
        #expect(try cluster.offset(.latest, of: input, .readCommitted, now: 0) == 10)
        #expect(cluster.violations == [])
        try cluster.createTopic("totals", partitions: 1, settings: ["cleanup.policy": "compact"], now: 0)
        #expect(throws: BrokerError.policyViolation) {
            try cluster.deleteRecords(of: PartitionName("totals", 0), before: 0, now: 0)
        }
    }

    @Test func timesAreFoundAndRetained() throws {
        var cluster = try makeCluster()
        let batch = Batch([10, 20, 30].map { record("\($0)", at: $0) })
        _ = try cluster.produce(batch, to: input, now: 0)
        #expect(try cluster.offset(.timestamp(15), of: input, .readCommitted, now: 0) == 1)
        #expect(try cluster.offset(.timestamp(31), of: input, .readCommitted, now: 0) == nil)
        cluster.retain(input, since: 20, now: 0)
        #expect(try cluster.values(of: input, from: 1) == ["20", "30"])
        cluster.retain(input, since: 31, now: 0)
        #expect(try cluster.offset(.earliest, of: input, .readCommitted, now: 0) == 3)
    }

    @Test func compactionKeepsTheNewestOfEachKey() throws {
        var cluster = try makeCluster()
        let values = [("k", "1"), ("l", "2"), ("k", "3"), ("m", "4"), ("l", "5")]
        _ = try cluster.produce(Batch(values.map { record($1, key: $0) }), to: output, now: 0)
        cluster.compact(output, now: 0)
        #expect(try cluster.values(of: output) == ["3", "4", "5"])
        #expect(try cluster.values(of: output, from: 3) == ["4", "5"])
        #expect(cluster.violations == [])
    }

    @Test func compactionDropsWhatWasAborted() throws {
        var cluster = try makeCluster()
        _ = try cluster.produce(Batch([record("1", key: "k")]), to: output, now: 0)
        let producer = try cluster.initProducer("t", timeout: 60_000, current: nil, now: 0)
        try cluster.addPartitions([output], to: "t", producer, now: 0)
        let records = [record("2", key: "k"), record("3", key: "l")]
        let aborted = Batch(records, producer: producer, sequence: 0, isTransactional: true)
        _ = try cluster.produce(aborted, to: output, now: 0)
        try cluster.endTransaction("t", producer, commit: false, now: 0)
        cluster.compact(output, now: 0)
        #expect(try cluster.values(of: output, .readUncommitted) == ["1"])
        #expect(cluster.violations == [])
    }

    @Test func storedValuesAreSpoilt() throws {
        var cluster = try makeCluster()
        try cluster.write(["abcd", "abcd"], to: input)
        let isTorn = cluster.corrupt(input, at: 0, .torn(2), now: 0)
        let isFlipped = cluster.corrupt(input, at: 1, .flipped(bit: 9), now: 0)
        let isThere = cluster.corrupt(input, at: 2, .torn(2), now: 0)
        #expect(isTorn && isFlipped && !isThere)
        #expect(try cluster.values(of: input) == ["ab", "a`cd"])
    }

    @Test func aBatchMayBeTooLarge() throws {
        var cluster = try makeCluster()
        try cluster.createTopic("small", partitions: 1, settings: ["max.message.bytes": "100"], now: 0)
        let small = PartitionName("small", 0)
        try cluster.write([String(repeating: "a", count: 27)], to: small)
        #expect(throws: BrokerError.messageTooLarge) {
            try cluster.write([String(repeating: "a", count: 28)], to: small)
        }
    }
}
