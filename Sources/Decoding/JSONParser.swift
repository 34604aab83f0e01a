import CSimdJSON

/// Owns the C parser, whose memory is kept from text to text.
@safe
struct JSONParser: ~Copyable {
    private let parser: OpaquePointer

    init() {
        guard let parser = unsafe pfj_create() else { fatalError("no memory for a JSON parser") }
        unsafe self.parser = parser
    }

    deinit { unsafe pfj_destroy(parser) }

    /// Begins a text, which must stay in place until its last object has been read.
    mutating func open(_ text: RawSpan) -> pfj_status {
        unsafe text.withUnsafeBytes { bytes in
            unsafe pfj_open(parser, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }

    /// Reads the first object of a text the short way; see `pfj_open_plain`.
    mutating func openPlain(_ text: RawSpan, _ object: inout pfj_object) -> pfj_status {
        unsafe text.withUnsafeBytes { bytes in
            unsafe pfj_open_plain(
                parser, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &object)
        }
    }

    /// Reads the next object of a text that was opened the short way.
    mutating func nextPlain(_ object: inout pfj_object) -> pfj_status { unsafe pfj_next_plain(parser, &object) }

    /// Reads the line of `text` that begins at `start` the short way; see `pfj_read_line`.
    ///
    /// - Returns: where the next line begins; nil where the short way does not lead through it.
    @inline(__always)
    mutating func readLine(of text: RawSpan, from start: Int, _ object: inout pfj_object) -> Int? {
        unsafe text.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
            var behind: UnsafePointer<UInt8>? = unsafe base
            let status = unsafe pfj_read_line(parser, base + start, base + bytes.count, &object, &behind)
            guard status == PFJ_OBJECT, let behind = unsafe behind else { return nil }
            return unsafe behind - base
        }
    }

    /// Whether the short way looks at more than 16 bytes at once where the machine can; see `pfj_look_wide`.
    mutating func lookWide(_ isWanted: Bool) { unsafe pfj_look_wide(parser, isWanted) }

    var isArray: Bool { unsafe pfj_is_array(parser) }

    /// Checks the whole text, so that it can be gone through in any order; see `pfj_check`.
    mutating func check() -> pfj_status { unsafe pfj_check(parser) }

    /// The member at `token` of an object that was checked; false behind the last one.
    func nextMember(_ token: inout UInt32, _ key: inout pfj_value, _ value: inout pfj_value) -> Bool {
        unsafe pfj_next_member(parser, &token, &key, &value)
    }

    /// The item at `token` of an array that was checked; false behind the last one.
    func nextItem(_ token: inout UInt32, _ value: inout pfj_value) -> Bool {
        unsafe pfj_next_item(parser, &token, &value)
    }

    /// Reads the next object of the text.
    mutating func next(_ object: inout pfj_object) -> pfj_status { unsafe pfj_next(parser, &object) }
}
