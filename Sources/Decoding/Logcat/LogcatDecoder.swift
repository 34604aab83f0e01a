package import Lifecycle

/// Reads the Android event log: a line or a block of lines a record.
///
/// One decoder reads one file or one partition, its records in order, always with the same ``Lexicon``.
package struct LogcatDecoder {
    /// What the lines read so far tell about those to come.
    package internal(set) var context: LogcatContext
    let options: DecodingOptions
    let tags = LogcatTagTable()
    let grouping: Grouping
    let defaultApp: [UInt8]
    let platform = Array("android".utf8)
    /// Of every record; nil where each record's key tells.
    private let fixedDevice: LogcatDevice?

    package init(_ options: DecodingOptions) {
        self.options = options
        context = LogcatContext(firstYear: options.logcatYear)
        grouping = Grouping(options.groupBy)
        defaultApp = Array((options.defaultAppID ?? "").utf8)
        fixedDevice = (options.defaultDeviceID ?? options.fileName).map { LogcatDevice($0) }
    }

    /// Whether a record is one of the event log: its first line with text is a divider, a header, or has a stamp.
    package static func isLogcat(_ value: RawSpan) -> Bool {
        var start = 0
        while start < value.byteCount, value[byte: start].isBlank { start += 1 }
        guard start < value.byteCount, value[byte: start] != UInt8(ascii: "{") else { return false }
        let line = start..<value.index(of: .newline, in: start..<value.byteCount)
        if isDivider(value, line) || header(value, line) != nil { return true }
        var reader = TextReader(line)
        return reader.stamp(value) != nil && reader.blanks(value)
    }

    /// Reads one record; its number is `batch.records`, which the caller moves on.
    ///
    /// - Parameters:
    ///   - key: the record's key, which is the device where the settings name none and the input is no file.
    ///   - timestamp: the record's, ms since the epoch; ``Event/absent`` in a file.
    package mutating func decode(
        _ value: RawSpan, key: RawSpan?, timestamp: Int64, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        if options.fileName == nil { context.headerApp = nil }
        if fixedDevice == nil, let code = Self.fault(ofDevice: key) {
            batch.rejections.append(Rejection(record: batch.records, index: nil, code: code))
            return
        }
        var device = fixedDevice
        if device == nil, let key { device = LogcatDevice(key) }
        guard let device else { return }
        let record = LogcatRecord(
            device: device, received: timestamp, number: UInt32(truncatingIfNeeded: batch.records))
        var (start, index) = (0, 0)
        while start < value.byteCount {
            let end = value.index(of: .newline, in: start..<value.byteCount)
            let line = trimmed(value, start..<end)
            let isOnly = start == 0 && end + 1 >= value.byteCount
            start = end + 1
            if line.isEmpty { continue }
            if let code = take(value, line, of: record, lexicon: &lexicon, into: &batch) {
                batch.rejections.append(Rejection(record: batch.records, index: isOnly ? nil : index, code: code))
            }
            index += 1
        }
    }

    /// What is wrong with a key that is to name the device.
    private static func fault(ofDevice key: RawSpan?) -> RejectionCode? {
        let field = EventField.deviceID
        guard let key, key.byteCount > 0 else { return .missing(field: field.name) }
        if key.byteCount > field.limit { return .tooLong(field: field.name) }
        return key.isUTF8 ? nil : .bad(field: field.name)
    }

    private static func isDivider(_ bytes: RawSpan, _ line: Range<Int>) -> Bool {
        bytes.hasText("--------- ", at: line.lowerBound)
    }

    /// The package of a header line `packageName: com.example.app:236`; empty where it names none.
    static func header(_ bytes: RawSpan, _ line: Range<Int>) -> Range<Int>? {
        let name: StaticString = "packageName:"
        guard line.count >= name.utf8CodeUnitCount, bytes.hasText(name, at: line.lowerBound) else { return nil }
        let rest = trimmed(bytes, line.lowerBound + name.utf8CodeUnitCount..<line.upperBound)
        return trimmed(bytes, rest.lowerBound..<bytes.index(of: UInt8(ascii: ":"), in: rest))
    }
}

/// What all lines of a record have in common.
struct LogcatRecord: BitwiseCopyable {
    var device: LogcatDevice
    var received: Int64
    var number: UInt32
}
