import BrokerModel
import Kafka
import Worker

/// The clients of one simulated process.
final class SimulatedCluster: Cluster, @unchecked Sendable {
    private let net: Net
    private let actor: Actor

    init(_ net: Net, _ actor: Actor) {
        self.net = net
        self.actor = actor
    }

    func member(
        of group: String, _ properties: [String: String], observer: (any ClientObserver)?
    ) -> any GroupMember {
        SimulatedMember(net, actor, group, properties)
    }

    func producer(_ properties: [String: String], observer: (any ClientObserver)?) -> any RecordProducer {
        SimulatedProducer(net, actor, properties, identity: nil, timeout: 0)
    }

    func transactionProducer(
        _ properties: [String: String], identity: String, timeout: Int, observer: (any ClientObserver)?
    ) -> any TransactionProducer {
        SimulatedProducer(net, actor, properties, identity: identity, timeout: timeout)
    }

    func reader(
        of partition: TopicPartition, _ properties: [String: String], observer: (any ClientObserver)?
    ) -> any PartitionReader {
        SimulatedReader(net, actor, properties, PartitionName(partition), from: .beginning)
    }

    func reader(
        of partition: TopicPartition, from start: StartOffset, _ properties: [String: String],
        observer: (any ClientObserver)?
    ) -> any PartitionReader {
        SimulatedReader(net, actor, properties, PartitionName(partition), from: start)
    }

    func administrator(_ properties: [String: String], observer: (any ClientObserver)?) -> any Administrator {
        SimulatedAdministrator(net, actor, properties)
    }
}

private final class SimulatedAdministrator: Client, Administrator, @unchecked Sendable {
    func topics(limit: Int32) throws(KafkaError) -> [TopicDescription] {
        let topics = try ask(.metadata, "list topics", limit: limit) { cluster, now throws(BrokerError) in
            try cluster.topics(now: now)
        }
        return topics.map { TopicDescription(name: $0.name, partitions: Int($0.partitions), replicas: 1) }
    }

    func create(_ topics: [NewTopic], limit: Int32) throws(KafkaError) {
        for topic in topics {
            try ask(.admin, "create topic \(topic.name)", limit: limit) { cluster, now throws(BrokerError) in
                do throws(BrokerError) {
                    try cluster.createTopic(
                        topic.name, partitions: Int32(topic.partitions), settings: topic.configuration, now: now)
                } catch {
                    if error != .topicAlreadyExists { throw error }
                }
            }
        }
    }

    func addPartitions(to name: String, total: Int, limit: Int32) throws(KafkaError) {
        try ask(.admin, "add partitions to topic \(name)", limit: limit) { cluster, now throws(BrokerError) in
            try cluster.addPartitions(to: name, total: Int32(total), now: now)
        }
    }

    func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks {
        try watermarks(of: PartitionName(partition), limit: limit)
    }

    func deleteRecords(before offsets: [PartitionOffset], limit: Int32) throws(KafkaError) {
        for entry in offsets {
            let (partition, offset) = (PartitionName(entry.partition), entry.offset ?? -1)
            _ = try ask(.admin, "delete records", limit: limit) { cluster, now throws(BrokerError) in
                try cluster.deleteRecords(of: partition, before: offset, now: now)
            }
        }
    }

    func brokers(limit: Int32) throws(KafkaError) -> [Int32] { [1] }

    func configuration(ofBroker number: Int32, limit: Int32) throws(KafkaError) -> [String: String] {
        try ask(.metadata, "read the configuration of broker \(number)", limit: limit) {
            cluster, now throws(BrokerError) in
            try cluster.brokerSettings(now: now)
        }
    }

    func configuration(ofTopic name: String, limit: Int32) throws(KafkaError) -> [String: String] {
        let topics = try ask(.metadata, "read the configuration of topic \(name)", limit: limit) {
            cluster, now throws(BrokerError) in
            try cluster.topics(now: now)
        }
        return topics.first { $0.name == name }?.settings ?? [:]
    }
}
