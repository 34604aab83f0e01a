import BrokerSupport
import Foundation
import Kafka
import Synchronization
import Testing

/// What the embedded cluster can show of transactions: the classes of errors. It implements none.
@Suite struct TransactionErrorTests {
    private func transaction(_ cluster: borrowing MockCluster, _ identity: String) throws -> TransactionalProducer {
        let producer = try TransactionalProducer(
            local(cluster.bootstrapServers, ["retry.backoff.ms": "20"]), identity: identity, timeout: 30_000)
        try producer.initialize(limit: 10_000)
        return producer
    }

    private func failure(_ body: () throws -> Void) -> KafkaError? {
        do {
            try body()
            return nil
        } catch {
            return error as? KafkaError
        }
    }

    @Test func outOfTurnIsPermanent() throws {
        let cluster = try MockCluster()
        let producer = try transaction(cluster, "t")
        let error = failure { try producer.commit() }
        #expect(error?.name == "_STATE")
        #expect(error?.retry == .permanent)
    }

    @Test func aRefusedRecordMakesTheTransactionAbortable() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("out", partitions: 1)
        let producer = try transaction(cluster, "t")
        try producer.begin()
        cluster.fail(.produce, with: [.messageTooLarge])
        try producer.producer.send("out", nil, "x", partition: 0)
        #expect(failure { try producer.commit(limit: 10_000) }?.retry == .abortable)
        try producer.abort(limit: 10_000)
        try producer.begin()
    }

    @Test func aFencedProducerIsSpent() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("out", partitions: 1)
        let producer = try transaction(cluster, "t")
        try producer.begin()
        try producer.producer.send("out", nil, "x", partition: 0)
        cluster.fail(.endTransaction, with: [.invalidProducerEpoch])
        #expect(failure { try producer.commit(limit: 10_000) }?.retry == .fatal)
        #expect(producer.producer.fatalError != nil)
        #expect(failure { try producer.begin() }?.retry == .fatal)
    }

    @Test func aBusyCoordinatorIsAskedAgain() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("out", partitions: 1)
        let producer = try transaction(cluster, "t")
        try producer.begin()
        try producer.producer.send("out", nil, "x", partition: 0)
        cluster.fail(.endTransaction, with: [.coordinatorLoadInProgress, .disconnect])
        var attempts = 0
        while let error = failure({ try producer.commit(limit: 5000) }), attempts < 10 {
            try #require(error.retry == .retriable)
            attempts += 1
        }
        #expect(attempts < 10)
    }
}

@Suite(.enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct RealTransactionTests {
    let bootstrap: String

    init() throws {
        bootstrap = try RealBroker.shared().bootstrap
    }

    private func make(_ topics: String...) throws {
        let admin = try Admin(local(bootstrap))
        try admin.create(topics.map { NewTopic($0, partitions: 2, replicas: 1) }, limit: 10_000)
    }

    private func producer(_ identity: String, timeout: Int = 30_000) throws -> TransactionalProducer {
        let producer = try TransactionalProducer(local(bootstrap), identity: identity, timeout: timeout)
        while true {
            do throws(KafkaError) {
                try producer.initialize(limit: 15_000)
                return producer
            } catch {
                if error.retry != .retriable { throw error }
            }
        }
    }

    private func values(_ topic: String, isolation: String = "read_committed", atLeast count: Int) throws -> [String] {
        let reader = try Reader(bootstrap, group: fresh("check"), topics: [topic], ["isolation.level": isolation])
        _ = reader.poll { $0.ends.count == 2 && $0.received.count >= count }
        let values = reader.state.withLock { $0.received.compactMap(\.value) }
        try reader.consumer.close()
        return values.sorted()
    }

    @Test func recordsAndOffsetsBecomeVisibleTogether() throws {
        let (input, output, group) = (fresh("in"), fresh("out"), fresh("g"))
        try make(input, output)
        let source = try Producer(local(bootstrap))
        for number in 0..<10 { try source.send(input, nil, "\(number)", partition: 0) }
        #expect(source.flush(limit: 10_000) as Bool)

        let reader = try Reader(bootstrap, group: group, topics: [input])
        #expect(reader.poll { $0.received.count == 10 })
        let partition = TopicPartition(input, 0)
        let producer = try producer(fresh("tx"))

        try producer.begin()
        for number in 0..<10 { try producer.producer.send(output, nil, "a\(number)", partition: 0) }
        let metadata = try reader.consumer.groupMetadata()
        try producer.send([PartitionOffset(partition, 10, metadata: "m")], of: metadata, limit: 10_000)
        try producer.abort()
        #expect(try reader.consumer.committed([partition], limit: 10_000)[0].offset == nil)

        try producer.begin()
        for number in 0..<10 { try producer.producer.send(output, nil, "c\(number)", partition: 0) }
        try producer.send([PartitionOffset(partition, 10, metadata: "m")], of: metadata, limit: 10_000)
        try producer.commit()
        let committed = try reader.consumer.committed([partition], limit: 10_000)
        #expect(committed == [PartitionOffset(partition, 10, metadata: "m")])
        #expect(producer.producer.takeDeliveries().delivered >= 10)
        try reader.consumer.close()

        #expect(try values(output, atLeast: 10) == (0..<10).map { "c\($0)" })
        let all = try values(output, isolation: "read_uncommitted", atLeast: 10)
        #expect(all.filter { $0.hasPrefix("c") }.count == 10)
    }

    @Test func theTwinFencesTheElder() throws {
        let topic = fresh("out")
        try make(topic)
        let identity = fresh("tx")
        let elder = try producer(identity)
        try elder.begin()
        try elder.producer.send(topic, nil, "old", partition: 0)
        _ = elder.producer.flush(limit: 10_000)
        let younger = try producer(identity)
        let error = #expect(throws: KafkaError.self) { try elder.commit(limit: 15_000) }
        #expect(error?.retry == .fatal)
        try younger.begin()
        try younger.producer.send(topic, nil, "new", partition: 0)
        try younger.commit()
        #expect(try values(topic, atLeast: 1) == ["new"])
    }

    @Test func offsetsOfASucceededMemberAreRefused() throws {
        let (input, group) = (fresh("in"), fresh("g"))
        try make(input)
        let first = try Reader(bootstrap, group: group, topics: [input])
        #expect(first.poll { $0.assigned.count == 2 })
        let stale = try first.consumer.groupMetadata()
        try first.consumer.close()
        let second = try Reader(bootstrap, group: group, topics: [input])
        #expect(second.poll { $0.assigned.count == 2 })
        let producer = try producer(fresh("tx"))
        try producer.begin()
        let error = #expect(throws: KafkaError.self) {
            try producer.send([PartitionOffset(TopicPartition(input, 0), 5)], of: stale, limit: 10_000)
        }
        #expect(error?.retry == .abortable)
        try producer.abort()
        try second.consumer.close()
    }

    @Test func theAdministratorSeesWhatIsThere() throws {
        let topic = fresh("made")
        let admin = try Admin(local(bootstrap))
        let wanted = NewTopic(topic, partitions: 3, replicas: 1, configuration: ["cleanup.policy": "compact"])
        try admin.create([wanted], limit: 10_000)
        try admin.create([wanted], limit: 10_000)
        // A broker may tell of a topic a moment after it was made.
        var found: TopicDescription?
        for _ in 0..<100 where found == nil {
            found = try admin.topics(limit: 10_000).first { $0.name == topic }
            if found == nil { Thread.sleep(forTimeInterval: 0.1) }
        }
        #expect(found == TopicDescription(name: topic, partitions: 3, replicas: 1))
        let configuration = try admin.configuration(ofTopic: topic, limit: 10_000)
        #expect(configuration["cleanup.policy"] == "compact")
        #expect(configuration["max.message.bytes"] != nil)

        let refused = #expect(throws: KafkaError.self) {
            try admin.create([NewTopic("no/such name", partitions: 1)], limit: 10_000)
        }
        #expect(refused?.domain == .topic)
        let many = #expect(throws: KafkaError.self) {
            try admin.create([NewTopic(fresh("x"), partitions: 1, replicas: 5)], limit: 10_000)
        }
        #expect(many?.name == "INVALID_REPLICATION_FACTOR")
    }

    @Test func recordsAndGroupsAreDeleted() throws {
        let (topic, group) = (fresh("short"), fresh("g"))
        try make(topic)
        let partition = TopicPartition(topic, 0)
        let source = try Producer(local(bootstrap))
        for number in 0..<10 { try source.send(topic, nil, "\(number)", partition: 0) }
        #expect(source.flush(limit: 10_000) as Bool)
        let admin = try Admin(local(bootstrap))
        try admin.deleteRecords(before: [PartitionOffset(partition, 6)], limit: 10_000)
        #expect(try admin.watermarks(of: partition, limit: 10_000) == Watermarks(low: 6, high: 10))
        #expect(throws: KafkaError.self) {
            try admin.deleteRecords(before: [PartitionOffset(partition, 99)], limit: 10_000)
        }

        let reader = try Reader(bootstrap, group: group, topics: [topic])
        #expect(reader.poll { $0.received.count == 4 })
        let busy = #expect(throws: KafkaError.self) { try admin.deleteGroup(group, limit: 10_000) }
        #expect(busy?.name == "NON_EMPTY_GROUP")
        try reader.consumer.close()
        #expect(try admin.groups(limit: 10_000).contains { $0.name == group && $0.members == 0 })
        try admin.deleteGroup(group, limit: 10_000)
        #expect(try !admin.groups(limit: 10_000).contains { $0.name == group })
    }
}
