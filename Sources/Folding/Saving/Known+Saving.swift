import Lifecycle

/// Events seen before: a state that is told again tells only those that are new.
extension KnownEvents {
    var hasIDs: Bool { !ids.isEmpty }
    var hasContents: Bool { !contents.isEmpty }

    mutating func noteSaved() { (newIDs, newContents) = (0, 0) }

    func saveIDs(isWhole: Bool, to writer: inout StateWriter) {
        let count = isWhole ? ids.count : min(newIDs, ids.count)
        writer[.cold].append(UInt64(count) << 1 | (count == ids.count ? 1 : 0))
        for age in (0..<count).reversed() {
            let known = ids[Ring.place(age: age, next: nextID, count: ids.count)]
            writer[.ids].append(fixed: known.id)
            writer[.known].append(signed: writer.lastReceived &- known.received)
        }
    }

    func saveContents(isWhole: Bool, to writer: inout StateWriter) {
        let count = isWhole ? contents.count : min(newContents, contents.count)
        writer[.cold].append(UInt64(count) << 1 | (count == contents.count ? 1 : 0))
        for age in (0..<count).reversed() {
            writer[.ids].append(fixed: contents[Ring.place(age: age, next: nextContent, count: contents.count)])
        }
    }

    mutating func loadIDs(_ reader: inout StateReader, in memory: SlabMemory) throws(UnreadableBytes) {
        let count = try reader[.cold].number()
        if count & 1 == 1 {
            ids.removeAll()
            nextID = 0
        }
        guard count >> 1 <= UInt64(Self.idLimit) else { throw UnreadableBytes() }
        for _ in 0..<(count >> 1) {
            let id = try reader[.ids].fixed64()
            remember(id: id, received: reader.lastReceived &- (try reader[.known].signed()), in: memory)
        }
        newIDs = 0
    }

    mutating func loadContents(_ reader: inout StateReader, in memory: SlabMemory) throws(UnreadableBytes) {
        let count = try reader[.cold].number()
        if count & 1 == 1 {
            contents.removeAll()
            nextContent = 0
        }
        guard count >> 1 <= UInt64(Self.contentLimit) else { throw UnreadableBytes() }
        for _ in 0..<(count >> 1) {
            remember(content: try reader[.ids].fixed64(), in: memory)
        }
        newContents = 0
    }
}

/// Where the entries of a ring stand.
private enum Ring {
    /// - Parameters:
    ///   - age: 0 for the youngest.
    ///   - next: where the next is written once the ring is full; 0 until then.
    static func place(age: Int, next: Int, count: Int) -> Int { (next + count - 1 - age) % count }
}

/// The clock of a device: of its readings a state that is told again tells only those that are new.
extension DeviceClock {
    private enum Part {
        static let setting: UInt64 = 1 << 0
        static let provisional: UInt64 = 1 << 1
        static let nextID: UInt64 = 1 << 2
        static let outlier: UInt64 = 1 << 3
        static let earlier: UInt64 = 1 << 4
        static let dismissed: UInt64 = 1 << 5
        static let all: UInt64 = (1 << 6) - 1
    }

    /// No upload has shown anything.
    var isNew: Bool { sentTimes.isEmpty && differences.isEmpty && setting == 0 }

    /// A reading came since it was told last, or all were set aside.
    var hasNews: Bool { newSent > 0 || newDifferences > 0 }

    mutating func noteSaved() { (newSent, newDifferences) = (0, 0) }

    private var parts: UInt64 {
        var parts: UInt64 = 0
        if setting != 0 { parts |= Part.setting }
        if provisional != nil { parts |= Part.provisional }
        if nextID != 1 { parts |= Part.nextID }
        if outlier != nil { parts |= Part.outlier }
        if !earlier.isEmpty { parts |= Part.earlier }
        if !dismissed.isEmpty { parts |= Part.dismissed }
        return parts
    }

    func save(isWhole: Bool, to writer: inout StateWriter) {
        let parts = parts
        writer[.cold].append(parts)
        if setting != 0 { writer[.clock].append(UInt64(setting)) }
        if let provisional { writer[.clock].append(UInt64(provisional)) }
        if nextID != 1 { writer[.clock].append(UInt64(nextID)) }
        if let outlier { writer[.clock].append(signed: outlier) }
        if parts & Part.earlier != 0 {
            writer[.clock].append(UInt64(earlier.count))
            earlier.forEach { one in
                writer[.clock].append(UInt64(one.id))
                writer[.clock].append(signed: one.offset)
            }
        }
        if parts & Part.dismissed != 0 {
            writer[.clock].append(UInt64(dismissed.count))
            dismissed.forEach { one in
                writer[.clock].append(UInt64(one.id))
                writer[.clock].append(UInt64(one.setting))
            }
        }
        let sent = isWhole ? sentTimes.count : min(newSent, sentTimes.count)
        writer[.cold].append(UInt64(sent) << 1 | (sent == sentTimes.count ? 1 : 0))
        for index in sentTimes.indices.suffix(sent) {
            writer[.clock].append(signed: writer.lastReceived &- sentTimes[index])
        }
        // Mostly what the last upload showed.
        let shown = writer.lastReceived &- (sentTimes.last ?? 0)
        let told = isWhole ? differences.count : min(newDifferences, differences.count)
        writer[.cold].append(UInt64(told) << 1 | (told == differences.count ? 1 : 0))
        for index in differences.indices.suffix(told) {
            writer[.clock].append(signed: differences[index] &- shown)
        }
    }

    mutating func load(_ reader: inout StateReader, in memory: SlabMemory) throws(UnreadableBytes) {
        let parts = try reader[.cold].number()
        guard parts & ~Part.all == 0 else { throw UnreadableBytes() }
        setting = parts & Part.setting != 0 ? try reader[.clock].small(UInt32.self) : 0
        provisional = parts & Part.provisional != 0 ? try reader[.clock].small(UInt32.self) : nil
        nextID = parts & Part.nextID != 0 ? try reader[.clock].small(UInt32.self) : 1
        outlier = parts & Part.outlier != 0 ? try reader[.clock].signed() : nil
        earlier.removeAll()
        dismissed.removeAll()
        if parts & Part.earlier != 0 {
            for _ in 0..<(try reader.length(.clock)) {
                let id = try reader[.clock].small(UInt32.self)
                earlier.append(Earlier(id: id, offset: try reader[.clock].signed()), in: memory)
            }
        }
        if parts & Part.dismissed != 0 {
            for _ in 0..<(try reader.length(.clock)) {
                let id = try reader[.clock].small(UInt32.self)
                dismissed.append(Dismissed(id: id, setting: try reader[.clock].small(UInt32.self)), in: memory)
            }
        }
        try loadReadings(&reader, in: memory)
        noteSaved()
    }

    private mutating func loadReadings(
        _ reader: inout StateReader, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        let sent = try reader[.cold].number()
        guard sent >> 1 <= UInt64(Self.kept) else { throw UnreadableBytes() }
        if sent & 1 == 1 { sentTimes.removeAll() }
        for _ in 0..<(sent >> 1) {
            remember(sent: reader.lastReceived &- (try reader[.clock].signed()), in: memory)
        }
        let shown = reader.lastReceived &- (sentTimes.last ?? 0)
        let told = try reader[.cold].number()
        guard told >> 1 <= UInt64(Self.kept) else { throw UnreadableBytes() }
        if told & 1 == 1 { differences.removeAll() }
        for _ in 0..<(told >> 1) { remember(difference: shown &+ (try reader[.clock].signed()), in: memory) }
        offset = smallestDifference
    }
}
