internal import CRDKafka
internal import Synchronization

/// What became of records since it was last asked.
package struct DeliveryCount: Sendable, Hashable {
    package var delivered = 0
    package var failed = 0
    /// The first failure, with its topic; one stands for all.
    package var firstFailure: KafkaError?

    package init(delivered: Int = 0, failed: Int = 0, firstFailure: KafkaError? = nil) {
        self.delivered = delivered
        self.failed = failed
        self.firstFailure = firstFailure
    }
}

/// Whether the client took a record.
package enum ProduceResult: Sendable, Hashable {
    case queued
    /// Its queue is full: poll, then offer the record again. No error.
    case queueFull
}

/// One header of a record.
package struct RecordHeader: Sendable, Hashable {
    package var name: String
    package var value: [UInt8]

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = Array(value.utf8)
    }

    package init(_ name: String, bytes: [UInt8]) {
        self.name = name
        value = bytes
    }
}

/// An idempotent producer: what it has acknowledged stands once and in order in its partition.
///
/// Safe from any thread. Destroying it drops what has not been flushed.
package struct Producer: ~Copyable, Sendable {
    let client: Client

    /// - Parameter properties: under librdkafka's names, over the program's defaults.
    package init(_ properties: [String: String], observer: (any ClientObserver)? = nil) throws(KafkaError) {
        client = try Client(.producer, properties, observer: observer)
    }

    init(owning client: consuming Client) {
        self.client = client
    }

    /// Names the topics that will be written to, before the client is connected: it learns of them with the first
    /// metadata it asks for. A topic that it meets later is looked up when a second is over.
    package func expect(_ topics: [String]) {
        for topic in topics {
            if let handle = unsafe rd_kafka_topic_new(client.pointer, topic, nil) {
                unsafe rd_kafka_topic_destroy(handle)
            }
        }
    }

    /// Offers a record; its bytes are copied.
    /// - Parameters:
    ///   - partition: nil leaves it to the key's hash.
    ///   - timestamp: ms since the epoch; nil is now.
    /// - Throws: what will not pass by itself: too large a record, a fatal client, an unknown partition.
    package func produce(
        topic: String, partition: Int32? = nil, key: RawSpan?, value: RawSpan?, headers: [RecordHeader] = [],
        timestamp: Int64? = nil
    ) throws(KafkaError) -> ProduceResult {
        let list = unsafe try Self.list(headers)
        let target = partition ?? RD_KAFKA_PARTITION_UA
        let code = unsafe Self.withBytes(key) { keyBytes in
            unsafe Self.withBytes(value) { valueBytes in
                unsafe crdkafka_produce(
                    client.pointer, topic, target, timestamp ?? 0, key == nil ? 0 : 1, keyBytes.baseAddress,
                    keyBytes.count, value == nil ? 0 : 1, valueBytes.baseAddress, valueBytes.count, list)
            }
        }
        if code == RD_KAFKA_RESP_ERR_NO_ERROR { return .queued }
        if let list = unsafe list { unsafe rd_kafka_headers_destroy(list) }
        if code == RD_KAFKA_RESP_ERR__QUEUE_FULL { return .queueFull }
        throw KafkaError(code, "produce to \(topic)")
    }

    private static func withBytes<Result>(
        _ span: RawSpan?, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard let span else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return unsafe span.withUnsafeBytes { unsafe body($0) }
    }

    private static func list(_ headers: [RecordHeader]) throws(KafkaError) -> OpaquePointer? {
        if headers.isEmpty { return nil }
        // A null pointer would make the value absent instead of empty.
        let nothing = unsafe UnsafeRawPointer(StaticString("").utf8Start)
        let list = unsafe rd_kafka_headers_new(headers.count)
        for header in headers {
            let code = unsafe header.value.withUnsafeBytes { bytes in
                unsafe rd_kafka_header_add(
                    list, header.name, header.name.utf8.count, bytes.baseAddress ?? nothing,
                    bytes.count)
            }
            if code != RD_KAFKA_RESP_ERR_NO_ERROR {
                unsafe rd_kafka_headers_destroy(list)
                throw KafkaError(code, "add header \(header.name)")
            }
        }
        return unsafe list
    }

    /// Serves what has come back (delivery reports, statistics), waiting for something at most `timeout` ms.
    package func poll(timeout: Int32 = 0) {
        unsafe _ = rd_kafka_poll(client.pointer, timeout)
    }

    /// Waits at most `limit` ms until every record offered has been acknowledged or has failed.
    /// - Returns: whether none is left; ``takeDeliveries()`` says how many failed.
    package func flush(limit: Int32) -> Bool {
        unsafe rd_kafka_flush(client.pointer, limit) == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// What became of records since the last call.
    package func takeDeliveries() -> DeliveryCount {
        client.context.deliveries.withLock { count in
            let taken = count
            count = DeliveryCount()
            return taken
        }
    }

    /// What made the client unusable, if something did.
    package var fatalError: KafkaError? { unsafe KafkaError.fatal(of: client.pointer) }
}

/// A `dr_msg_cb`.
func takeDelivery(
    client: OpaquePointer?, message: UnsafePointer<rd_kafka_message_t>?, opaque: UnsafeMutableRawPointer?
) {
    guard let message = unsafe message, let opaque = unsafe opaque else { return }
    let context = unsafe Unmanaged<ClientContext>.fromOpaque(opaque).takeUnretainedValue()
    let code = unsafe message.pointee.err
    context.deliveries.withLock { count in
        if code == RD_KAFKA_RESP_ERR_NO_ERROR {
            count.delivered += 1
            return
        }
        count.failed += 1
        if count.firstFailure == nil {
            let topic = unsafe message.pointee.rkt.map { unsafe String(cString: rd_kafka_topic_name($0)) }
            count.firstFailure = KafkaError(code, "produce to \(topic ?? "a topic")")
        }
    }
}
