internal import CRDKafka

/// A topic to be made.
package struct NewTopic: Sendable, Hashable {
    package var name: String
    package var partitions: Int
    /// nil leaves it to the broker's default.
    package var replicas: Int?
    package var configuration: [String: String]

    package init(_ name: String, partitions: Int, replicas: Int? = nil, configuration: [String: String] = [:]) {
        self.name = name
        self.partitions = partitions
        self.replicas = replicas
        self.configuration = configuration
    }
}

/// A topic as the cluster has it.
package struct TopicDescription: Sendable, Hashable {
    package var name: String
    package var partitions: Int
    /// Replicas of the first partition.
    package var replicas: Int

    package init(name: String, partitions: Int, replicas: Int) {
        self.name = name
        self.partitions = partitions
        self.replicas = replicas
    }
}

/// Of a group, what can be listed.
package struct GroupDescription: Sendable, Hashable {
    package var name: String
    /// `Stable`, `Empty`, `PreparingRebalance` …
    package var state: String
    package var members: Int
}

/// Administration of the cluster. Calls block, at most `limit` ms each; safe from any thread.
package struct Admin: ~Copyable, Sendable {
    let client: Client

    package init(_ properties: [String: String], observer: (any ClientObserver)? = nil) throws(KafkaError) {
        client = try Client(.admin, properties, observer: observer)
    }

    /// All topics that this client may see. Creates none.
    package func topics(limit: Int32) throws(KafkaError) -> [TopicDescription] {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = unsafe rd_kafka_metadata(client.pointer, 1, nil, &metadata, limit)
        try KafkaError.check(code, "list topics")
        guard let metadata = unsafe metadata else { return [] }
        defer { unsafe rd_kafka_metadata_destroy(metadata) }
        let topics = unsafe UnsafeBufferPointer(
            start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt))
        return unsafe topics.filter { unsafe $0.err == RD_KAFKA_RESP_ERR_NO_ERROR }.map { topic in
            let replicas = unsafe topic.partition_cnt > 0 ? topic.partitions[0].replica_cnt : 0
            return unsafe TopicDescription(
                name: String(cString: topic.topic), partitions: Int(topic.partition_cnt), replicas: Int(replicas))
        }
    }

    /// Makes topics. One that is there already is no error: see ``topics(limit:)`` for what it is like.
    /// - Throws: the first error of a topic; others may have been made.
    package func create(_ topics: [NewTopic], limit: Int32) throws(KafkaError) {
        if topics.isEmpty { return }
        let result = unsafe try request(.createTopics, "create topics", limit) { client, options, queue in
            unsafe withNewTopics(topics) { pointers, count in
                unsafe rd_kafka_CreateTopics(client, pointers, count, options, queue)
            }
        }
        var count = 0
        let list = unsafe rd_kafka_CreateTopics_result_topics(
            rd_kafka_event_CreateTopics_result(result.pointer), &count)
        for index in 0..<count {
            guard let topic = unsafe list?[index] else { continue }
            let code = unsafe rd_kafka_topic_result_error(topic)
            if code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS { continue }
            let name = unsafe String(cString: rd_kafka_topic_result_name(topic))
            let text = unsafe rd_kafka_topic_result_error_string(topic).map { unsafe String(cString: $0) }
            throw KafkaError(code, "create topic \(name)", text: text)
        }
    }

    /// Gives a topic more partitions.
    /// - Parameter total: how many it has then.
    package func addPartitions(to name: String, total: Int, limit: Int32) throws(KafkaError) {
        let operation = "add partitions to topic \(name)"
        var reason = [CChar](repeating: 0, count: 256)
        let capacity = reason.count
        let made = unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe rd_kafka_NewPartitions_new(name, total, buffer.baseAddress, capacity)
        }
        guard let made = unsafe made else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, operation, text: reason.text)
        }
        defer { unsafe rd_kafka_NewPartitions_destroy(made) }
        let result = unsafe try request(.createPartitions, operation, limit) { client, options, queue in
            var additions: [OpaquePointer?] = unsafe [made]
            unsafe rd_kafka_CreatePartitions(client, &additions, 1, options, queue)
        }
        var count = 0
        let list = unsafe rd_kafka_CreatePartitions_result_topics(
            rd_kafka_event_CreatePartitions_result(result.pointer), &count)
        guard count == 1, let topic = unsafe list?[0] else { return }
        try KafkaError.check(unsafe rd_kafka_topic_result_error(topic), operation)
    }

    /// Deletes a topic with its records.
    package func deleteTopic(_ name: String, limit: Int32) throws(KafkaError) {
        let operation = "delete topic \(name)"
        guard let deletion = unsafe rd_kafka_DeleteTopic_new(name) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, operation)
        }
        defer { unsafe rd_kafka_DeleteTopic_destroy(deletion) }
        let result = unsafe try request(.deleteTopics, operation, limit) { client, options, queue in
            var deletions: [OpaquePointer?] = unsafe [deletion]
            unsafe rd_kafka_DeleteTopics(client, &deletions, 1, options, queue)
        }
        var count = 0
        let list = unsafe rd_kafka_DeleteTopics_result_topics(
            rd_kafka_event_DeleteTopics_result(result.pointer), &count)
        guard count == 1, let topic = unsafe list?[0] else { return }
        try KafkaError.check(unsafe rd_kafka_topic_result_error(topic), operation)
    }

    /// The numbers of the brokers that are there.
    package func brokers(limit: Int32) throws(KafkaError) -> [Int32] {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = unsafe rd_kafka_metadata(client.pointer, 0, nil, &metadata, limit)
        try KafkaError.check(code, "list brokers")
        guard let metadata = unsafe metadata else { return [] }
        defer { unsafe rd_kafka_metadata_destroy(metadata) }
        let brokers = unsafe UnsafeBufferPointer(
            start: metadata.pointee.brokers, count: Int(metadata.pointee.broker_cnt))
        return unsafe brokers.map { unsafe $0.id }
    }

    /// The configuration of a broker.
    package func configuration(ofBroker number: Int32, limit: Int32) throws(KafkaError) -> [String: String] {
        try configuration(RD_KAFKA_RESOURCE_BROKER, String(number), "of broker \(number)", limit)
    }

    /// The configuration of a topic, defaults of the broker included.
    package func configuration(ofTopic name: String, limit: Int32) throws(KafkaError) -> [String: String] {
        try configuration(RD_KAFKA_RESOURCE_TOPIC, name, "of topic \(name)", limit)
    }

    private func configuration(
        _ kind: rd_kafka_ResourceType_t, _ name: String, _ whose: String, _ limit: Int32
    ) throws(KafkaError) -> [String: String] {
        let operation = "read the configuration \(whose)"
        guard let resource = unsafe rd_kafka_ConfigResource_new(kind, name) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, operation)
        }
        defer { unsafe rd_kafka_ConfigResource_destroy(resource) }
        let result = unsafe try request(.describeConfigs, operation, limit) { client, options, queue in
            var resources: [OpaquePointer?] = unsafe [resource]
            unsafe rd_kafka_DescribeConfigs(client, &resources, 1, options, queue)
        }
        var count = 0
        let list = unsafe rd_kafka_DescribeConfigs_result_resources(
            rd_kafka_event_DescribeConfigs_result(result.pointer), &count)
        guard count == 1, let answer = unsafe list?[0] else { return [:] }
        try KafkaError.check(unsafe rd_kafka_ConfigResource_error(answer), operation)
        var values: [String: String] = [:]
        var entries = 0
        let table = unsafe rd_kafka_ConfigResource_configs(answer, &entries)
        for index in 0..<entries {
            guard let entry = unsafe table?[index], let name = unsafe rd_kafka_ConfigEntry_name(entry),
                let value = unsafe rd_kafka_ConfigEntry_value(entry)
            else { continue }
            unsafe values[String(cString: name)] = unsafe String(cString: value)
        }
        return values
    }

    /// Deletes the records before each offset.
    package func deleteRecords(before offsets: [PartitionOffset], limit: Int32) throws(KafkaError) {
        if offsets.isEmpty { return }
        let list = try PartitionList(offsets)
        guard let deletion = unsafe rd_kafka_DeleteRecords_new(list.pointer) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, "delete records")
        }
        defer { unsafe rd_kafka_DeleteRecords_destroy(deletion) }
        let result = unsafe try request(.deleteRecords, "delete records", limit) { client, options, queue in
            var deletions: [OpaquePointer?] = unsafe [deletion]
            unsafe rd_kafka_DeleteRecords(client, &deletions, 1, options, queue)
        }
        let answer = unsafe rd_kafka_DeleteRecords_result_offsets(
            rd_kafka_event_DeleteRecords_result(result.pointer))
        guard let answer = unsafe answer else { return }
        let failure = unsafe PartitionList.entries(
            of: UnsafeMutablePointer(mutating: answer), "delete records"
        ).failure
        if let failure { throw failure }
    }

    /// The consumer groups that this client may see.
    package func groups(limit: Int32) throws(KafkaError) -> [GroupDescription] {
        var list: UnsafePointer<rd_kafka_group_list>?
        let code = unsafe rd_kafka_list_groups(client.pointer, nil, &list, limit)
        defer { if let list = unsafe list { unsafe rd_kafka_group_list_destroy(list) } }
        try KafkaError.check(code, "list groups")
        guard let list = unsafe list else { return [] }
        let groups = unsafe UnsafeBufferPointer(start: list.pointee.groups, count: Int(list.pointee.group_cnt))
        return unsafe groups.map { group in
            unsafe GroupDescription(
                name: String(cString: group.group), state: String(cString: group.state),
                members: Int(group.member_cnt))
        }
    }

    /// Deletes a group with its committed offsets; refused while it has members.
    package func deleteGroup(_ name: String, limit: Int32) throws(KafkaError) {
        let operation = "delete group \(name)"
        guard let deletion = unsafe rd_kafka_DeleteGroup_new(name) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, operation)
        }
        defer { unsafe rd_kafka_DeleteGroup_destroy(deletion) }
        let result = unsafe try request(.deleteGroups, operation, limit) { client, options, queue in
            var deletions: [OpaquePointer?] = unsafe [deletion]
            unsafe rd_kafka_DeleteGroups(client, &deletions, 1, options, queue)
        }
        var count = 0
        let list = unsafe rd_kafka_DeleteGroups_result_groups(
            rd_kafka_event_DeleteGroups_result(result.pointer), &count)
        guard count == 1, let group = unsafe list?[0], let error = unsafe rd_kafka_group_result_error(group)
        else { return }
        throw unsafe KafkaError(
            rd_kafka_error_code(error), operation, text: String(cString: rd_kafka_error_string(error)))
    }

    /// The ends of a partition, asked of the broker.
    package func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = unsafe rd_kafka_query_watermark_offsets(
            client.pointer, partition.topic, partition.partition, &low, &high, limit)
        try KafkaError.check(code, "ask for the ends of \(partition)")
        return Watermarks(low: low, high: high)
    }
}
