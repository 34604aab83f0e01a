/// Remembers what a few hashes stand for: the last one of each of its places.
struct Memo<Value: BitwiseCopyable> {
    private var keys: [UInt64]
    private var values: [Value]

    /// - Parameter places: how many there are, a power of two.
    init(places: Int, _ value: Value) {
        precondition(places > 0 && places & (places - 1) == 0, "a memo has a power of two of places")
        keys = Array(repeating: 0, count: places)
        values = Array(repeating: value, count: places)
    }

    /// 0 is no key: nothing is remembered for it.
    subscript(key: UInt64) -> Value? {
        @inline(__always) get {
            let place = Int(truncatingIfNeeded: key) & (keys.count - 1)
            return keys[place] == key && key != 0 ? values[place] : nil
        }
        set {
            guard let newValue else { return }
            let place = Int(truncatingIfNeeded: key) & (keys.count - 1)
            keys[place] = key
            values[place] = newValue
        }
    }
}
