/// Remembers what a few hashes stand for: the last one of each of its places.
struct Memo<Value: BitwiseCopyable> {
    private struct Entry: BitwiseCopyable {
        var key: UInt64
        var value: Value
    }

    private var entries: ContiguousArray<Entry>

    /// - Parameter places: how many there are, a power of two.
    init(places: Int, _ value: Value) {
        precondition(places > 0 && places & (places - 1) == 0, "a memo has a power of two of places")
        entries = ContiguousArray(repeating: Entry(key: 0, value: value), count: places)
    }

    @inline(__always)
    private func place(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key) & (entries.count - 1) }

    /// 0 is no key: nothing is remembered for it.
    subscript(key: UInt64) -> Value? {
        @inline(__always) get {
            let entry = entries[place(key)]
            return entry.key == key && key != 0 ? entry.value : nil
        }
        set {
            guard let newValue else { return }
            entries[place(key)] = Entry(key: key, value: newValue)
        }
    }
}
