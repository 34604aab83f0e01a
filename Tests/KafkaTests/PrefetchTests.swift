import BrokerSupport
import Dispatch
import Glibc
import Kafka
import Testing

/// How far a partition's queue is filled ahead of whoever drains it.
@Suite struct PrefetchTests {
    private static let records = 200_000
    /// Records of ten bytes that 64 KiB of the queue and one fetch of 256 KiB hold, with room to spare.
    private static let bound = 25_000

    private func withQueue(_ body: (Held, borrowing Consumer) throws -> Void) throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 1)
        let producer = try Producer(local(cluster.bootstrapServers))
        for number in 0..<Self.records { try producer.send("in", nil, "\(1_000_000_000 + number)", partition: 0) }
        #expect((producer.flush(limit: 20_000) as Bool))
        let properties = ["queued.max.messages.kbytes": "64", "fetch.message.max.bytes": "262144"]
        let consumer = try Consumer(group: "g", local(cluster.bootstrapServers, properties))
        let held = Held()
        try consumer.subscribe(["in"], handler: held)
        let end = DispatchTime.now() + 20
        while held.count < Self.bound / 20, DispatchTime.now() < end { _ = consumer.poll(timeout: 20) }
        try body(held, consumer)
        try consumer.close()
    }

    @Test func slowDrainsAreNotFetchedAheadOfBeyondTheBound() throws {
        try withQueue { held, _ in
            held.pause = 1000
            for _ in 0..<150 { held.drain(limit: 20) }
            #expect(held.taken == 3000)
            #expect(held.count < Self.bound)
        }
    }

    /// The library itself looks again after a second only: a dozen of them would pass.
    @Test func aQueueThatWasFullIsFilledAgainAtOnce() throws {
        try withQueue { held, consumer in
            let end = DispatchTime.now() + 5
            while held.taken < Self.records, DispatchTime.now() < end {
                held.drain(limit: 8192)
                _ = consumer.poll(timeout: 1)
            }
            #expect(held.taken == Self.records)
        }
    }
}

/// Holds the queue of one partition for the test to drain, on the test's own thread.
private final class Held: RebalanceHandler, PartitionSink, @unchecked Sendable {
    private var queue: PartitionQueue?
    private(set) var taken = 0
    /// µs that each record takes.
    var pause: UInt32 = 0

    var count: Int {
        if queue == nil { return 0 }
        return queue?.count ?? 0
    }

    func drain(limit: Int) { queue?.drain(limit: limit, into: self) }

    func start(_ partitions: [TopicPartition]) -> [StartOffset] { partitions.map { _ in .beginning } }
    func begin(_ partition: TopicPartition, queue: consuming PartitionQueue) { self.queue = consume queue }
    func assigned(_ partitions: [TopicPartition]) {}
    func end(_ partitions: [TopicPartition], lost: Bool) { queue = nil }
    func failed(_ error: KafkaError) { Issue.record(error) }

    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
        #expect(offset == Int64(taken))
        taken += 1
        if pause > 0 { usleep(pause) }
    }

    func reachedEnd(offset: Int64) {}
}
