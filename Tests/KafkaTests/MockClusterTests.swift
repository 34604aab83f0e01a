import BrokerSupport
import Kafka
import Synchronization
import Testing

@Suite struct MockClusterTests {
    @Test func recordsComeThroughPartitionQueuesInOrder() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 4)
        let producer = try Producer(local(cluster.bootstrapServers))
        for number in 0..<2000 { try producer.send("in", "\(number % 7)", "\(number)", partition: Int32(number % 4)) }
        try producer.send("in", "gone", nil, partition: 0)
        try producer.send("in", nil, "", partition: 1)
        #expect((producer.flush(limit: 10_000) as Bool))
        #expect((producer.takeDeliveries()).delivered == 2002)

        let reader = try Reader(cluster.bootstrapServers, group: "g", topics: ["in"])
        #expect(reader.poll { $0.received.count >= 2002 && $0.ends.count == 4 })
        let state = reader.state.withLock { ($0.received, $0.ends, $0.failures) }
        try reader.consumer.close()
        #expect(state.0.count == 2002)
        #expect(state.2 == [])
        for partition in 0..<Int32(4) {
            let records = state.0.filter { $0.partition.partition == partition }
            #expect(records.map(\.offset) == Array(0..<Int64(records.count)))
            #expect(state.1[TopicPartition("in", partition)] == Int64(records.count))
        }
        #expect(state.0.contains { $0.key == "gone" && $0.value == nil })
        #expect(state.0.contains { $0.key == nil && $0.value == "" })
    }

    @Test func offsetsAreCommittedWithTheirMetadata() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 2)
        let partitions = [TopicPartition("in", 0), TopicPartition("in", 1)]
        let reader = try Reader(cluster.bootstrapServers, group: "g", topics: ["in"])
        #expect(reader.poll { $0.assigned.count == 2 })
        #expect(try reader.consumer.committed(partitions, limit: 5000).map(\.offset) == [nil, nil])
        try reader.consumer.commit([PartitionOffset(partitions[0], 17, metadata: "horizon=5")])
        let read = try reader.consumer.committed(partitions, limit: 5000)
        #expect(read[0].offset == 17)
        #expect(read[1].offset == nil)
        _ = try reader.consumer.groupMetadata()
        #expect(!reader.consumer.memberID.isEmpty)
        try reader.consumer.close()
    }

    @Test func aSecondMemberTakesItsShare() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 4)
        let first = try Reader(cluster.bootstrapServers, group: "g", topics: ["in"], ["session.timeout.ms": "6000"])
        #expect(first.poll { $0.assigned.count == 4 })
        let second = try Reader(cluster.bootstrapServers, group: "g", topics: ["in"], ["session.timeout.ms": "6000"])
        let shared = first.poll { state in
            _ = second.consumer.poll(timeout: 20)
            return state.assigned.count == 2 && second.state.withLock { $0.assigned.count } == 2
        }
        #expect(shared)
        let both = first.state.withLock { $0.assigned }.union(second.state.withLock { $0.assigned })
        #expect(both.count == 4)
        try second.consumer.close()
        try first.consumer.close()
        #expect(first.state.withLock { $0.assigned.isEmpty && $0.lost == 0 })
    }

    @Test func aFullQueueIsNoError() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 1)
        try cluster.setDown(true)
        let producer = try Producer(local(cluster.bootstrapServers, ["queue.buffering.max.messages": "10"]))
        var results: [ProduceResult] = []
        let value: [UInt8] = [1]
        for _ in 0..<11 {
            results.append(
                unsafe try producer.produce(topic: "in", partition: 0, key: nil, value: value.span.bytes))
        }
        #expect(results == Array(repeating: .queued, count: 10) + [.queueFull])
        #expect(!(producer.flush(limit: 50) as Bool))
        try cluster.setDown(false)
        #expect((producer.flush(limit: 20_000) as Bool))
        #expect((producer.takeDeliveries()) == DeliveryCount(delivered: 10))
    }

    @Test func whatTheBrokerRefusesIsKept() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 1)
        let producer = try Producer(local(cluster.bootstrapServers))
        cluster.fail(.produce, with: [.topicAuthorizationFailed])
        try producer.send("in", nil, "x", partition: 0)
        #expect((producer.flush(limit: 10_000) as Bool))
        let count = producer.takeDeliveries()
        #expect(count.failed == 1)
        #expect(count.firstFailure?.domain == .authorization)
        #expect((producer.takeDeliveries()) == DeliveryCount())
    }

    @Test func aBrokenConnectionIsMended() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("in", partitions: 1)
        let producer = try Producer(local(cluster.bootstrapServers, ["retry.backoff.ms": "20"]))
        cluster.fail(.produce, with: [.disconnect, .notLeader, .requestTimedOut])
        for number in 0..<50 { try producer.send("in", nil, "\(number)", partition: 0) }
        #expect((producer.flush(limit: 20_000) as Bool))
        #expect((producer.takeDeliveries()) == DeliveryCount(delivered: 50))
        let reader = try Reader(cluster.bootstrapServers, group: "g", topics: ["in"])
        #expect(reader.poll { $0.received.count >= 50 })
        #expect(reader.state.withLock { $0.received.compactMap(\.value) } == (0..<50).map(String.init))
        try reader.consumer.close()
    }

    /// One that was not is looked up a second later, each of them.
    @Test func aTopicThatWasExpectedIsKnownWhenItsFirstRecordComes() throws {
        let cluster = try MockCluster()
        let topics = (0..<5).map { "topic-\($0)" }
        for topic in topics { try cluster.createTopic(topic, partitions: 1) }
        let producer = try Producer(local(cluster.bootstrapServers))
        producer.expect(topics)
        let start = ContinuousClock.now
        for topic in topics {
            try producer.send(topic, nil, "x", partition: 0)
            #expect((producer.flush(limit: 10_000) as Bool))
        }
        #expect(ContinuousClock.now - start < .seconds(2))
    }

    @Test func nobodyThereIsSaid() throws {
        let observer = Listener()
        let admin = try Admin(local("127.0.0.1:1"), observer: observer)
        let error = #expect(throws: KafkaError.self) { _ = try admin.topics(limit: 1000) }
        #expect(error?.domain == .transport)
        #expect(error?.remedy.contains("kafka.bootstrap.servers") == true)
        #expect(observer.lines.withLock { !$0.isEmpty })
    }
}

/// Keeps what clients tell.
final class Listener: ClientObserver {
    let lines = Mutex<[ClientLogLine]>([])
    let reports = Mutex<[ClientStatistics]>([])
    let failures = Mutex<[KafkaError]>([])

    func log(_ line: ClientLogLine) { lines.withLock { $0.append(line) } }
    func statistics(_ statistics: ClientStatistics) { reports.withLock { $0.append(statistics) } }
    func failure(_ error: KafkaError) { failures.withLock { $0.append(error) } }
}
