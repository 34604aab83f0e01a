/// One partition: its entries in order of offsets, and what it knows of the producers that wrote them.
struct PartitionLog: Sendable {
    enum Content: Hashable, Sendable {
        case record(Record)
        /// The end of a transaction.
        case marker(isCommit: Bool)
    }

    struct Entry: Hashable, Sendable {
        var offset: Int64
        var content: Content
        var producer: ProducerIdentity?
        var sequence: Int32
        var isTransactional: Bool
        /// Whether the record's transaction ended without effect. Nothing is known of it at or past the last stable
        /// offset.
        var isAborted = false
        /// By the producer's clock, ms since the epoch; of a marker the model's own time.
        var timestamp: Int64

        var record: Record? {
            if case .record(let record) = content { record } else { nil }
        }
    }

    private(set) var entries: [Entry] = []
    /// The first offset that is still held.
    private(set) var start: Int64 = 0
    /// The offset of the next entry. All replicas have everything at once: this is the high watermark, too.
    private(set) var end: Int64 = 0
    private(set) var producers: [Int64: ProducerState] = [:]
    /// The first offset of each producer's open transaction.
    private(set) var open: [Int64: Int64] = [:]

    /// Of each producer whose transaction is not open here yet, the lowest sequence that it has asked to write: what
    /// was refused for now must not be overtaken by what follows it. The leader has it in memory only.
    private var lowest: [Int64: (epoch: Int16, sequence: Int32)] = [:]

    /// Before this every record's transaction is decided.
    var lastStable: Int64 { max(start, open.values.min() ?? end) }

    // MARK: Writing

    /// A producer asks to write the first batch of a transaction here, of which the coordinator is asked now.
    mutating func note(_ sequence: Int32, of producer: ProducerIdentity) {
        let known = lowest[producer.id] ?? (producer.epoch, sequence)
        if producer.epoch < known.epoch { return }
        let isNewEpoch = producer.epoch > known.epoch
        lowest[producer.id] = (producer.epoch, isNewEpoch ? sequence : min(sequence, known.sequence))
    }

    /// The leader is another one.
    mutating func reload() { lowest = [:] }

    /// - Returns: the offset of the first record; of a batch that stands here already, where it stands.
    mutating func append(_ batch: Batch) throws(BrokerError) -> Int64 {
        if let producer = batch.producer {
            var state = producers[producer.id] ?? ProducerState(epoch: -1)
            if let offset = state.offset(ofDuplicate: batch) { return offset }
            if !batch.isTransactional, open[producer.id] != nil { throw .invalidTxnState }
            if let known = lowest[producer.id], batch.sequence > known.sequence { throw .outOfOrderSequenceNumber }
            try state.accept(batch, at: end)
            producers[producer.id] = state
            if batch.isTransactional {
                open[producer.id] = open[producer.id] ?? end
                lowest[producer.id] = nil
            }
        }
        let first = end
        for (index, record) in batch.records.enumerated() {
            let sequence = batch.producer == nil ? -1 : ProducerState.sequence(batch.sequence, plus: index)
            entries.append(
                Entry(
                    offset: end, content: .record(record), producer: batch.producer, sequence: sequence,
                    isTransactional: batch.isTransactional, timestamp: record.timestamp))
            end += 1
        }
        return first
    }

    /// Ends a producer's transaction here.
    mutating func mark(_ producer: ProducerIdentity, isCommit: Bool, time: Int64) {
        if let first = open.removeValue(forKey: producer.id), !isCommit {
            for index in index(of: first)..<entries.count
            where entries[index].producer?.id == producer.id && entries[index].isTransactional {
                entries[index].isAborted = true
            }
        }
        producers[producer.id, default: ProducerState(epoch: -1)].raise(to: producer.epoch)
        lowest[producer.id] = nil
        entries.append(
            Entry(
                offset: end, content: .marker(isCommit: isCommit), producer: producer, sequence: -1,
                isTransactional: true, timestamp: time))
        end += 1
    }

    // MARK: Reading

    /// The place of the first entry at an offset or behind it.
    func index(of offset: Int64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func fetch(from offset: Int64, _ isolation: Isolation, bytes: Int) throws(BrokerError) -> Fetched {
        guard offset >= start, offset <= end else { throw .offsetOutOfRange }
        let limit = isolation == .readCommitted ? lastStable : end
        var found = Fetched(
            records: [], next: max(offset, limit), highWatermark: end, lastStableOffset: lastStable, logStart: start)
        var size = 0
        for entry in entries[index(of: offset)...] {
            if entry.offset >= limit { break }
            guard let record = entry.record, !(entry.isAborted && isolation == .readCommitted) else { continue }
            size += record.size
            if size > bytes, !found.records.isEmpty {
                found.next = entry.offset
                break
            }
            found.records.append(
                StoredRecord(
                    offset: entry.offset, record: record, producer: entry.producer, sequence: entry.sequence,
                    isTransactional: entry.isTransactional))
        }
        return found
    }

    func offset(_ spec: OffsetSpec, _ isolation: Isolation) -> Int64? {
        switch spec {
        case .earliest: start
        case .latest: isolation == .readCommitted ? lastStable : end
        case .timestamp(let time):
            entries.first { $0.record != nil && $0.timestamp >= time }.flatMap { entry in
                isolation == .readCommitted && entry.offset >= lastStable ? nil : entry.offset
            }
        }
    }

    // MARK: Losing

    mutating func delete(before offset: Int64) {
        start = max(start, offset)
        entries.removeSubrange(..<index(of: start))
    }

    mutating func keep(newest count: Int) {
        guard entries.count > count else { return }
        delete(before: count == 0 ? end : entries[entries.count - count].offset)
    }

    mutating func keep(since time: Int64) {
        delete(before: entries.first { $0.timestamp >= time }?.offset ?? end)
    }

    mutating func compact() {
        let stable = lastStable
        var newest: [[UInt8]: Int64] = [:]
        for entry in entries where entry.offset < stable && !entry.isAborted {
            if let key = entry.record?.key { newest[key] = entry.offset }
        }
        entries.removeAll { entry in
            guard entry.offset < stable, let record = entry.record else { return false }
            return record.key.map { newest[$0] != entry.offset } ?? false
        }
    }

    mutating func corrupt(at offset: Int64, _ how: Corruption) -> Bool {
        let index = index(of: offset)
        guard index < entries.count, entries[index].offset == offset, var record = entries[index].record,
            var value = record.value
        else { return false }
        switch how {
        case .torn(let count): value = Array(value.prefix(count))
        case .flipped(let bit): if bit / 8 < value.count { value[bit / 8] ^= 1 << UInt8(bit % 8) }
        case .replaced(let other): value = other
        }
        record.value = value
        entries[index].content = .record(record)
        return true
    }
}
