/// Which cell holds a window and group: open addressing, at most half full, 24 bytes a place.
struct CellIndex {
    struct Place: BitwiseCopyable {
        var start: Int64
        /// The group, the size's number and whether the group is an app's `__other__`, as ``CellIndex/tag`` makes it.
        var tag: UInt64
        /// Cell + 1; 0 is a free place.
        var cell: Int
    }

    private var places: ContiguousArray<Place>
    private var count = 0
    private static let smallest = 256

    init() {
        places = Self.free(Self.smallest)
    }

    /// - Parameters:
    ///   - group: id of the group, or of the app whose groups fold into one.
    ///   - size: number of the window's size, below 256.
    @inline(__always)
    static func tag(group: UInt32, size: Int, isOther: Bool) -> UInt64 {
        UInt64(group) | UInt64(truncatingIfNeeded: size) << 32 | (isOther ? 1 << 40 : 0)
    }

    /// The cell, or −1.
    @inline(__always)
    func find(start: Int64, tag: UInt64) -> Int {
        var place = first(start, tag)
        while places[place].cell != 0 {
            if places[place].start == start, places[place].tag == tag { return places[place].cell - 1 }
            place = (place + 1) & (places.count - 1)
        }
        return -1
    }

    /// Takes in a cell that is not there yet.
    mutating func insert(_ cell: Int, start: Int64, tag: UInt64) {
        count += 1
        if count * 2 > places.count {
            let old = places
            places = Self.free(old.count * 2)
            for place in old where place.cell != 0 { put(place) }
        }
        put(Place(start: start, tag: tag, cell: cell + 1))
    }

    /// Frees every place; a table that was mostly empty gets smaller.
    mutating func removeAll() {
        let wanted = count * 8 < places.count ? max(Self.smallest, places.count / 2) : places.count
        if wanted < places.count {
            places = Self.free(wanted)
        } else {
            for place in 0..<places.count { places[place].cell = 0 }
        }
        count = 0
    }

    private mutating func put(_ new: Place) {
        var place = first(new.start, new.tag)
        while places[place].cell != 0 { place = (place + 1) & (places.count - 1) }
        places[place] = new
    }

    @inline(__always)
    private func first(_ start: Int64, _ tag: UInt64) -> Int {
        let mixed = (UInt64(bitPattern: start) &+ tag &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed ^ mixed >> 32) & (places.count - 1)
    }

    private static func free(_ count: Int) -> ContiguousArray<Place> {
        ContiguousArray(repeating: Place(start: 0, tag: 0, cell: 0), count: count)
    }
}
