internal import CPrefetch
import Lifecycle

/// The devices of one partition: an index by open addressing over states that never move.
///
/// An index entry has 8 bytes and is at most three quarters used, a state has ``Device``'s stride: together below
/// 200 B a device from half full on. States stand in chunks, so that growth copies none of them.
@safe
struct InstallationTable: ~Copyable {
    private typealias Chunk = UnsafeMutablePointer<Device>

    private static let chunkBits = 12
    private static let chunkMask = (1 << chunkBits) - 1
    /// Upper half: hash, from which places are found; lower half: index + 1, 0 where free.
    private var entries: ContiguousArray<UInt64>
    private var chunks: [Chunk] = unsafe []
    private var free: [UInt32] = []
    private var used = 0

    init() {
        entries = ContiguousArray(repeating: 0, count: 1024)
    }

    deinit {
        for unsafe chunk in unsafe chunks { unsafe chunk.deallocate() }
    }

    /// Devices that it holds.
    var count: Int { used - free.count }

    /// Bytes that states and index take.
    var byteCount: Int {
        unsafe chunks.count * (MemoryLayout<Device>.stride << Self.chunkBits) + entries.count * 8 + free.count * 4
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
        let mask = entries.count - 1
        let hash = UInt32(truncatingIfNeeded: key.low)
        var place = Int(hash) & mask
        while entries[place] != 0 {
            let entry = entries[place]
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
        let place = Int(UInt32(truncatingIfNeeded: key.low)) & (entries.count - 1)
        unsafe entries.withUnsafeBufferPointer { unsafe prefetch_line($0.baseAddress.map { unsafe $0 + place }) }
    }

    /// Asks for the state of an installation, whose part of the index should have been asked for before.
    @inline(__always)
    func prefetchState(_ key: InstallationKey) {
        let mask = entries.count - 1
        let hash = UInt32(truncatingIfNeeded: key.low)
        var place = Int(hash) & mask
        while entries[place] != 0 {
            if UInt32(entries[place] >> 32) == hash {
                let index = Int(UInt32(truncatingIfNeeded: entries[place]) - 1)
                let chunk = unsafe chunks[index >> Self.chunkBits]
                let state = unsafe UnsafeRawPointer(chunk + (index & Self.chunkMask))
                for line in stride(from: 0, to: MemoryLayout<Device>.stride, by: 64) {
                    unsafe prefetch_line(state + line)
                }
                return
            }
            place = (place + 1) & mask
        }
    }

    /// The index of the installation's state, made if it is new.
    @inline(__always)
    mutating func index(of key: InstallationKey) -> UInt32 {
        find(key) ?? insert(key)
    }

    /// Takes the state of an installation away; its index may be given to another.
    mutating func remove(_ index: UInt32) {
        let mask = entries.count - 1
        let hash = UInt32(truncatingIfNeeded: self[index].key.low)
        var place = Int(hash) & mask
        while UInt32(truncatingIfNeeded: entries[place]) != index + 1 { place = (place + 1) & mask }
        closeGap(at: place, mask: mask)
        self[index].flags.remove(.inUse)
        free.append(index)
    }

    /// Moves the entries behind a removed one back, so that probing never meets a gap that was not there.
    private mutating func closeGap(at place: Int, mask: Int) {
        var gap = place
        var next = (place + 1) & mask
        while entries[next] != 0 {
            let home = Int(UInt32(entries[next] >> 32)) & mask
            if (next - home) & mask >= (next - gap) & mask {
                entries[gap] = entries[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        entries[gap] = 0
    }

    @inline(never)
    private mutating func insert(_ key: InstallationKey) -> UInt32 {
        if (count + 1) * 4 > entries.count * 3 { grow() }
        let index = place(Device(key))
        let mask = entries.count - 1
        let hash = UInt32(truncatingIfNeeded: key.low)
        var place = Int(hash) & mask
        while entries[place] != 0 { place = (place + 1) & mask }
        entries[place] = UInt64(hash) << 32 | UInt64(index + 1)
        return index
    }

    private mutating func place(_ device: consuming Device) -> UInt32 {
        if let index = free.popLast() {
            self[index] = device
            return index
        }
        precondition(used < Int(UInt32.max) - 1, "a partition holds less than 2³² devices")
        if unsafe chunks.count == used >> Self.chunkBits {
            unsafe chunks.append(Chunk.allocate(capacity: 1 << Self.chunkBits))
        }
        unsafe (chunks[used >> Self.chunkBits] + (used & Self.chunkMask)).initialize(to: device)
        used += 1
        return UInt32(used - 1)
    }

    private mutating func grow() {
        let old = entries
        entries = ContiguousArray(repeating: 0, count: old.count * 2)
        let mask = entries.count - 1
        for entry in old where entry != 0 {
            var place = Int(UInt32(entry >> 32)) & mask
            while entries[place] != 0 { place = (place + 1) & mask }
            entries[place] = entry
        }
    }
}
