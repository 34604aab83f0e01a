extension ModelCluster {
    package mutating func produce(
        _ batch: Batch, to partition: PartitionName, now: Int64
    ) throws(BrokerError) -> Int64 {
        precondition(!batch.records.isEmpty, "a batch has records")
        try begin(now)
        // A copy of the log that lived on would have the whole of it copied when it is written to.
        let open = try reachableLog(of: partition).open
        let limit = topicsByName[partition.topic]?.settings["max.message.bytes"].flatMap { Int($0) } ?? .max
        if batch.size > limit { throw .messageTooLarge }
        if let producer = batch.producer, batch.isTransactional, open[producer.id] == nil,
            options.verifiesTransactions
        {
            change(partition) { $0.note(batch.sequence, of: producer) }
            try verify(producer, writes: .partition(partition))
        }
        let offset = try change(partition) { log throws(BrokerError) in try log.append(batch) }
        guard let offset else { throw .unknownTopicOrPartition }
        return offset
    }

    package mutating func fetch(
        _ partition: PartitionName, from offset: Int64, _ isolation: Isolation, bytes: Int, now: Int64
    ) throws(BrokerError) -> Fetched {
        try begin(now)
        return try reachableLog(of: partition).fetch(from: offset, isolation, bytes: bytes)
    }

    package mutating func offset(
        _ spec: OffsetSpec, of partition: PartitionName, _ isolation: Isolation, now: Int64
    ) throws(BrokerError) -> Int64? {
        try begin(now)
        return try reachableLog(of: partition).offset(spec, isolation)
    }

    package mutating func deleteRecords(
        of partition: PartitionName, before offset: Int64, now: Int64
    ) throws(BrokerError) -> Int64 {
        try begin(now)
        let end = try reachableLog(of: partition).end
        let policies = topicsByName[partition.topic]?.settings["cleanup.policy"]?.split(separator: ",") ?? []
        if !policies.contains("delete") { throw .policyViolation }
        guard offset >= -1, offset <= end else { throw .offsetOutOfRange }
        change(partition) { $0.delete(before: offset == -1 ? end : offset) }
        return try reachableLog(of: partition).start
    }
}
