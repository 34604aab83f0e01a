internal import Glibc

/// Reads the records of one file, or of standard input, in large pieces, without a copy of each.
///
/// A record is a line; or, where the file begins with a NUL byte as no text does, what a length of four bytes,
/// big-endian, stands before: the form in which the OpenTelemetry Collector writes OTLP to files.
struct RecordReader: ~Copyable {
    /// Bytes that are read at once: they stay in the cache until their records are done.
    static let chunk = 128 << 10

    private enum Framing {
        case unknown
        case lines
        case lengths
    }

    /// Its name as given; `-` is standard input.
    let path: String
    /// The bytes of a file; nil where they cannot be known beforehand.
    let size: Int?
    /// Bytes of finished records.
    private(set) var consumed = 0

    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8]
    /// What of ``buffer`` is read and not yet given.
    private var filled = 0
    private var framing = Framing.unknown
    /// The rest of a record that was too long is passed over: so many bytes, or all up to the next line.
    private var skipBytes = 0
    private var skipsLine = false
    private var atEnd = false

    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - limit: of a longer record the first bytes are given, more than `limit`.
    /// - Throws: ``CommandError`` with ``ExitStatus/unreadableInput``.
    init(_ path: String, limit: Int, chunk: Int = RecordReader.chunk) throws(CommandError) {
        self.path = path
        self.limit = limit
        buffer = [UInt8](repeating: 0, count: chunk)
        descriptor = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
            size = nil
            throw RecordReader.fault(path, errno)
        }
        size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        guard status.st_mode & S_IFMT != S_IFDIR else { throw RecordReader.fault(path, EISDIR) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func fault(_ path: String, _ code: Int32) -> CommandError {
        let name = path == "-" ? "standard input" : path
        return CommandError(.unreadableInput, "\(name) cannot be read: \(Output.reason(code)); give files of events")
    }

    /// Reads the next piece and gives what is whole of it.
    ///
    /// - Parameters:
    ///   - lines: is given lines with their line feeds; the last one of the file may lack it, and of one that is over
    ///     the limit so much may be given alone that it still is.
    ///   - frame: is given a record behind its length.
    /// - Returns: false once all records have been given.
    /// - Throws: ``CommandError`` with ``ExitStatus/unreadableInput``, or what `lines` and `frame` throw.
    mutating func next(
        lines: (RawSpan) throws -> Void, frame: (RawSpan) throws -> Void
    ) throws -> Bool {
        if atEnd { return false }
        if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        guard let count = try fill() else { return true }
        atEnd = count == 0
        filled += count
        if framing == .unknown, filled > 0 { framing = buffer[0] == 0 ? .lengths : .lines }
        let used: Int
        if framing == .lengths {
            (used, skipBytes) = try giveFrames(frame)
        } else {
            (used, skipsLine) = try giveLines(fresh: filled - count, lines)
        }
        consumed += used
        if used > 0 { keepTail(from: used) }
        return !atEnd
    }

    /// Returns how many bytes came, 0 at the end; nil where a signal came first.
    private mutating func fill() throws(CommandError) -> Int? {
        let room = buffer.count - filled
        let start = filled
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe read(descriptor, bytes.baseAddress.map { unsafe $0 + start }, room)
        }
        if count >= 0 { return count }
        if errno == EINTR { return nil }
        throw RecordReader.fault(path, errno)
    }

    private mutating func keepTail(from used: Int) {
        let rest = filled - used
        if rest > 0 {
            unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                _ = unsafe memmove(base, base + used, rest)
            }
        }
        filled = rest
    }

    // MARK: Lines

    /// Returns what of the buffer is done with, and the next ``skipsLine``.
    ///
    /// - Parameter fresh: before it there is no line feed.
    private func giveLines(
        fresh: Int, _ body: (RawSpan) throws -> Void
    ) throws -> (used: Int, skips: Bool) {
        let bytes = unsafe buffer.span.bytes
        var start = 0
        if skipsLine {
            guard let feed = firstLineFeed else { return (filled, true) }
            start = feed + 1
        }
        let end = lastLineFeed(from: max(start, fresh)).map { $0 + 1 } ?? start
        if end > start { try body(bytes.extracting(start..<end)) }
        if atEnd {
            if end < filled { try body(bytes.extracting(end..<filled)) }
            return (filled, false)
        }
        // One byte more than the limit may be a carriage return, which is no part of the record.
        guard filled - end > limit + 1 else { return (end, false) }
        try body(bytes.extracting(end..<(end + limit + 2)))
        return (filled, true)
    }

    private var firstLineFeed: Int? {
        unsafe buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            let found = unsafe memchr(base, Int32(UInt8(ascii: "\n")), filled)
            return unsafe found.map { unsafe UnsafeRawPointer($0) - base }
        }
    }

    private func lastLineFeed(from start: Int) -> Int? {
        var end = filled
        while end > start, buffer[end - 1] != UInt8(ascii: "\n") { end -= 1 }
        return end > start ? end - 1 : nil
    }

    // MARK: Lengths

    /// Returns what of the buffer is done with, and the next ``skipBytes``.
    private func giveFrames(_ body: (RawSpan) throws -> Void) throws -> (used: Int, skips: Int) {
        let bytes = unsafe buffer.span.bytes
        var start = min(skipBytes, filled)
        var skips = skipBytes - start
        while filled - start >= 4 {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(buffer[start + $1]) }
            let end = start + 4 + length
            let isLong = length > limit && filled - start - 4 > limit
            guard end <= filled || isLong else { break }
            try body(bytes.extracting((start + 4)..<(start + 4 + min(length, limit + 1))))
            skips = max(0, end - filled)
            start = min(end, filled)
        }
        guard atEnd, start < filled else { return (start, skips) }
        // A record that is cut off: what there is of it, so that it counts as one that cannot be read.
        try body(bytes.extracting((filled - start > 4 ? start + 4 : start)..<filled))
        return (filled, 0)
    }
}
