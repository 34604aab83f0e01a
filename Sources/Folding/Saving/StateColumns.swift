internal import Lifecycle

/// The states of some installations as bytes: what a block of the checkpoint holds.
///
/// Each field of all states stands together with its like, as the difference from what it is mostly near to: of a
/// state whose key was told before, from what was told last. The page Format.md of Checkpointing tells the layout.
enum StateColumn: Int, CaseIterable {
    case place, entry, key
    case shape, spans, phase, flags
    case received, last, time, monotonic, since, resign, sequence, identity, names
    case cold, clock, known
    case instances, ids, instants
    case echoes, echoTimes
    case held, graces
}

/// One for each ``StateColumn``.
typealias PerColumn<Element: ~Copyable> = InlineArray<26, Element>

/// What an entry of a block is.
enum StateEntry {
    static let isState: UInt8 = 1
    static let isWhole: UInt8 = 2
    static let hasCold: UInt8 = 4
}

/// Bytes that grow at their end: numbers as of ``ByteColumn``.
@safe struct ColumnBytes: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity = 1024

    /// Bytes of the longest number.
    private static let longest = 10

    init() {
        unsafe base = .allocate(capacity: capacity)
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Makes room for one more number.
    @inline(__always)
    private mutating func reserve() {
        if capacity - count < Self.longest { grow() }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
        unsafe larger.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity *= 2
    }

    @inline(__always)
    mutating func append(byte value: UInt8) {
        reserve()
        unsafe base[count] = value
        count += 1
    }

    @inline(__always)
    mutating func append(_ value: UInt64) {
        reserve()
        var rest = value
        while rest >= 0x80 {
            unsafe base[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count += 1
            rest >>= 7
        }
        unsafe base[count] = UInt8(truncatingIfNeeded: rest)
        count += 1
    }

    @inline(__always)
    mutating func append(signed value: Int64) { append(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    @inline(__always)
    mutating func append<Value: FixedWidthInteger>(fixed value: Value) {
        reserve()
        unsafe UnsafeMutableRawPointer(base + count).storeBytes(of: value.littleEndian, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    /// Puts all of it behind `bytes`.
    func copy(to bytes: inout ContiguousArray<UInt8>) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
    }
}

/// Reads what a ``ColumnBytes`` was given, in the same order. Good as long as the bytes are there.
@safe struct ColumnCursor: BitwiseCopyable {
    private var next: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>

    @unsafe init(_ bytes: UnsafePointer<UInt8>, count: Int) {
        unsafe next = bytes
        unsafe end = bytes + count
    }

    var left: Int { unsafe end - next }

    @inline(__always)
    mutating func byte() throws(UnreadableBytes) -> UInt8 {
        guard unsafe next < end else { throw UnreadableBytes() }
        defer { unsafe next += 1 }
        return unsafe next.pointee
    }

    @inline(__always)
    mutating func number() throws(UnreadableBytes) -> UInt64 {
        guard left >= 8 else { return try byteByByte() }
        if unsafe next.pointee < 0x80 {
            defer { unsafe next += 1 }
            return unsafe UInt64(next.pointee)
        }
        return try longNumber()
    }

    /// A number of several bytes, mostly taken at once: a branch for each byte would be guessed wrong too often.
    @inline(__always)
    private mutating func longNumber() throws(UnreadableBytes) -> UInt64 {
        let word = UInt64(littleEndian: unsafe UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
        let ends = ~word & 0x8080_8080_8080_8080
        guard ends != 0 else { return try byteByByte() }
        unsafe next += ends.trailingZeroBitCount >> 3 + 1
        // The bits up to the first end, seven of each byte pushed together.
        var value = word & (ends ^ (ends &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
        value = value & 0x007F_007F_007F_007F | (value & 0x7F00_7F00_7F00_7F00) >> 1
        value = value & 0x0000_3FFF_0000_3FFF | (value & 0x3FFF_0000_3FFF_0000) >> 2
        return value & 0x0FFF_FFFF | (value & 0x0FFF_FFFF_0000_0000) >> 4
    }

    @inline(never)
    private mutating func byteByByte() throws(UnreadableBytes) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw UnreadableBytes() }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    @inline(__always)
    mutating func signed() throws(UnreadableBytes) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    @inline(__always)
    mutating func fixed<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type) throws(UnreadableBytes) -> Value
    {
        guard left >= MemoryLayout<Value>.size else { throw UnreadableBytes() }
        defer { unsafe next += MemoryLayout<Value>.size }
        return Value(littleEndian: unsafe UnsafeRawPointer(next).loadUnaligned(as: Value.self))
    }

    @inline(__always)
    mutating func fixed32() throws(UnreadableBytes) -> UInt32 { try fixed(UInt32.self) }

    @inline(__always)
    mutating func fixed64() throws(UnreadableBytes) -> UInt64 { try fixed(UInt64.self) }

    @inline(__always)
    mutating func small<Value: FixedWidthInteger>(_ type: Value.Type) throws(UnreadableBytes) -> Value {
        guard let value = Value(exactly: try number()) else { throw UnreadableBytes() }
        return value
    }

    /// How many things follow, of which each takes a byte at least of what is left here.
    mutating func length() throws(UnreadableBytes) -> Int {
        let value = try number()
        guard value <= UInt64(left) else { throw UnreadableBytes() }
        return Int(value)
    }

    /// A cursor over the next `count` bytes, which this one then has behind it.
    mutating func part(_ count: Int) throws(UnreadableBytes) -> ColumnCursor {
        guard (0...left).contains(count) else { throw UnreadableBytes() }
        defer { unsafe next += count }
        return unsafe ColumnCursor(next, count: count)
    }

    mutating func text() throws(UnreadableBytes) -> UnsafeRawBufferPointer {
        let count = try length()
        defer { unsafe next += count }
        return unsafe UnsafeRawBufferPointer(start: next, count: count)
    }
}
