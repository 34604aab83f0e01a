internal import Kafka
internal import Lifecycle

/// A record, or an event of one, that could not be read: on its way to the dead-letter topic, as it came.
struct DeadLetter: Sendable {
    var key: [UInt8]?
    var value: [UInt8]?
    var headers: [RecordHeader]

    /// Copies of one record may take so many bytes together, or one copy: beyond that the remaining events of the
    /// record share one letter, whose index is a list.
    static let copyLimit = 1 << 20

    /// The letters of one record.
    static func letters(
        of rejections: [Rejection], value: RawSpan?, key: RawSpan?, origin: Origin
    ) -> [DeadLetter] {
        let valueBytes = bytes(of: value)
        let keyBytes = bytes(of: key)
        let size = max((valueBytes?.count ?? 0) + (keyBytes?.count ?? 0), 1)
        let copies = max(copyLimit / size, 1)
        return rejections.indices.prefix(copies).map { number in
            let isLast = number == copies - 1
            let sharing = isLast ? rejections[number...] : rejections[number...number]
            return DeadLetter(
                key: keyBytes, value: valueBytes, headers: headers(of: sharing, rejections[number].code, origin))
        }
    }

    /// Where a record came from.
    struct Origin: Sendable {
        var partition: TopicPartition
        var offset: Int64
        var timestamp: Int64
        var worker: String
    }

    private static func headers(
        of rejections: ArraySlice<Rejection>, _ code: RejectionCode, _ origin: Origin
    ) -> [RecordHeader] {
        let indices = rejections.compactMap(\.index).map(String.init)
        var headers = [
            RecordHeader("phasefold.error.code", code.code),
            RecordHeader("phasefold.error.message", code.message),
            RecordHeader("phasefold.source.topic", origin.partition.topic),
            RecordHeader("phasefold.source.partition", String(origin.partition.partition)),
            RecordHeader("phasefold.source.offset", String(origin.offset)),
            RecordHeader("phasefold.source.timestamp", String(origin.timestamp)),
        ]
        headers.append(RecordHeader("phasefold.batch.index", indices.joined(separator: ",")))
        headers.append(RecordHeader("phasefold.worker", origin.worker))
        return headers
    }

    private static func bytes(of span: RawSpan?) -> [UInt8]? {
        guard let span else { return nil }
        return unsafe span.withUnsafeBytes { unsafe Array($0) }
    }
}

extension RejectionCode {
    /// One sentence for people.
    var message: String {
        switch self {
        case .invalidJSON: "the record is not valid JSON"
        case .tooDeep: "the record is nested deeper than 64 levels"
        case .recordTooLarge: "the record is longer than input.max_record_bytes"
        case .notAnObject: "the event is not a JSON object"
        case .missing(let field): "the required field \(field) is missing"
        case .bad(let field): "the field \(field) has a value of the wrong type or range"
        case .tooLong(let field): "the field \(field) is longer than its limit"
        case .invalidOTLP: "the record is not a valid OpenTelemetry export request"
        case .invalidLogcat: "the line is not a valid line of an Android event log"
        }
    }
}
