internal import CPrefetch
import Lifecycle

/// The devices of one partition: an index by open addressing over states that never move.
///
/// An index entry has 8 bytes and is at most three quarters used, a state has ``Device``'s 128: together below 150 B a
/// device from half full on. States stand in chunks, so that growth copies none of them, each in two cache lines of
/// its own.
@safe
struct InstallationTable: ~Copyable {
    private typealias Chunk = UnsafeMutablePointer<Device>

    /// 2¹⁸ states fill a whole number of large pages.
    private static let chunkBits = 18
    private static let chunkBytes = MemoryLayout<Device>.stride << chunkBits
    private static let chunkMask = (1 << chunkBits) - 1
    /// Upper half: hash, from which places are found; lower half: index + 1, 0 where free.
    private var entries: UnsafeMutablePointer<UInt64>
    private var places: Int
    private var chunks: [Chunk] = unsafe []
    private var free: [UInt32] = []
    private var used = 0

    private static let fewestPlaces = 1024
    /// States whose part of the index is asked for before it is written, where all are indexed.
    private static let ahead: UInt32 = 16

    init() {
        places = Self.fewestPlaces
        unsafe entries = Self.makeEntries(places)
    }

    deinit {
        unsafe Self.release(entries, places)
        for unsafe chunk in unsafe chunks { unsafe PagedMemory.release(chunk, byteCount: Self.chunkBytes) }
    }

    private static func makeEntries(_ places: Int) -> UnsafeMutablePointer<UInt64> {
        let bytes = unsafe PagedMemory.allocate(byteCount: places * 8)
        return unsafe bytes.bindMemory(to: UInt64.self, capacity: places)
    }

    private static func release(_ entries: UnsafeMutablePointer<UInt64>, _ places: Int) {
        unsafe PagedMemory.release(entries, byteCount: places * 8)
    }

    /// Devices that it holds.
    var count: Int { used - free.count }

    /// Bytes that states and index take.
    var byteCount: Int {
        PagedMemory.roundedUp(used * MemoryLayout<Device>.stride) + PagedMemory.roundedUp(places * 8) + free.count * 4
    }

    /// Indices that were ever used; some may be free again.
    var indices: Range<UInt32> { 0..<UInt32(used) }

    subscript(index: UInt32) -> Device {
        @inline(__always) _read {
            yield unsafe chunks[Int(index) >> Self.chunkBits][Int(index) & Self.chunkMask]
        }
        @inline(__always) _modify {
            yield unsafe &chunks[Int(index) >> Self.chunkBits][Int(index) & Self.chunkMask]
        }
    }

    /// The index of the installation's state; nil where there is none.
    func find(_ key: InstallationKey) -> UInt32? {
        let mask = places - 1
        let hash = UInt32(truncatingIfNeeded: key.low)
        var place = Int(hash) & mask
        while unsafe entries[place] != 0 {
            let entry = unsafe entries[place]
            if UInt32(entry >> 32) == hash {
                let index = UInt32(truncatingIfNeeded: entry) - 1
                if self[index].key == key { return index }
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Asks for the part of the index in which ``find(_:)`` will look.
    @inline(__always)
    func prefetchEntry(_ key: InstallationKey) {
        unsafe prefetch_line(entries + Int(UInt32(truncatingIfNeeded: key.low)) & (places - 1))
    }

    /// Asks for the state of an installation, whose part of the index should have been asked for before.
    ///
    /// - Returns: where it most likely is.
    @inline(__always)
    func prefetchState(_ key: InstallationKey) -> UInt32? {
        let mask = places - 1
        let hash = UInt32(truncatingIfNeeded: key.low)
        var place = Int(hash) & mask
        while unsafe entries[place] != 0 {
            if unsafe UInt32(entries[place] >> 32) == hash {
                let index = unsafe UInt32(truncatingIfNeeded: entries[place]) - 1
                prefetch(index)
                return index
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Asks for a state.
    @inline(__always)
    func prefetch(_ index: UInt32) {
        let chunk = unsafe chunks[Int(index) >> Self.chunkBits]
        let state = unsafe UnsafeRawPointer(chunk + (Int(index) & Self.chunkMask))
        unsafe prefetch_line(state)
        unsafe prefetch_line(state + 64)
    }

    /// The index of the installation's state, made if it is new.
    @inline(__always)
    mutating func index(of key: InstallationKey) -> UInt32 {
        find(key) ?? insert(key)
    }

    /// The same, where a look at `place` may spare the search.
    @inline(__always)
    mutating func index(of key: InstallationKey, at place: UInt32?) -> UInt32 {
        if let place, place < used, self[place].key == key, self[place].flags.contains(.inUse) { return place }
        return index(of: key)
    }

    /// Takes the state of an installation away; its index may be given to another.
    mutating func remove(_ index: UInt32) {
        let mask = places - 1
        let hash = UInt32(truncatingIfNeeded: self[index].key.low)
        var place = Int(hash) & mask
        while unsafe UInt32(truncatingIfNeeded: entries[place]) != index + 1 { place = (place + 1) & mask }
        closeGap(at: place, mask: mask)
        self[index].flags.remove(.inUse)
        free.append(index)
    }

    /// Puts a state of no installation into every place before `count`, as far as none is there.
    mutating func extend(to count: Int) {
        while used < count {
            if unsafe chunks.count == used >> Self.chunkBits {
                unsafe chunks.append(Self.makeChunk())
            }
            var blank = Device(InstallationKey(high: 0, low: 0))
            blank.flags = []
            unsafe (chunks[used >> Self.chunkBits] + (used & Self.chunkMask)).initialize(to: blank)
            used += 1
        }
    }

    /// Makes the index anew for the states that are in use; the others' places are free.
    ///
    /// - Returns: false where two states are of one installation.
    mutating func reindex() -> Bool {
        free.removeAll()
        unsafe Self.release(entries, places)
        places = Self.fewestPlaces
        while places * 3 < used * 4 + 4 { places *= 2 }
        unsafe entries = Self.makeEntries(places)
        let mask = places - 1
        for index in indices.reversed() {
            if index >= Self.ahead { prefetchEntry(self[index - Self.ahead].key) }
            guard self[index].flags.contains(.inUse) else {
                free.append(index)
                continue
            }
            let key = self[index].key
            let hash = UInt32(truncatingIfNeeded: key.low)
            var place = Int(hash) & mask
            while unsafe entries[place] != 0 {
                let entry = unsafe entries[place]
                if UInt32(entry >> 32) == hash, self[UInt32(truncatingIfNeeded: entry) - 1].key == key { return false }
                place = (place + 1) & mask
            }
            unsafe entries[place] = UInt64(hash) << 32 | UInt64(index + 1)
        }
        return true
    }

    /// Moves the entries behind a removed one back, so that probing never meets a gap that was not there.
    private mutating func closeGap(at place: Int, mask: Int) {
        var gap = place
        var next = (place + 1) & mask
        while unsafe entries[next] != 0 {
            let home = unsafe Int(UInt32(entries[next] >> 32)) & mask
            if (next - home) & mask >= (next - gap) & mask {
                unsafe entries[gap] = entries[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        unsafe entries[gap] = 0
    }

    @inline(never)
    private mutating func insert(_ key: InstallationKey) -> UInt32 {
        if (count + 1) * 4 > places * 3 { grow() }
        let index = place(Device(key))
        let mask = places - 1
        let hash = UInt32(truncatingIfNeeded: key.low)
        var place = Int(hash) & mask
        while unsafe entries[place] != 0 { place = (place + 1) & mask }
        unsafe entries[place] = UInt64(hash) << 32 | UInt64(index + 1)
        return index
    }

    private mutating func place(_ device: consuming Device) -> UInt32 {
        if let index = free.popLast() {
            self[index] = device
            return index
        }
        precondition(used < Int(UInt32.max) - 1, "a partition holds less than 2³² devices")
        if unsafe chunks.count == used >> Self.chunkBits {
            unsafe chunks.append(Self.makeChunk())
        }
        unsafe (chunks[used >> Self.chunkBits] + (used & Self.chunkMask)).initialize(to: device)
        used += 1
        return UInt32(used - 1)
    }

    private static func makeChunk() -> Chunk {
        let bytes = unsafe PagedMemory.allocate(byteCount: chunkBytes)
        return unsafe bytes.bindMemory(to: Device.self, capacity: 1 << chunkBits)
    }

    private mutating func grow() {
        let (old, count) = unsafe (entries, places)
        places *= 2
        unsafe entries = Self.makeEntries(places)
        let mask = places - 1
        for number in 0..<count {
            let entry = unsafe old[number]
            guard entry != 0 else { continue }
            var place = Int(UInt32(entry >> 32)) & mask
            while unsafe entries[place] != 0 { place = (place + 1) & mask }
            unsafe entries[place] = entry
        }
        unsafe Self.release(old, count)
    }
}
