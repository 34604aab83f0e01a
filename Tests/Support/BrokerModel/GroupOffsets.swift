/// The committed offsets of one group, and those that wait for the end of a transaction.
struct GroupOffsets: Sendable {
    private struct Entry: Sendable {
        var committed: CommittedOffset
        /// In which order they came, over transactions too: of one partition the later one counts.
        var order: Int
    }

    private var committed: [PartitionName: Entry] = [:]
    /// By producer.
    private var pending: [Int64: [PartitionName: Entry]] = [:]
    /// The newest of each producer.
    private var epochs: [Int64: Int16] = [:]
    private var count = 0

    subscript(partition: PartitionName) -> CommittedOffset? { committed[partition]?.committed }

    var partitions: [PartitionName] { committed.keys.sorted() }

    func isPending(_ partition: PartitionName) -> Bool { pending.values.contains { $0[partition] != nil } }

    /// Those whose offsets wait here.
    var openProducers: [Int64] { pending.keys.sorted() }

    /// Whether offsets of the producer wait here.
    func hasOpen(_ producer: Int64) -> Bool { pending[producer] != nil }

    mutating func commit(_ offsets: [PartitionName: CommittedOffset]) {
        count += 1
        for (partition, offset) in offsets { committed[partition] = Entry(committed: offset, order: count) }
    }

    mutating func commit(
        _ offsets: [PartitionName: CommittedOffset], in producer: ProducerIdentity
    ) throws(BrokerError) {
        if producer.epoch < epochs[producer.id] ?? -1 { throw .invalidProducerEpoch }
        epochs[producer.id] = producer.epoch
        count += 1
        for (partition, offset) in offsets {
            pending[producer.id, default: [:]][partition] = Entry(committed: offset, order: count)
        }
    }

    mutating func mark(_ producer: ProducerIdentity, isCommit: Bool) {
        epochs[producer.id] = producer.epoch
        guard let decided = pending.removeValue(forKey: producer.id), isCommit else { return }
        for (partition, entry) in decided where entry.order > committed[partition]?.order ?? 0 {
            committed[partition] = entry
        }
    }

    mutating func forget(topic: String) {
        committed = committed.filter { $0.key.topic != topic }
        pending = pending.mapValues { $0.filter { $0.key.topic != topic } }
    }
}
