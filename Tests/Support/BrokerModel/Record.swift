/// A record as a producer sends it.
package struct Record: Hashable, Sendable {
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: [UInt8]?

        package init(_ name: String, _ value: [UInt8]?) {
            self.name = name
            self.value = value
        }
    }

    package var key: [UInt8]?
    package var value: [UInt8]?
    package var headers: [Header]
    /// ms since the epoch, by the producer's clock.
    package var timestamp: Int64

    package init(key: [UInt8]?, value: [UInt8]?, headers: [Header] = [], timestamp: Int64) {
        self.key = key
        self.value = value
        self.headers = headers
        self.timestamp = timestamp
    }

    /// Bytes in a batch, nearly.
    package var size: Int {
        headers.reduce(12 + (key?.count ?? 0) + (value?.count ?? 0)) {
            $0 + $1.name.utf8.count + ($1.value?.count ?? 0)
        }
    }
}

/// What a producer sends to one partition in one request: all of it is written, or nothing.
package struct Batch: Hashable, Sendable {
    /// nil for a producer that is not idempotent.
    package var producer: ProducerIdentity?
    /// Of the first record; counted per producer epoch and partition.
    package var sequence: Int32
    package var isTransactional: Bool
    package var records: [Record]

    package init(
        _ records: [Record], producer: ProducerIdentity? = nil, sequence: Int32 = -1, isTransactional: Bool = false
    ) {
        self.records = records
        self.producer = producer
        self.sequence = sequence
        self.isTransactional = isTransactional
    }

    /// Bytes.
    package var size: Int { records.reduce(61) { $0 + $1.size } }
}

/// What is done to a stored value.
package enum Corruption: Hashable, Sendable {
    /// Only so many bytes are left of it.
    case torn(Int)
    /// One bit, counted from the first byte's lowest, is turned over; none where the value is shorter.
    case flipped(bit: Int)
    /// Something else stands there.
    case replaced([UInt8])
}
