/// A place where a text of bounded length is put together, without an allocation for each.
@safe
struct ScratchText: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer
    private let capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        unsafe bytes = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { unsafe bytes.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// What stands in it, until it changes.
    var text: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

    mutating func removeAll() { count = 0 }

    /// Appends a byte; what has no room is cut off.
    mutating func append(_ byte: UInt8) {
        guard count < capacity else { return }
        unsafe bytes[count] = byte
        count += 1
    }

    /// Appends a text; what has no room is cut off.
    mutating func append(_ text: RawSpan) {
        let length = min(text.byteCount, capacity - count)
        for index in 0..<length { unsafe bytes[count + index] = text[byte: index] }
        count += length
    }

    mutating func append(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { unsafe append(text.utf8Start[index]) }
    }
}
