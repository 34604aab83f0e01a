import BrokerModel
import Checkpointing

/// The commits that checkpoints tell of, which nobody has gone along with yet: what was folded between two of them, and
/// how far the time of a silent partition has gone, no offset tells.
struct Steps {
    struct Step {
        var number: CommitNumber
        var offset: Int64
        var time: Int64
    }

    private var waiting: [PartitionName: [Step]] = [:]

    /// Takes new records of a partition of the checkpoint.
    mutating func note(_ records: [StoredRecord]) {
        for stored in records {
            let value = stored.record.value ?? []
            guard let header = unsafe try? SealedBlock(value.span.bytes).header, header.part == 0 else { continue }
            let name = PartitionName(String(decoding: header.topic, as: UTF8.self), header.partition)
            waiting[name, default: []].append(
                Step(number: header.number, offset: header.nextOffset, time: header.watermark))
        }
    }

    /// Those of a partition up to a commit, in order.
    mutating func take(upTo mark: CommitNumber, of name: PartitionName) -> [Step] {
        let all = waiting[name] ?? []
        waiting[name] = all.filter { $0.number > mark }
        return all.filter { $0.number <= mark }
    }
}
