internal import CRDKafka

/// Decides at a rebalance. Called on the thread that polls or closes, which it holds up: the group waits meanwhile.
package protocol RebalanceHandler: AnyObject, Sendable {
    /// These partitions come: where does each begin? One answer a partition, in order.
    func start(_ partitions: [TopicPartition]) -> [StartOffset]
    /// One of them, with its queue, before anything is fetched for it.
    func begin(_ partition: TopicPartition, queue: consuming PartitionQueue)
    /// All that came have begun; an assignment may be empty.
    func assigned(_ partitions: [TopicPartition])
    /// These partitions go. When it returns no drain of them may run any more, and their queues must be gone.
    /// - Parameter lost: the group has given them to others already: nothing may be committed for them.
    func end(_ partitions: [TopicPartition], lost: Bool)
    /// The library could not tell what is assigned.
    func failed(_ error: KafkaError)
}

/// A member of a consumer group, whose partitions are read through queues of their own.
///
/// Safe from any thread, but for ``poll(timeout:)`` and ``close()``, which one thread calls.
package struct Consumer: ~Copyable, Sendable {
    private let client: Client
    private let group: String

    /// - Parameters:
    ///   - group: the `group.id`.
    ///   - properties: under librdkafka's names, over the program's defaults.
    package init(
        group: String, _ properties: [String: String], observer: (any ClientObserver)? = nil
    ) throws(KafkaError) {
        let client = try Client(.consumer, properties, forced: ["group.id": group], observer: observer)
        unsafe try KafkaError.check(rd_kafka_poll_set_consumer(client.pointer), "serve the consumer")
        self.client = client
        self.group = group
    }

    /// Joins the group for these topics. Topics that are not there yet are taken in when they appear.
    /// - Parameter handler: not kept alive; must be there until ``close()`` has returned.
    package func subscribe(_ topics: [String], handler: any RebalanceHandler) throws(KafkaError) {
        client.context.rebalanceHandler = handler
        let list = PartitionList(topics.map { TopicPartition($0, RD_KAFKA_PARTITION_UA) })
        try KafkaError.check(
            unsafe rd_kafka_subscribe(client.pointer, list.pointer), "subscribe to \(topics.joined(separator: ", "))")
    }

    /// Serves rebalances, statistics and errors, waiting at most `timeout` ms. Must be called more often than
    /// `max.poll.interval.ms`; draining any partition queue counts as well.
    /// - Returns: an error of the group or a topic, if one came.
    package func poll(timeout: Int32) -> KafkaError? {
        guard let message = unsafe rd_kafka_consumer_poll(client.pointer, timeout) else { return nil }
        defer { unsafe rd_kafka_message_destroy(message) }
        let code = unsafe message.pointee.err
        precondition(code != RD_KAFKA_RESP_ERR_NO_ERROR, "a record came past its partition's own queue")
        let text = unsafe rd_kafka_message_errstr(message).map { unsafe String(cString: $0) }
        return KafkaError(code, "read from the group", text: text)
    }

    /// Commits, waiting for the broker's answer.
    /// - Throws: the call's error, else the first of a partition.
    package func commit(_ offsets: [PartitionOffset]) throws(KafkaError) {
        if offsets.isEmpty { return }
        let list = try PartitionList(offsets)
        try KafkaError.check(unsafe rd_kafka_commit(client.pointer, list.pointer, 0), "commit offsets")
        if let failure = list.entries("commit the offset").failure { throw failure }
    }

    /// What the group has committed, with its metadata; an offset of nil where nothing is.
    /// - Parameter limit: ms.
    package func committed(
        _ partitions: [TopicPartition], limit: Int32
    ) throws(KafkaError) -> [PartitionOffset] {
        let list = PartitionList(partitions)
        try KafkaError.check(
            unsafe rd_kafka_committed(client.pointer, list.pointer, limit), "read committed offsets")
        let (offsets, failure) = list.entries("read the committed offset")
        if let failure { throw failure }
        return offsets
    }

    /// Reads an assigned partition from another place on; nothing of its queue may be drained meanwhile.
    /// - Parameter limit: ms.
    package func seek(_ partition: TopicPartition, to start: StartOffset, limit: Int32) throws(KafkaError) {
        let list = PartitionList(capacity: 1)
        unsafe list.add(partition, start.raw)
        let error = unsafe rd_kafka_seek_partitions(client.pointer, list.pointer, limit)
        if let error = unsafe error {
            let code = unsafe rd_kafka_error_code(error)
            unsafe rd_kafka_error_destroy(error)
            throw KafkaError(code, "seek in \(partition)")
        }
        if let failure = list.entries("seek").failure { throw failure }
    }

    /// The next offset that each partition's queue will give; nil before the first record was taken.
    package func positions(_ partitions: [TopicPartition]) throws(KafkaError) -> [PartitionOffset] {
        let list = PartitionList(partitions)
        try KafkaError.check(unsafe rd_kafka_position(client.pointer, list.pointer), "read positions")
        return list.entries("read the position").offsets
    }

    /// Asks the broker.
    /// - Parameter limit: ms.
    package func watermarks(of partition: TopicPartition, limit: Int32) throws(KafkaError) -> Watermarks {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = unsafe rd_kafka_query_watermark_offsets(
            client.pointer, partition.topic, partition.partition, &low, &high, limit)
        try KafkaError.check(code, "ask for the ends of \(partition)")
        return Watermarks(low: low, high: high)
    }

    /// The first record of each partition at `time` or later, by the records' timestamps; an offset of nil where
    /// there is none.
    /// - Parameters:
    ///   - time: ms since the epoch.
    ///   - limit: ms.
    package func offsets(
        at time: Int64, in partitions: [TopicPartition], limit: Int32
    ) throws(KafkaError) -> [PartitionOffset] {
        let list = PartitionList(capacity: partitions.count)
        for partition in partitions { unsafe list.add(partition, time) }
        try KafkaError.check(
            unsafe rd_kafka_offsets_for_times(client.pointer, list.pointer, limit), "look a time up")
        let (offsets, failure) = list.entries("look a time up")
        if let failure { throw failure }
        return offsets
    }

    /// As the last fetch told; nil before the first one. Counts records of open transactions too.
    package func cachedWatermarks(of partition: TopicPartition) -> Watermarks? {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = unsafe rd_kafka_get_watermark_offsets(
            client.pointer, partition.topic, partition.partition, &low, &high)
        if code != RD_KAFKA_RESP_ERR_NO_ERROR || high < 0 { return nil }
        return Watermarks(low: max(low, 0), high: high)
    }

    /// The member's place in the group now, for ``TransactionalProducer/send(_:of:limit:)``.
    /// - Throws: before the consumer has a group.
    package func groupMetadata() throws(KafkaError) -> GroupMetadata {
        guard let metadata = unsafe rd_kafka_consumer_group_metadata(client.pointer) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__STATE, "tell the member's place in its group")
        }
        return unsafe GroupMetadata(owning: metadata)
    }

    /// The name that the group gave this member; empty before it joined.
    package var memberID: String {
        guard let name = unsafe rd_kafka_memberid(client.pointer) else { return "" }
        defer { unsafe rd_kafka_mem_free(client.pointer, name) }
        return unsafe String(cString: name)
    }

    /// All members of its group, as the group's coordinator knows them.
    /// - Parameter limit: ms.
    package func members(limit: Int32) throws(KafkaError) -> GroupMembers {
        unsafe try GroupMembers.ask(client.pointer, of: group, limit: limit)
    }

    /// Gives up all partitions (the handler is asked) and leaves the group.
    package func close() throws(KafkaError) {
        let code = unsafe rd_kafka_consumer_close(client.pointer)
        client.context.rebalanceHandler = nil
        try KafkaError.check(code, "leave the group")
    }
}

/// A `rebalance_cb`: detaches the queues of what comes before anything is fetched for it.
func takeRebalance(
    client: OpaquePointer?, code: rd_kafka_resp_err_t,
    partitions: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, opaque: UnsafeMutableRawPointer?
) {
    guard let client = unsafe client, let partitions = unsafe partitions, let opaque = unsafe opaque else { return }
    let context = unsafe Unmanaged<ClientContext>.fromOpaque(opaque).takeUnretainedValue()
    let handler = context.rebalanceHandler
    let cooperative = unsafe String(cString: rd_kafka_rebalance_protocol(client)) == "COOPERATIVE"
    let names = unsafe PartitionList.entries(of: partitions, "rebalance").offsets.map(\.partition)
    switch code {
    case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS:
        guard let handler else { break }
        let failure = unsafe assign(names, partitions, of: client, cooperative: cooperative, handler)
        if let failure { handler.failed(failure) } else { handler.assigned(names) }
        return
    case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
        handler?.end(names, lost: unsafe rd_kafka_assignment_lost(client) != 0)
    default:
        handler?.failed(KafkaError(code, "rebalance"))
        handler?.end(names, lost: true)
    }
    do throws(KafkaError) {
        if cooperative, code == RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS {
            unsafe try KafkaError.check(rd_kafka_incremental_unassign(client, partitions), "give partitions up")
        } else {
            unsafe try KafkaError.check(rd_kafka_assign(client, nil), "give partitions up")
        }
    } catch {
        handler?.failed(error)
    }
}

private func assign(
    _ names: [TopicPartition], _ partitions: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>,
    of client: OpaquePointer, cooperative: Bool, _ handler: any RebalanceHandler
) -> KafkaError? {
    let starts = handler.start(names)
    precondition(starts.count == names.count, "one start a partition")
    for (index, name) in names.enumerated() {
        unsafe partitions.pointee.elems[index].offset = starts[index].raw
        guard let queue = unsafe rd_kafka_queue_get_partition(client, name.topic, name.partition) else {
            return KafkaError(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, "detach the queue of \(name)")
        }
        unsafe rd_kafka_queue_forward(queue, nil)
        unsafe handler.begin(name, queue: PartitionQueue(owning: queue, of: client, name))
    }
    do throws(KafkaError) {
        if cooperative {
            unsafe try KafkaError.check(rd_kafka_incremental_assign(client, partitions), "take partitions")
        } else {
            unsafe try KafkaError.check(rd_kafka_assign(client, partitions), "take partitions")
        }
        return nil
    } catch {
        return error
    }
}
