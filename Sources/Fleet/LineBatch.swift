/// A batch of lines of NDJSON, each one event, in the order in which they are received.
///
/// Its storage is kept from batch to batch. The text of all lines, each with a line feed at its end, lies in one
/// piece, so that standard output takes a batch in one write.
@safe package struct LineBatch: ~Copyable {
    /// No event is longer than this, in bytes.
    static let longestLine = 1024

    /// Where one line lies, in bytes from the start of the text, and when it is received.
    package struct Line: BitwiseCopyable, Sendable {
        package var offset: UInt32
        /// Without the line feed.
        package var length: UInt32
        package var keyOffset: UInt32
        package var keyLength: UInt32
        /// ms since the epoch.
        package var received: Int64
    }

    /// The most lines that one batch takes.
    package let capacity: Int
    package private(set) var lines: ContiguousArray<Line> = []
    private let storage: UnsafeMutablePointer<UInt8>
    private let bytes: Int
    private var used = 0

    /// - Parameters:
    ///   - lines: the most lines of a batch.
    ///   - bytes: the most text of a batch; at least 64 KiB.
    package init(lines: Int = 4096, bytes: Int = 1 << 20) {
        precondition(lines > 0 && bytes >= 1 << 16, "a batch holds a line or more in 64 KiB or more")
        capacity = lines
        self.bytes = bytes
        unsafe storage = .allocate(capacity: bytes)
        self.lines.reserveCapacity(lines)
    }

    deinit { unsafe storage.deallocate() }

    package var isEmpty: Bool { lines.isEmpty }
    package var count: Int { lines.count }

    /// Gives the text of all lines, line feeds included.
    package func withText<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeStart: storage, byteCount: used))
    }

    /// Gives one line without its line feed, and the device in it: what a record is keyed by.
    package func withRecord<Result, Failure: Error>(
        _ line: Line, _ body: (_ value: RawSpan, _ key: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let value = unsafe RawSpan(_unsafeStart: storage + Int(line.offset), byteCount: Int(line.length))
        let key = unsafe RawSpan(_unsafeStart: storage + Int(line.keyOffset), byteCount: Int(line.keyLength))
        return try body(value, key)
    }

    package mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        used = 0
    }

    /// Whether another line fits.
    var hasRoom: Bool { lines.count < capacity && bytes - used >= Self.longestLine }

    /// Adds a line. There must be room.
    mutating func append(_ report: Report, of profile: borrowing Profile, fields: FleetOptions.Fields) {
        var writer = unsafe LineWriter(at: storage + used)
        let key = unsafe writer.write(report, of: profile, fields: fields)
        let end = unsafe writer.at - storage
        lines.append(
            Line(
                offset: UInt32(used), length: UInt32(end - used), keyOffset: UInt32(used + key),
                keyLength: UInt32(Profile.keyLength), received: report.received))
        unsafe storage[end] = UInt8(ascii: "\n")
        used = end + 1
    }
}
