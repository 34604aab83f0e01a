/// Which device is next: devices ordered by a time in milliseconds, at a constant cost however many there are.
///
/// Six rings of 256 places each. A device hangs in the innermost ring that tells its time from the present one, and
/// moves inwards as its time comes near; those of one place are chained through one array. Among equal times
/// the last one in is the first one out.
struct Wheel {
    private static let rings = 6
    private static let none: Int32 = -1

    /// When a device is due, and which one hangs below it in the same place.
    private struct Node: BitwiseCopyable {
        var time: Int64
        var next: Int32
    }

    /// The time of the device that was taken last; nothing earlier may be put in.
    private(set) var now: Int64
    private var heads: ContiguousArray<Int32>
    private var nodes: ContiguousArray<Node>
    /// A bit for each place that holds something, 256 a ring.
    private var occupied: ContiguousArray<UInt64>
    private(set) var count = 0

    /// - Parameters:
    ///   - capacity: devices are numbers below it.
    ///   - start: no time is before it. Times reach 2⁴⁷ ms beyond it at most.
    init(capacity: Int, start: Int64) {
        now = start
        heads = ContiguousArray(repeating: Self.none, count: Self.rings * 256)
        nodes = ContiguousArray(repeating: Node(time: 0, next: Self.none), count: capacity)
        occupied = ContiguousArray(repeating: 0, count: Self.rings * 4)
    }

    /// Goes back in time, where nothing is in it.
    mutating func rewind(to start: Int64) {
        precondition(count == 0, "time goes back for no one")
        now = start
    }

    mutating func insert(_ device: Int32, at time: Int64) {
        assert(time >= now, "a device was put in before the present")
        nodes[Int(device)].time = time
        hang(device)
        count += 1
    }

    /// Takes out the device with the earliest time, which becomes ``now``.
    mutating func pop() -> Int32? {
        guard count > 0 else { return nil }
        var ring = 0
        while true {
            guard let place = firstPlace(of: ring) else {
                ring += 1
                continue
            }
            if ring == 0 { return take(place) }
            cascade(ring: ring, place: place)
            ring = 0
        }
    }

    private mutating func take(_ place: Int) -> Int32 {
        now = now & ~255 | Int64(place)
        let device = heads[place]
        heads[place] = nodes[Int(device)].next
        if heads[place] == Self.none { occupied[place >> 6] &= ~(1 << UInt64(place & 63)) }
        count -= 1
        return device
    }

    private mutating func hang(_ device: Int32) {
        let time = nodes[Int(device)].time
        let difference = UInt64(bitPattern: time ^ now)
        let ring = (63 - (difference | 1).leadingZeroBitCount) >> 3
        precondition(ring < Self.rings, "a time is too far ahead")
        let place = Int(time >> Int64(ring * 8)) & 255
        nodes[Int(device)].next = heads[ring << 8 | place]
        heads[ring << 8 | place] = device
        occupied[ring << 2 | place >> 6] |= 1 << UInt64(place & 63)
    }

    /// The next place in use of a ring, at or after the present one.
    private func firstPlace(of ring: Int) -> Int? {
        let present = Int(now >> Int64(ring * 8)) & 255
        var word = present >> 6
        var bits = occupied[ring << 2 | word] & ~0 << UInt64(present & 63)
        while bits == 0 {
            word += 1
            if word == 4 { return nil }
            bits = occupied[ring << 2 | word]
        }
        return word << 6 | bits.trailingZeroBitCount
    }

    /// Moves what hangs in a place of an outer ring inwards; the present moves to the beginning of that place.
    private mutating func cascade(ring: Int, place: Int) {
        let shift = Int64(ring * 8)
        now = (now >> (shift + 8)) << (shift + 8) | Int64(place) << shift
        var device = heads[ring << 8 | place]
        heads[ring << 8 | place] = Self.none
        occupied[ring << 2 | place >> 6] &= ~(1 << UInt64(place & 63))
        while device != Self.none {
            let next = nodes[Int(device)].next
            hang(device)
            device = next
        }
    }
}
