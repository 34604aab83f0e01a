/// Values by a 64-bit hash, of which at least the ``limit`` ÷ 2 most recently set are kept.
///
/// Two halves: when the young one is full, the old one is forgotten and they change places. So the table is bounded
/// without a list of ages, and what it forgets depends on nothing but the calls made. Two keys of one hash are taken
/// for the same.
struct RecentTable<Value: BitwiseCopyable> {
    /// The most values it holds.
    let limit: Int
    /// How many values were forgotten for want of room.
    private(set) var forgotten = 0

    private struct Half {
        var hashes: ContiguousArray<UInt64>
        var values: ContiguousArray<Value>
        var count = 0

        init(blank: Value) {
            hashes = ContiguousArray(repeating: 0, count: 16)
            values = ContiguousArray(repeating: blank, count: 16)
        }

        /// Where `hash` stands or would be put.
        func place(_ hash: UInt64) -> Int {
            var place = Int(truncatingIfNeeded: hash) & (hashes.count - 1)
            while hashes[place] != 0, hashes[place] != hash { place = (place + 1) & (hashes.count - 1) }
            return place
        }

        mutating func insert(_ hash: UInt64, _ value: Value, at place: Int) {
            hashes[place] = hash
            values[place] = value
            count += 1
            if count * 2 > hashes.count { grow() }
        }

        mutating func grow() {
            let former = self
            hashes = ContiguousArray(repeating: 0, count: former.hashes.count * 2)
            values = ContiguousArray(repeating: former.values[0], count: former.hashes.count * 2)
            for (index, hash) in former.hashes.enumerated() where hash != 0 {
                let place = place(hash)
                hashes[place] = hash
                values[place] = former.values[index]
            }
        }

        mutating func removeAll() {
            for place in hashes.indices { hashes[place] = 0 }
            count = 0
        }
    }

    private var young: Half
    private var old: Half

    /// - Parameter blank: fills the free places; never given out.
    init(limit: Int, blank: Value) {
        precondition(limit >= 2, "a table of recent values holds two or more")
        self.limit = limit
        young = Half(blank: blank)
        old = Half(blank: blank)
    }

    /// The value of a hash, which must not be 0; setting it anew makes it recent, reading it does not.
    subscript(hash: UInt64) -> Value? {
        let place = young.place(hash)
        if young.hashes[place] == hash { return young.values[place] }
        let oldPlace = old.place(hash)
        return old.hashes[oldPlace] == hash ? old.values[oldPlace] : nil
    }

    mutating func set(_ hash: UInt64, _ value: Value) {
        let place = young.place(hash)
        if young.hashes[place] == hash {
            young.values[place] = value
            return
        }
        if young.count >= limit / 2 {
            forgotten += old.count
            swap(&young, &old)
            young.removeAll()
            young.insert(hash, value, at: young.place(hash))
        } else {
            young.insert(hash, value, at: place)
        }
    }
}
