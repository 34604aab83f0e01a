import Lifecycle

/// Keys and values of records to be written, one behind the other in one buffer: partials, rows, checkpoints.
///
/// Its storage is kept from use to use; ``removeAll()`` frees nothing.
package struct RecordBatch: Sendable {
    package struct Record: Sendable {
        /// Where the key stands in ``RecordBatch/bytes``.
        package var key: Range<Int>
        /// Where the value stands in ``RecordBatch/bytes``; empty in a tombstone.
        package var value: Range<Int>
        /// Decides the partition: the same for every record of one window and app, so that the groups over the limit
        /// find their `__other__` in the same place. Partition = route mod number of partitions.
        package var route: UInt64

        /// The key's record is to be forgotten: its value is null.
        package var isTombstone: Bool { value.isEmpty }
    }

    package internal(set) var bytes: ContiguousArray<UInt8> = []
    package internal(set) var records: ContiguousArray<Record> = []

    package init() {}

    package var count: Int { records.count }
    package var isEmpty: Bool { records.isEmpty }

    /// Key and value of one record; an empty value is a tombstone.
    package func withRecord<Result: ~Copyable, Failure: Error>(
        _ index: Int, _ body: (_ key: RawSpan, _ value: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let record = records[index]
        let all = unsafe bytes.span.bytes
        return try body(all.extracting(record.key), all.extracting(record.value))
    }

    /// Appends a record without a key.
    package mutating func append(value: ContiguousArray<UInt8>, route: UInt64) {
        let start = bytes.count
        bytes.append(contentsOf: value)
        records.append(Record(key: start..<start, value: start..<bytes.count, route: route))
    }

    /// Appends all records of another batch.
    package mutating func append(contentsOf other: RecordBatch) {
        let shift = bytes.count
        bytes.append(contentsOf: other.bytes)
        for record in other.records {
            let key = record.key.lowerBound + shift..<record.key.upperBound + shift
            let value = record.value.lowerBound + shift..<record.value.upperBound + shift
            records.append(Record(key: key, value: value, route: record.route))
        }
    }

    /// Appends a record that was packed elsewhere.
    package mutating func append(key: ContiguousArray<UInt8>, value: ContiguousArray<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        let middle = start + key.count
        records.append(Record(key: start..<middle, value: middle..<bytes.count, route: 0))
    }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
    }
}

/// An input partition as stage 2 knows it, the same after every restart.
package struct SourcePartition: Hashable, BitwiseCopyable, Sendable {
    /// ``StableHash`` of the topic's name.
    package var topic: UInt64
    package var partition: Int32

    package init(topic: UInt64, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }

    package init(topic: String, partition: Int32) {
        self.init(topic: StableHash.hash(topic), partition: partition)
    }
}

/// Why a packed partial or total cannot be read.
package enum PackedError: Error, Equatable, Sendable {
    /// It ends before it should.
    case truncated
    /// Its bytes are not those that were written.
    case checksum
    /// Written by a program whose format this one does not know.
    case version(UInt8)
    /// What it says cannot be.
    case malformed
}
