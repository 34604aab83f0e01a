internal import CRDKafka
internal import Glibc

/// `bare-consumer BOOTSTRAP TOPIC PARTITIONS COUNT SECONDS`: reads `COUNT` messages, and prints how many it has read
/// within `SECONDS`, the seconds that it took and those of CPU.
@main enum Program {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        guard words.count == 5, numbers.count == 3, let partitions = Int32(exactly: numbers[0]) else { exit(64) }
        let start = ContinuousClock.now
        guard let consumer = BareConsumer(words[0]) else { exit(70) }
        let read = consumer.read(
            words[1], partitions: partitions, count: numbers[1], until: start + .seconds(numbers[2]))
        let wall = start.duration(to: .now) / .seconds(1)
        print(read, wall, Double(clock()) / Double(CLOCKS_PER_SEC))
    }
}

/// librdkafka alone: what the machine gives where messages are only counted.
@safe struct BareConsumer: ~Copyable {
    private let client: OpaquePointer
    private let queue: OpaquePointer

    init?(_ bootstrap: String) {
        let configuration = unsafe rd_kafka_conf_new()
        for (name, value) in [
            ("bootstrap.servers", bootstrap), ("group.id", "bare"), ("enable.auto.commit", "false"),
            ("auto.offset.reset", "error"),
            ("queued.min.messages", "1000000"), ("queued.max.messages.kbytes", "1048576"),
            ("fetch.message.max.bytes", "4194304"),
        ] {
            let result = unsafe rd_kafka_conf_set(configuration, name, value, nil, 0)
            precondition(result == RD_KAFKA_CONF_OK, "librdkafka knows \(name)")
        }
        guard let client = unsafe rd_kafka_new(RD_KAFKA_CONSUMER, configuration, nil, 0) else {
            return nil
        }
        unsafe rd_kafka_poll_set_consumer(client)
        unsafe self.client = unsafe client
        unsafe queue = unsafe rd_kafka_queue_get_consumer(client)
    }

    deinit {
        unsafe rd_kafka_queue_destroy(queue)
        unsafe rd_kafka_consumer_close(client)
        unsafe rd_kafka_destroy(client)
    }

    /// Reads all partitions from their beginning.
    ///
    /// - Returns: messages counted; fewer than `count` where the time was over.
    func read(_ topic: String, partitions: Int32, count: Int, until end: ContinuousClock.Instant) -> Int {
        let list = unsafe rd_kafka_topic_partition_list_new(partitions)
        for partition in 0..<partitions {
            let entry = unsafe rd_kafka_topic_partition_list_add(list, topic, partition)
            unsafe entry?.pointee.offset = Int64(RD_KAFKA_OFFSET_BEGINNING)
        }
        unsafe rd_kafka_assign(client, list)
        unsafe rd_kafka_topic_partition_list_destroy(list)
        var messages: [UnsafeMutablePointer<rd_kafka_message_t>?] = unsafe Array(repeating: nil, count: 8192)
        var read = 0
        while read < count, ContinuousClock.now < end {
            let taken = unsafe rd_kafka_consume_batch_queue(queue, 100, &messages, messages.count)
            for index in 0..<max(0, taken) {
                guard let message = unsafe messages[index] else { continue }
                if unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR { read += 1 }
                unsafe rd_kafka_message_destroy(message)
            }
        }
        return read
    }
}
