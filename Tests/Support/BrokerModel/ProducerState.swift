/// What a partition knows of one producer: enough to tell a repetition from a gap, and a zombie from its successor.
struct ProducerState: Sendable {
    private struct Written: Sendable {
        var first: Int32
        var last: Int32
        var offset: Int64
    }

    /// -1 before the first batch or marker.
    private(set) var epoch: Int16
    /// Of this epoch, the newest last.
    private var batches: [Written] = []

    /// So many batches a producer may have under way.
    private static let memory = 5

    init(epoch: Int16) {
        self.epoch = epoch
    }

    static func sequence(_ first: Int32, plus count: Int) -> Int32 {
        Int32((Int64(first) + Int64(count)) % (Int64(Int32.max) + 1))
    }

    private func last(of batch: Batch) -> Int32 { Self.sequence(batch.sequence, plus: batch.records.count - 1) }

    func offset(ofDuplicate batch: Batch) -> Int64? {
        guard batch.producer?.epoch == epoch else { return nil }
        return batches.first { $0.first == batch.sequence && $0.last == last(of: batch) }?.offset
    }

    mutating func accept(_ batch: Batch, at offset: Int64) throws(BrokerError) {
        guard let producer = batch.producer else { return }
        if producer.epoch < epoch { throw .invalidProducerEpoch }
        // Of a producer that is not known here any sequence may be the first: its records may have been deleted.
        if epoch >= 0 {
            let isNewEpoch = producer.epoch > epoch
            let expected = isNewEpoch ? 0 : batches.last.map { Self.sequence($0.last, plus: 1) } ?? 0
            if batch.sequence != expected { throw .outOfOrderSequenceNumber }
        }
        raise(to: producer.epoch)
        if batches.count == Self.memory { batches.removeFirst() }
        batches.append(Written(first: batch.sequence, last: last(of: batch), offset: offset))
    }

    /// A later epoch counts from 0 again; whatever comes of an earlier one is refused from here on.
    mutating func raise(to epoch: Int16) {
        if epoch == self.epoch { return }
        self.epoch = epoch
        batches = []
    }
}
