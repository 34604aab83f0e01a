/// The dimensions that a source sends with each event, each as an id of one ``TextTable``.
///
/// A dimension that is not grouped by is ``TextTable/empty`` in every event.
@usableFromInline package struct Dimensions: Hashable, BitwiseCopyable, Sendable {
    @usableFromInline package var app: UInt32
    @usableFromInline package var platform: UInt32
    @usableFromInline package var appVersion: UInt32
    @usableFromInline package var osVersion: UInt32
    @usableFromInline package var deviceModel: UInt32

    @inlinable
    package init(
        app: UInt32 = 0, platform: UInt32 = 0, appVersion: UInt32 = 0, osVersion: UInt32 = 0, deviceModel: UInt32 = 0
    ) {
        self.app = app
        self.platform = platform
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.deviceModel = deviceModel
    }

    /// What all groups of one app fold into when there is no room for one more.
    package static func other(app: UInt32) -> Dimensions {
        Dimensions(
            app: app, platform: TextTable.other, appVersion: TextTable.other, osVersion: TextTable.other,
            deviceModel: TextTable.other)
    }

    @inlinable
    var hash: UInt64 {
        let first = UInt64(app) << 32 | UInt64(platform)
        let second = UInt64(appVersion) << 32 | UInt64(osVersion)
        return StableHash.combine(StableHash.combine(first, second), UInt64(deviceModel))
    }
}

/// Combinations of dimensions interned to dense 32-bit ids.
///
/// Bounded: past ``limit`` combinations a new one becomes that of its app with every other dimension `__other__`,
/// and, where even that is one too many, ``overflow``; ``refused`` counts both.
@usableFromInline package struct GroupTable {
    /// The id of the group whose every dimension is `__other__`.
    @inlinable package static var overflow: UInt32 { 0 }

    /// The most groups it holds (1 to 2³⁰), not counting those for overflow of a known app.
    @usableFromInline package let limit: Int
    package private(set) var refused = 0

    private var dimensions: [Dimensions] = []
    private var places: [UInt32] = Array(repeating: 0, count: 64)

    package init(limit: Int = 1 << 18) {
        precondition((1...(1 << 30)).contains(limit), "a group table holds 1 to 2³⁰ groups")
        self.limit = limit
        _ = intern(.other(app: TextTable.other))
    }

    package var count: Int { dimensions.count }

    /// The id of a combination, taken in if it is new.
    package mutating func intern(_ wanted: Dimensions) -> UInt32 {
        if let id = find(wanted) { return id }
        if dimensions.count <= limit { return take(wanted) }
        refused += 1
        let other = Dimensions.other(app: wanted.app)
        if let id = find(other) { return id }
        return dimensions.count <= 2 * limit ? take(other) : Self.overflow
    }

    /// The dimensions of an id that this table gave.
    package subscript(id: UInt32) -> Dimensions { dimensions[Int(id)] }

    private func find(_ wanted: Dimensions) -> UInt32? {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: wanted.hash) & mask
        while places[place] != 0 {
            if dimensions[Int(places[place] - 1)] == wanted { return places[place] - 1 }
            place = (place + 1) & mask
        }
        return nil
    }

    private mutating func take(_ wanted: Dimensions) -> UInt32 {
        let id = dimensions.count
        dimensions.append(wanted)
        if dimensions.count * 2 > places.count {
            places = Array(repeating: 0, count: places.count * 2)
            for id in dimensions.indices { place(id) }
        } else {
            place(id)
        }
        return UInt32(id)
    }

    private mutating func place(_ id: Int) {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: dimensions[id].hash) & mask
        while places[place] != 0 { place = (place + 1) & mask }
        places[place] = UInt32(id) + 1
    }
}

/// The texts and groups that one task has met: what the ids in its events, states and sums mean.
///
/// Owned by one task and touched on its queue alone.
@usableFromInline package struct Lexicon {
    @usableFromInline package var texts: TextTable
    @usableFromInline package var groups: GroupTable

    package init(textLimit: Int = 1 << 18, groupLimit: Int = 1 << 18) {
        texts = TextTable(limit: textLimit)
        groups = GroupTable(limit: groupLimit)
    }
}
