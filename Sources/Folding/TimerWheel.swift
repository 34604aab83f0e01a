/// Which devices to look at when stream time has come so far: a hierarchical wheel of ticks of 1.024 s.
///
/// The exact time stands in the device's own state, which is asked when the tick has come: an entry may be stale,
/// but none may be missing. Devices without a timer cost nothing.
struct TimerWheel {
    private struct Entry {
        var device: UInt32
        var tick: UInt32
    }

    private static let levels = 4
    private static let slotBits: UInt32 = 8
    private static let slots = 1 << Int(slotBits)
    /// A longer way is not gone tick by tick: 12 days.
    private static let stride: UInt32 = 1 << 20

    /// `levels` rings of `slots` buckets.
    private var buckets: [ContiguousArray<Entry>] = Array(repeating: [], count: levels * slots)
    /// Memory for what is sorted anew, changing places with the buckets.
    private var sorted: ContiguousArray<Entry> = []
    /// Every tick up to this one has been given out.
    private var now: UInt32 = 0
    /// Entries that it holds, stale ones included.
    private(set) var count = 0

    /// The tick in which a time falls.
    static func tick(_ time: Int64) -> UInt32 { UInt32(clamping: time >> 10) }

    /// Notes that a device wants to be looked at in `tick`, which must be after the current one.
    mutating func insert(_ device: UInt32, tick: UInt32) {
        count += 1
        let later = max(tick, now &+ 1)
        buckets[bucket(for: later)].append(Entry(device: device, tick: later))
    }

    /// Appends to `due` every device whose tick is at most `tick`.
    mutating func advance(to tick: UInt32, into due: inout ContiguousArray<UInt32>) {
        guard tick > now else { return }
        if tick - now > Self.stride { return leap(to: tick, into: &due) }
        while now < tick, count > 0 {
            now += 1
            cascade()
            give(bucketAt: Int(now) & (Self.slots - 1), into: &due)
        }
        now = tick
    }

    private mutating func give(bucketAt slot: Int, into due: inout ContiguousArray<UInt32>) {
        guard !buckets[slot].isEmpty else { return }
        count -= buckets[slot].count
        for entry in buckets[slot] { due.append(entry.device) }
        buckets[slot].removeAll(keepingCapacity: buckets[slot].count < 1024)
    }

    /// Sorts the coarser buckets that begin at the current tick into finer ones.
    private mutating func cascade() {
        for level in 1..<Self.levels {
            let width = UInt32(level) * Self.slotBits
            guard now & ((1 << width) - 1) == 0 else { return }
            let index = level * Self.slots + Int(now >> width) & (Self.slots - 1)
            guard !buckets[index].isEmpty else { continue }
            swap(&sorted, &buckets[index])
            for entry in sorted { buckets[bucket(for: entry.tick)].append(entry) }
            sorted.removeAll(keepingCapacity: true)
        }
    }

    /// Sorts every entry anew.
    private mutating func leap(to tick: UInt32, into due: inout ContiguousArray<UInt32>) {
        let all = buckets
        for index in buckets.indices where !buckets[index].isEmpty { buckets[index] = [] }
        now = tick
        count = 0
        for bucket in all {
            for entry in bucket {
                if entry.tick <= tick { due.append(entry.device) } else { insert(entry.device, tick: entry.tick) }
            }
        }
    }

    private func bucket(for tick: UInt32) -> Int {
        for level in 0..<(Self.levels - 1) {
            let width = UInt32(level) * Self.slotBits
            if (tick >> width) - (now >> width) < UInt32(Self.slots) {
                return level * Self.slots + Int(tick >> width) & (Self.slots - 1)
            }
        }
        // The coarsest ring reaches as far as ticks do.
        let width = UInt32(Self.levels - 1) * Self.slotBits
        return (Self.levels - 1) * Self.slots + Int(tick >> width) & (Self.slots - 1)
    }
}

/// A device to look at within the tick that has begun.
struct NearTimer: Comparable {
    /// ms since the epoch.
    var due: Int64
    var device: UInt32

    @inline(__always)
    static func < (one: NearTimer, other: NearTimer) -> Bool { one.due < other.due }
}
