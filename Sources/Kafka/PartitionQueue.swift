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
    private var fetcher: Fetcher
    private var wakeUp: WakeUp?

    private struct WakeUp {
        let source: any DispatchSourceRead
        let descriptor: Int32
    }

    init(owning pointer: OpaquePointer, of client: OpaquePointer, _ partition: TopicPartition) {
        unsafe self.pointer = unsafe pointer
        fetcher = unsafe Fetcher(of: client, partition)
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
    /// In batches: the consume callback takes the whole queue for the time of a drain, so that the library believes
    /// it empty and fetches on beyond any bound.
    package mutating func drain(limit: Int, into sink: any PartitionSink) {
        unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<rd_kafka_message_t>?.self, capacity: Self.batch) {
            messages in
            var remaining = limit
            while remaining > 0 {
                let wanted = min(remaining, messages.count)
                let taken = unsafe rd_kafka_consume_batch_queue(pointer, 0, messages.baseAddress, wanted)
                var bytes = 0
                for index in 0..<max(taken, 0) {
                    guard let message = unsafe messages[index] else { continue }
                    unsafe deliver(message, to: sink)
                    unsafe bytes += message.pointee.len + message.pointee.key_len
                    unsafe rd_kafka_message_destroy(message)
                }
                fetcher.took(records: max(taken, 0), bytes: bytes)
                if taken < wanted { return }
                remaining -= taken
            }
        }
    }

    /// Records that are taken from the library's queue at a time.
    private static let batch = 256
}

/// Wakes the library's fetcher, which sleeps for up to a second where it has found all queues of a broker full.
///
/// Once for each half of what a queue may hold: one that was full is half empty by then. At most once a batch, however
/// little a queue may hold.
@safe private struct Fetcher {
    private let client: OpaquePointer
    private let partition: TopicPartition
    /// Half of the library's bounds of a queue.
    private let (byteLimit, recordLimit): (Int, Int)
    /// Taken since it was woken last.
    private var (bytes, records) = (0, 0)

    init(of client: OpaquePointer, _ partition: TopicPartition) {
        unsafe self.client = unsafe client
        self.partition = partition
        byteLimit = unsafe Self.bound("queued.max.messages.kbytes", of: client) << 9
        recordLimit = unsafe Self.bound("queued.min.messages", of: client) / 2
    }

    private static func bound(_ name: String, of client: OpaquePointer) -> Int {
        var text = [CChar](repeating: 0, count: 32)
        var size = text.count
        let result = unsafe rd_kafka_conf_get(rd_kafka_conf(client), name, &text, &size)
        guard result == RD_KAFKA_CONF_OK, let value = Int(text.text) else {
            preconditionFailure("librdkafka has a number for \(name)")
        }
        return value
    }

    mutating func took(records count: Int, bytes size: Int) {
        bytes += size
        records += count
        guard count > 0, bytes >= byteLimit || records >= recordLimit else { return }
        (bytes, records) = (0, 0)
        // Whatever is asked of the partition's broker wakes it. The answer is of no use, and not waited for.
        let list = PartitionList(capacity: 1)
        unsafe list.add(partition, Int64(RD_KAFKA_OFFSET_END))
        unsafe _ = rd_kafka_offsets_for_times(client, list.pointer, 0)
    }
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
