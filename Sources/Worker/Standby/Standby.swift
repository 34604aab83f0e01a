internal import Checkpointing
internal import Engine
internal import Kafka

/// What a task knew when its partition went.
struct KeptStates {
    var engine: PartitionEngine
    /// The last block of the checkpoint that tells it.
    var last: BlockHeader
}

/// The states of one partition that another worker folds, as far as its checkpoint was read. Of one owner at a time.
final class Standby: @unchecked Sendable {
    let reader: CheckpointReader
    /// From where the reading goes on.
    private(set) var reached: StartOffset
    private var records: (any PartitionReader)?

    /// Records of one turn.
    private static let turn = 64
    /// How long the broker waits for more before it says that there is no more, ms.
    static let endWait = 500

    init(_ reader: CheckpointReader, at reached: StartOffset) {
        self.reader = reader
        self.reached = reached
    }

    var engine: PartitionEngine { reader.engine }

    /// Reads what is there, up to some records.
    ///
    /// - Parameter open: makes the reader of the checkpoint, once.
    /// - Returns: whether there was anything.
    func read(
        _ open: (StartOffset) throws(KafkaError) -> any PartitionReader
    ) throws(KafkaError) -> Bool {
        if records == nil { records = try open(reached) }
        guard let records else { return false }
        var count = 0
        while count < Self.turn {
            let outcome = try records.read(timeout: 0) { key, value, offset in
                reached = .at(offset + 1)
                if let value { reader.take(value, key: key) }
            }
            // Marks of transactions are no records.
            if case .end(let offset) = outcome { reached = .at(offset) }
            guard case .record = outcome else { break }
            count += 1
        }
        return count > 0
    }

    /// Records of the checkpoint that were not read yet; marks of transactions count too. 0 before the first turn.
    /// - Parameter limit: ms.
    func lag(limit: Int32) throws(KafkaError) -> Int64 {
        guard let ends = try records?.watermarks(limit: limit) else { return 0 }
        guard case .at(let next) = reached else { return ends.high - ends.low }
        return max(ends.high - max(next, ends.low), 0)
    }
}
