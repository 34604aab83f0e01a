import Lifecycle

/// What stage 1 sends to stage 2, and what stage 2 keeps of its open windows: one value, of these bytes:
///
///     version         one byte, ``PackedForm/version``
///     kind            one byte: 1 partial, 2 watermark alone, 3 total, 4 watermarks of all sources
///     partial:        source, watermark, window, figures
///     watermark:      source, watermark
///     total:          revision, window, figures
///     watermarks:     smallest of all, number of sources; each: source, watermark
///     checksum        four bytes, the lower half of ``StableHash`` of all before
///
///     source          topic (eight bytes), partition (zigzag)
///     watermark       ms since the epoch (zigzag)
///     window          start in s (zigzag), size in s, the group's five dimensions (each length and bytes)
///     figures         ``Figures``
///
/// Any change of what the places of numbers and summaries mean changes the version too.
enum PackedForm {
    static let version: UInt8 = 1

    enum Kind: UInt8 {
        case partial = 1
        case watermark
        case total
        case watermarks
    }
}

/// A packed value, read.
enum PackedValue {
    case partial(source: SourcePartition, watermark: Int64, Window, GroupName, Figures)
    case watermark(source: SourcePartition, Int64)
    case total(revision: UInt64, Window, GroupName, Figures)
    case watermarks(smallest: Int64, [SourcePartition: Int64])

    /// - Throws: ``PackedError``, before anything was taken from the value.
    init(_ bytes: borrowing RawSpan, settings: AggregateSettings) throws(PackedError) {
        let end = bytes.byteCount - 4
        guard end >= 2 else { throw .truncated }
        var reader = ByteReader(offset: 0, end: end)
        let version = try reader.byte(bytes)
        guard version == PackedForm.version else { throw .version(version) }
        var stored = ByteReader(offset: end, end: end + 4)
        let checksum = PackedForm.checksum(bytes.extracting(0..<end))
        for place in 0..<4 {
            guard try stored.byte(bytes) == PackedForm.byte(place, ofChecksum: checksum) else { throw .checksum }
        }
        guard let kind = PackedForm.Kind(rawValue: try reader.byte(bytes)) else { throw .malformed }
        self = try Self.read(kind, &reader, bytes, settings)
        guard reader.left == 0 else { throw .malformed }
    }

    private static func read(
        _ kind: PackedForm.Kind, _ reader: inout ByteReader, _ bytes: borrowing RawSpan, _ settings: AggregateSettings
    ) throws(PackedError) -> PackedValue {
        switch kind {
        case .partial:
            let source = try SourcePartition(&reader, bytes)
            let watermark = try reader.zigzag(bytes)
            let window = try Window(&reader, bytes)
            let group = try GroupName(&reader, bytes, groupBy: settings.groupBy)
            let figures = try Figures(&reader, bytes, limit: settings.maxBuckets)
            return .partial(source: source, watermark: watermark, window, group, figures)
        case .watermark:
            return .watermark(source: try SourcePartition(&reader, bytes), try reader.zigzag(bytes))
        case .total:
            let revision = try reader.varint(bytes)
            let window = try Window(&reader, bytes)
            let group = try GroupName(&reader, bytes, groupBy: settings.groupBy)
            return .total(
                revision: revision, window, group, try Figures(&reader, bytes, limit: settings.maxBuckets))
        case .watermarks:
            let smallest = try reader.zigzag(bytes)
            var sources: [SourcePartition: Int64] = [:]
            for _ in 0..<(try reader.length(bytes)) {
                let source = try SourcePartition(&reader, bytes)
                sources[source] = try reader.zigzag(bytes)
            }
            return .watermarks(smallest: smallest, sources)
        }
    }
}

extension PackedForm {
    static func checksum(_ bytes: RawSpan) -> UInt32 { UInt32(truncatingIfNeeded: StableHash.hash(bytes)) }

    /// The bytes of a checksum as they stand in a value, the highest first.
    static func byte(_ place: Int, ofChecksum checksum: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * place))
    }
}

extension SourcePartition {
    fileprivate init(_ reader: inout ByteReader, _ bytes: borrowing RawSpan) throws(PackedError) {
        topic = try reader.fixed(bytes)
        guard let number = Int32(exactly: try reader.zigzag(bytes)) else { throw .malformed }
        partition = number
    }
}

extension Window {
    init(_ reader: inout ByteReader, _ bytes: borrowing RawSpan) throws(PackedError) {
        let start = try reader.zigzag(bytes)
        let size = try reader.count(bytes)
        let isSize = size > 0 && size <= WindowSettings.longest / 1000
        guard isSize, start >= Windows.earliest / 1000 - size, start <= Windows.latest / 1000 else {
            throw .malformed
        }
        self.init(start: start * 1000, size: size * 1000)
    }
}

extension RecordBatch {
    /// Appends one record: `key` and `value` write its bytes behind those already there; version and checksum are
    /// put around the value.
    mutating func append(
        _ kind: PackedForm.Kind, route: UInt64, key writeKey: (inout ContiguousArray<UInt8>) -> Void,
        value writeValue: (inout ContiguousArray<UInt8>) -> Void
    ) {
        let start = bytes.count
        writeKey(&bytes)
        let middle = bytes.count
        bytes.append(PackedForm.version)
        bytes.append(kind.rawValue)
        writeValue(&bytes)
        let checksum = unsafe PackedForm.checksum(bytes.span.bytes.extracting(middle..<bytes.count))
        for place in 0..<4 { bytes.append(PackedForm.byte(place, ofChecksum: checksum)) }
        records.append(Record(key: start..<middle, value: middle..<bytes.count, route: route))
    }
}

extension ContiguousArray<UInt8> {
    mutating func append(_ source: SourcePartition) {
        append(fixed: source.topic)
        append(zigzag: Int64(source.partition))
    }

    mutating func append(_ window: Window, _ group: GroupName) {
        append(zigzag: window.start / 1000)
        append(varint: UInt64(window.size / 1000))
        for text in group.texts { append(text: text) }
    }
}
