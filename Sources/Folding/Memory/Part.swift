internal import CPrefetch

/// A part of a state that only some have: a block of its own in the partition's ``SlabMemory``, or nothing.
@safe
struct Part<Value: ~Copyable>: ~Copyable {
    private var at: UnsafeMutablePointer<Value>?

    init() {}

    deinit {
        guard let at = unsafe at else { return }
        unsafe at.deinitialize(count: 1)
        unsafe SlabMemory.giveBack(at, MemoryLayout<Value>.stride)
    }

    var isThere: Bool { unsafe at != nil }

    /// Asks for its first lines, if it is there.
    @inline(__always)
    func prefetch() {
        guard let at = unsafe at else { return }
        unsafe prefetch_line(at)
        unsafe prefetch_line(UnsafeRawPointer(at) + 64)
    }

    /// One that is never there: for reading in place of those that are not.
    @unsafe
    static func blank(_ value: consuming Value) -> UnsafePointer<Value> {
        let at = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        unsafe at.initialize(to: value)
        return unsafe UnsafePointer(at)
    }

    /// Where it is, as long as it lives.
    ///
    /// - Parameter blank: looked at only where it is not there: what is made once has a price each time.
    @unsafe @inline(__always)
    func address(or blank: @autoclosure () -> UnsafePointer<Value>) -> UnsafePointer<Value> {
        guard let at = unsafe at else { return unsafe blank() }
        return unsafe UnsafePointer(at)
    }

    /// Where it is, made new where it was not there.
    @unsafe @inline(__always)
    mutating func make(_ value: () -> Value, in memory: SlabMemory) -> UnsafeMutablePointer<Value> {
        if let at = unsafe at { return unsafe at }
        let block = unsafe memory.take(MemoryLayout<Value>.stride).bindMemory(to: Value.self, capacity: 1)
        unsafe block.initialize(to: value())
        unsafe at = block
        return unsafe block
    }
}
