internal import CRDKafka

/// One partition of a topic.
package struct TopicPartition: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var topic: String
    package var partition: Int32

    package init(_ topic: String, _ partition: Int32) {
        self.topic = topic
        self.partition = partition
    }

    package static func < (a: TopicPartition, b: TopicPartition) -> Bool {
        a.topic == b.topic ? a.partition < b.partition : a.topic < b.topic
    }

    package var description: String { "\(topic)[\(partition)]" }
}

/// A place in a partition, with what was written beside it.
package struct PartitionOffset: Hashable, Sendable {
    package var partition: TopicPartition
    /// The next record to be read; nil where none is known (nothing committed, nothing read).
    package var offset: Int64?
    /// What the group keeps beside a committed offset: at most the broker's `offset.metadata.max.bytes`
    /// (4096 bytes by default).
    package var metadata: String

    package init(_ partition: TopicPartition, _ offset: Int64?, metadata: String = "") {
        self.partition = partition
        self.offset = offset
        self.metadata = metadata
    }
}

/// Where reading of a partition begins.
package enum StartOffset: Hashable, Sendable {
    /// At what the group committed, else as `auto.offset.reset` says.
    case committed
    case beginning
    case end
    case at(Int64)

    var raw: Int64 {
        switch self {
        case .committed: Int64(RD_KAFKA_OFFSET_STORED)
        case .beginning: Int64(RD_KAFKA_OFFSET_BEGINNING)
        case .end: Int64(RD_KAFKA_OFFSET_END)
        case .at(let offset): offset
        }
    }
}

/// The first offset that a partition still holds, and the one that its next record will get.
package struct Watermarks: Hashable, Sendable {
    package var low: Int64
    package var high: Int64

    package init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }
}

/// Owner of a list of partitions in the library's form.
@safe struct PartitionList: ~Copyable {
    let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(capacity: Int) {
        unsafe pointer = rd_kafka_topic_partition_list_new(Int32(clamping: capacity))
    }

    /// Takes over a list that the library made.
    init(owning pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) {
        unsafe self.pointer = unsafe pointer
    }

    init(_ partitions: [TopicPartition]) {
        self.init(capacity: partitions.count)
        for partition in partitions { unsafe add(partition, Int64(RD_KAFKA_OFFSET_INVALID)) }
    }

    init(_ offsets: [PartitionOffset]) throws(KafkaError) {
        self.init(capacity: offsets.count)
        for entry in offsets {
            let element = unsafe add(entry.partition, entry.offset ?? Int64(RD_KAFKA_OFFSET_INVALID))
            if entry.metadata.isEmpty { continue }
            var text = entry.metadata
            let status = text.withUTF8 { bytes in
                unsafe crdkafka_set_metadata(element, bytes.baseAddress, bytes.count)
            }
            if status != 0 { throw KafkaError(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, "keep offset metadata") }
        }
    }

    deinit {
        unsafe rd_kafka_topic_partition_list_destroy(pointer)
    }

    @discardableResult
    func add(_ partition: TopicPartition, _ offset: Int64) -> UnsafeMutablePointer<rd_kafka_topic_partition_t> {
        let element = unsafe rd_kafka_topic_partition_list_add(pointer, partition.topic, partition.partition)
        guard let element = unsafe element else { preconditionFailure("the library ran out of memory") }
        unsafe element.pointee.offset = offset
        return unsafe element
    }

    /// The entries, and the first error that one of them carries.
    func entries(_ operation: String) -> (offsets: [PartitionOffset], failure: KafkaError?) {
        unsafe Self.entries(of: pointer, operation)
    }

    static func entries(
        of pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>, _ operation: String
    ) -> (offsets: [PartitionOffset], failure: KafkaError?) {
        var failure: KafkaError?
        var offsets: [PartitionOffset] = []
        for index in 0..<Int(unsafe pointer.pointee.cnt) {
            let element = unsafe pointer.pointee.elems[index]
            let partition = unsafe TopicPartition(String(cString: element.topic), element.partition)
            let offset = unsafe element.offset >= 0 ? element.offset : nil
            offsets.append(unsafe PartitionOffset(partition, offset, metadata: metadata(of: element)))
            if failure == nil, unsafe element.err != RD_KAFKA_RESP_ERR_NO_ERROR {
                failure = unsafe KafkaError(element.err, "\(operation) of \(partition)")
            }
        }
        return (offsets, failure)
    }

    private static func metadata(of element: rd_kafka_topic_partition_t) -> String {
        guard let start = unsafe element.metadata, unsafe element.metadata_size > 0 else { return "" }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: element.metadata_size)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
