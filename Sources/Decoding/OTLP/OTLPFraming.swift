/// Files of OTLP in protobuf: requests one after the other, each behind its length.
package enum OTLPFraming: Sendable {
    /// Four bytes, the highest first: what the file exporter of the OpenTelemetry Collector writes.
    case fourBytes
    /// A varint: what the OpenTelemetry specification and protobuf's own delimited streams have.
    case varint

    /// One step through a file.
    package enum Step: Equatable, Sendable {
        /// A request.
        case record(Range<Int>)
        /// The bytes end before the request does, or before its length.
        case incomplete
        /// The length is larger than a record may be, or is none: nothing after it can be found.
        case unreadable
    }

    /// The framing of a file that begins with `head`; nil where that is no request behind its length.
    ///
    /// - Parameter head: as much of the beginning as there is, at least 8 bytes of a file that has them.
    package init?(_ head: RawSpan, limit: Int) {
        guard head.byteCount > 0 else { return nil }
        let framing: OTLPFraming = head[byte: 0] == 0 ? .fourBytes : .varint
        guard let (start, length) = framing.length(in: head, from: 0), length >= 2, length <= limit else { return nil }
        // A request's first field is a resource's, whose own length must fit in.
        guard start + 1 < head.byteCount, head[byte: start] == 0x0A else { return nil }
        guard let (inner, innerLength) = OTLPFraming.varint.length(in: head, from: start + 1) else { return nil }
        guard inner + innerLength <= start + length else { return nil }
        self = framing
    }

    /// The request that begins at `offset`.
    ///
    /// - Parameter limit: the largest request, in bytes.
    package func step(_ bytes: RawSpan, from offset: Int, limit: Int) -> Step {
        guard let (start, length) = length(in: bytes, from: offset) else {
            return bytes.byteCount - offset < longestPrefix ? .incomplete : .unreadable
        }
        guard length <= limit else { return .unreadable }
        return bytes.byteCount - start < length ? .incomplete : .record(start..<start + length)
    }

    private var longestPrefix: Int { self == .fourBytes ? 4 : 5 }

    /// Where a request begins and how long it is; nil where the bytes tell no length.
    private func length(in bytes: RawSpan, from offset: Int) -> (start: Int, length: Int)? {
        var length = 0
        for index in 0..<longestPrefix {
            guard offset + index < bytes.byteCount else { return nil }
            let byte = Int(bytes[byte: offset + index])
            switch self {
            case .fourBytes: length = length << 8 | byte
            case .varint:
                length |= (byte & 0x7F) << (7 * index)
                if byte < 0x80 { return (offset + index + 1, length) }
            }
        }
        return self == .fourBytes ? (offset + 4, length) : nil
    }
}
