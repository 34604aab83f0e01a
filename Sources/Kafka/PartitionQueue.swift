internal import CRDKafka
package import Dispatch
internal import Glibc

/// What a partition's queue delivers. All calls come on the thread that drains.
package protocol PartitionSink: AnyObject {
    /// One record; the bytes are valid during the call only.
    /// - Parameter timestamp: ms since the epoch, create or append time as the topic has it.
    func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64)
    /// There is no record at `offset` yet: the partition is caught up.
    func reachedEnd(offset: Int64)
    /// Fetching failed; the library goes on by itself where ``KafkaError/retry`` is retriable.
    func failed(_ error: KafkaError)
}

/// The queue of one assigned partition, detached from the consumer's: owner of it and of its wake-up.
///
/// The library prefetches into it. Not draining it is the back-pressure. Drained by one thread at a time; the
/// partition must not be unassigned while a drain runs.
@safe package struct PartitionQueue: ~Copyable, @unchecked Sendable {
    private let pointer: OpaquePointer
    private let client: OpaquePointer
    private var wakeUp: WakeUp?

    private struct WakeUp {
        let source: any DispatchSourceRead
        let descriptor: Int32
    }

    init(owning pointer: OpaquePointer, of client: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
        unsafe self.client = unsafe client
    }

    deinit {
        if let wakeUp {
            unsafe rd_kafka_queue_io_event_enable(pointer, -1, nil, 0)
            wakeUp.source.cancel()
        }
        unsafe rd_kafka_queue_destroy(pointer)
    }

    /// Calls `handler` on `queue` each time the partition's queue stops being empty, and once at the beginning.
    ///
    /// Edge-triggered: whoever is woken drains until ``isEmpty``, or comes back by itself.
    /// - Throws: where the process has no file descriptor left.
    package mutating func wake(
        on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) throws(KafkaError) {
        precondition(wakeUp == nil, "a partition queue wakes one reader")
        let descriptor = crdkafka_event_descriptor()
        if descriptor < 0 {
            throw KafkaError(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, "open an event descriptor")
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var count: UInt64 = 0
            unsafe _ = read(descriptor, &count, 8)
            handler()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        wakeUp = WakeUp(source: source, descriptor: descriptor)
        var one: UInt64 = 1
        unsafe rd_kafka_queue_io_event_enable(pointer, descriptor, &one, 8)
    }

    /// Whether nothing is prefetched.
    package var isEmpty: Bool { count == 0 }

    /// Records prefetched.
    package var count: Int { unsafe rd_kafka_queue_length(pointer) }

    /// Gives what is prefetched to `sink`, at most `limit` records, without waiting.
    ///
    /// One lock for the whole drain: the library hands its list over, and takes back what the limit leaves. The batch
    /// call takes one a record and costs the same where nobody else wants it: 0.48 µs of CPU a record either way
    /// (3 million of 217 bytes, 4 partitions, lz4); this one is safe beside a rebalance.
    package func drain(limit: Int, into sink: any PartitionSink) {
        var drain = unsafe Drain(sink: sink, remaining: limit, client: client)
        unsafe withUnsafeMutablePointer(to: &drain) { drain in
            unsafe _ = rd_kafka_consume_callback_queue(pointer, 0, takeMessage, drain)
        }
    }
}

/// A drain under way, as its callback sees it.
@safe private struct Drain {
    let sink: any PartitionSink
    var remaining: Int
    let client: OpaquePointer
}

/// A consume callback.
private func takeMessage(message: UnsafeMutablePointer<rd_kafka_message_t>?, opaque: UnsafeMutableRawPointer?) {
    guard let message = unsafe message, let opaque = unsafe opaque else { return }
    let drain = unsafe opaque.assumingMemoryBound(to: Drain.self)
    unsafe deliver(message, to: drain.pointee.sink)
    unsafe drain.pointee.remaining -= 1
    if unsafe drain.pointee.remaining <= 0 { unsafe rd_kafka_yield(drain.pointee.client) }
}

private func deliver(_ message: UnsafeMutablePointer<rd_kafka_message_t>, to sink: any PartitionSink) {
    let code = unsafe message.pointee.err
    if code == RD_KAFKA_RESP_ERR_NO_ERROR {
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = unsafe rd_kafka_message_timestamp(message, &kind)
        let value = unsafe UnsafeRawBufferPointer(start: message.pointee.payload, count: message.pointee.len)
        let key = unsafe UnsafeRawBufferPointer(start: message.pointee.key, count: message.pointee.key_len)
        let valueSpan = unsafe RawSpan(_unsafeBytes: value)
        let keySpan = unsafe RawSpan(_unsafeBytes: key)
        unsafe sink.take(
            value: value.baseAddress == nil ? nil : valueSpan, key: key.baseAddress == nil ? nil : keySpan,
            offset: message.pointee.offset, timestamp: timestamp)
    } else if code == RD_KAFKA_RESP_ERR__PARTITION_EOF {
        unsafe sink.reachedEnd(offset: message.pointee.offset)
    } else {
        let text = unsafe rd_kafka_message_errstr(message).map { unsafe String(cString: $0) }
        sink.failed(KafkaError(code, "fetch", text: text))
    }
}
