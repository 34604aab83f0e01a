import Lifecycle

/// Events seen before, by what a repetition of them would share.
struct KnownEvents: ~Copyable {
    struct Identified {
        var id: UInt64
        var received: Int64
    }

    var ids = Few<Identified>()
    var contents = Few<UInt64>()
    /// Where the next one is written once a ring is full.
    var nextID = 0
    var nextContent = 0
    /// Those that the checkpoint has not been told of: the youngest, or all.
    var newIDs = 0
    var newContents = 0

    static let idLimit = 64
    static let contentLimit = 16

    /// Whether the id was seen within `window` ms; remembers it if not.
    mutating func isKnown(id: UInt64, received: Int64, window: Int64, in memory: SlabMemory) -> Bool {
        if let index = ids.firstIndex(where: { $0.id == id }) {
            if received - ids[index].received <= window { return true }
            ids[index].received = received
            newIDs = Self.idLimit
            return false
        }
        remember(id: id, received: received, in: memory)
        return false
    }

    mutating func remember(id: UInt64, received: Int64, in memory: SlabMemory) {
        let entry = Identified(id: id, received: received)
        if ids.count < Self.idLimit {
            ids.append(entry, in: memory)
        } else {
            ids[nextID] = entry
            nextID = (nextID + 1) % Self.idLimit
        }
        newIDs += 1
    }

    /// Whether an event of the same content is among the last; remembers it if not.
    ///
    /// - Parameter resource: hash of the name of its resource, the same in every process.
    mutating func isKnown(content event: Event, resource: UInt64, in memory: SlabMemory) -> Bool {
        var hash = StableHash.combine(UInt64(event.edge.rawValue) << 8 | UInt64(event.scope.rawValue), event.instance)
        hash = StableHash.combine(hash, UInt64(bitPattern: event.time))
        hash = StableHash.combine(hash, event.session)
        hash = StableHash.combine(hash, event.className)
        hash = StableHash.combine(hash, resource)
        hash = StableHash.combine(hash, event.process)
        hash = StableHash.combine(hash, event.unknownName)
        if contents.contains(hash) { return true }
        remember(content: hash, in: memory)
        return false
    }

    mutating func remember(content hash: UInt64, in memory: SlabMemory) {
        if contents.count < Self.contentLimit {
            contents.append(hash, in: memory)
        } else {
            contents[nextContent] = hash
            nextContent = (nextContent + 1) % Self.contentLimit
        }
        newContents += 1
    }
}
