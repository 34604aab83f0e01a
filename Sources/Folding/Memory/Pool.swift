internal import CPrefetch

/// Places for values of one kind, found by number; they never move.
@safe
struct Pool<Value: ~Copyable>: ~Copyable {
    /// 2¹⁷ values of a multiple of 16 bytes fill a whole number of large pages; memory is given as it is touched.
    private static var chunkBits: Int { 17 }
    static var chunkBytes: Int { MemoryLayout<Value>.stride << chunkBits }
    private var chunks: [UnsafeMutablePointer<Value>] = unsafe []
    private var free: [UInt32] = []
    private var used = 0

    init() {}

    /// The values are not ended one by one: what they hold belongs to the memory that goes with them.
    deinit {
        for unsafe chunk in unsafe chunks { unsafe PagedMemory.release(chunk, byteCount: Self.chunkBytes) }
    }

    /// Values in use.
    var count: Int { used - free.count }

    /// Bytes of the values in use, and of the places that are free again.
    var byteCount: Int { used * MemoryLayout<Value>.stride }

    /// Where a value stands, as long as it is in use.
    @unsafe
    func address(_ index: UInt32) -> UnsafeMutablePointer<Value> {
        unsafe chunks[Int(index) >> Self.chunkBits] + Int(index) & ((1 << Self.chunkBits) - 1)
    }

    /// Asks for the lines of a value.
    @inline(__always)
    func prefetch(_ index: UInt32) {
        let value = unsafe UnsafeRawPointer(address(index))
        for line in stride(from: 0, to: MemoryLayout<Value>.size, by: 64) { unsafe prefetch_line(value + line) }
        // It may begin amid a line.
        unsafe prefetch_line(value + (MemoryLayout<Value>.size - 1))
    }

    mutating func insert(_ value: consuming Value) -> UInt32 {
        let index = free.popLast() ?? makePlace()
        unsafe address(index).initialize(to: value)
        return index
    }

    mutating func remove(_ index: UInt32) {
        unsafe address(index).deinitialize(count: 1)
        free.append(index)
    }

    private mutating func makePlace() -> UInt32 {
        precondition(used < Int(UInt32.max) - 1, "a partition holds less than 2³² values of a kind")
        if unsafe used >> Self.chunkBits == chunks.count {
            let bytes = unsafe PagedMemory.allocate(byteCount: Self.chunkBytes, isLarge: used > 0)
            unsafe chunks.append(bytes.bindMemory(to: Value.self, capacity: 1 << Self.chunkBits))
        }
        used += 1
        return UInt32(used - 1)
    }
}
