extension ModelCluster {
    /// Topic settings that follow the brokers' where a topic does not say otherwise.
    private var topicDefaults: [String: String] {
        [
            "cleanup.policy": "delete", "retention.ms": "604800000", "segment.bytes": "1073741824",
            "min.insync.replicas": "1", "max.message.bytes": options.brokerSettings["message.max.bytes"] ?? "1048588",
        ]
    }

    package mutating func createTopic(
        _ name: String, partitions: Int32, settings: [String: String], now: Int64
    ) throws(BrokerError) {
        try begin(now)
        if topicsByName[name] != nil { throw .topicAlreadyExists }
        if partitions < 1 { throw .invalidPartitions }
        let logs = [PartitionLog](repeating: PartitionLog(), count: Int(partitions))
        topicsByName[name] = Topic(
            id: freshTopic(), settings: topicDefaults.merging(settings) { $1 }, logs: logs)
    }

    package mutating func deleteTopic(_ name: String, now: Int64) throws(BrokerError) {
        try begin(now)
        if topicsByName.removeValue(forKey: name) == nil { throw .unknownTopicOrPartition }
        for group in groupsByName.keys { groupsByName[group]?.offsets.forget(topic: name) }
        leaderless = leaderless.filter { $0.key.topic != name }
    }

    package mutating func addPartitions(to name: String, total: Int32, now: Int64) throws(BrokerError) {
        try begin(now)
        guard let count = topicsByName[name]?.logs.count else { throw .unknownTopicOrPartition }
        if Int(total) <= count { throw .invalidPartitions }
        topicsByName[name]?.logs += [PartitionLog](repeating: PartitionLog(), count: Int(total) - count)
    }

    package mutating func topics(now: Int64) throws(BrokerError) -> [DescribedTopic] {
        try begin(now)
        return topicsByName.map { name, topic in
            DescribedTopic(name: name, id: topic.id, partitions: Int32(topic.logs.count), settings: topic.settings)
        }.sorted { $0.name < $1.name }
    }

    package mutating func brokerSettings(now: Int64) throws(BrokerError) -> [String: String] {
        try begin(now)
        return options.brokerSettings
    }

    /// A number among the settings of the brokers.
    func setting(_ name: String) -> Int64? { options.brokerSettings[name].flatMap { Int64($0) } }
}
