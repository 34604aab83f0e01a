internal import CRDKafka

/// Reads one partition from a place on, outside of any group: what a task restores from. One thread's.
package struct LogReader: ~Copyable {
    private let client: Client
    private let partition: TopicPartition
    /// ms.
    private static let askLimit: Int32 = 5000

    /// What one call of ``read(timeout:_:)`` came to.
    package enum Outcome: Sendable {
        case record
        /// There is no record at `offset` that a reader of committed records may see yet.
        case end(offset: Int64)
        /// Nothing came within the time.
        case nothing
    }

    /// - Parameter properties: of the consumer.
    /// - Throws: also where the partition's leader does not answer within ``askLimit``.
    package init(
        _ partition: TopicPartition, from start: StartOffset, _ properties: [String: String],
        observer: (any ClientObserver)? = nil
    ) throws(KafkaError) {
        // The library wants a group of every consumer; none of this name is ever joined.
        let forced = [
            "group.id": "phasefold-reader", "isolation.level": "read_committed", "auto.offset.reset": "earliest",
            "queued.max.messages.kbytes": "65536",
        ]
        let client = try Client(.consumer, properties, forced: forced, observer: observer)
        // A client that does not know the leader yet looks again half a second later. Who asked for the ends knows it.
        let ends = try Self.ends(of: partition, client, limit: Self.askLimit)
        let list = PartitionList(capacity: 1)
        unsafe list.add(partition, start == .beginning ? StartOffset.at(ends.low).raw : start.raw)
        unsafe try KafkaError.check(rd_kafka_poll_set_consumer(client.pointer), "serve the consumer")
        unsafe try KafkaError.check(rd_kafka_assign(client.pointer, list.pointer), "read \(partition)")
        self.client = client
        self.partition = partition
    }

    deinit {
        unsafe rd_kafka_assign(client.pointer, nil)
        unsafe rd_kafka_consumer_close(client.pointer)
    }

    /// Gives the next record to `body`, waiting at most `timeout` ms for it.
    /// - Throws: what fetching met, also where the library will try again by itself.
    package func read(
        timeout: Int32, _ body: (_ key: RawSpan?, _ value: RawSpan?, _ offset: Int64) -> Void
    ) throws(KafkaError) -> Outcome {
        guard let message = unsafe rd_kafka_consumer_poll(client.pointer, timeout) else { return .nothing }
        defer { unsafe rd_kafka_message_destroy(message) }
        let code = unsafe message.pointee.err
        if code == RD_KAFKA_RESP_ERR__PARTITION_EOF { return .end(offset: unsafe message.pointee.offset) }
        if code != RD_KAFKA_RESP_ERR_NO_ERROR {
            let text = unsafe rd_kafka_message_errstr(message).map { unsafe String(cString: $0) }
            throw KafkaError(code, "read \(partition)", text: text)
        }
        let value = unsafe UnsafeRawBufferPointer(start: message.pointee.payload, count: message.pointee.len)
        let key = unsafe UnsafeRawBufferPointer(start: message.pointee.key, count: message.pointee.key_len)
        let (keySpan, valueSpan) = unsafe (RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: value))
        unsafe body(
            key.baseAddress == nil ? nil : keySpan, value.baseAddress == nil ? nil : valueSpan,
            message.pointee.offset)
        return .record
    }

    /// The ends of the partition, asked of the broker; records of open transactions count in the upper one.
    /// - Parameter limit: ms.
    package func watermarks(limit: Int32) throws(KafkaError) -> Watermarks {
        try Self.ends(of: partition, client, limit: limit)
    }

    private static func ends(
        of partition: TopicPartition, _ client: borrowing Client, limit: Int32
    ) throws(KafkaError) -> Watermarks {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = unsafe rd_kafka_query_watermark_offsets(
            client.pointer, partition.topic, partition.partition, &low, &high, limit)
        try KafkaError.check(code, "ask for the ends of \(partition)")
        return Watermarks(low: low, high: high)
    }
}
