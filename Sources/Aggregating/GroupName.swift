import Lifecycle

/// The dimensions of a group as texts: all five, those not grouped by empty.
struct GroupName: Hashable, Sendable {
    /// UTF-8, in the order of ``Dimension/allCases``.
    let texts: ContiguousArray<ContiguousArray<UInt8>>

    /// The texts of a group of one task.
    init(_ dimensions: Dimensions, groupBy: [Dimension], texts table: borrowing TextTable) {
        var texts = ContiguousArray<ContiguousArray<UInt8>>()
        texts.reserveCapacity(Dimension.allCases.count)
        for dimension in Dimension.allCases {
            texts.append(groupBy.contains(dimension) ? table.bytes(of: dimensions[dimension]) : [])
        }
        self.texts = texts
    }

    /// The group that the groups of an app fold into; of the dimensions grouped by.
    init(otherOf group: GroupName, groupBy: [Dimension]) {
        texts = ContiguousArray(
            Dimension.allCases.map { dimension in
                guard dimension != .app else { return group[.app] }
                return groupBy.contains(dimension) ? NamedCounts.other : []
            })
    }

    /// Reads the packed form; what is not grouped by any more is left out.
    init(_ reader: inout ByteReader, _ bytes: borrowing RawSpan, groupBy: [Dimension]) throws(PackedError) {
        var texts = ContiguousArray<ContiguousArray<UInt8>>()
        for dimension in Dimension.allCases {
            let text = try reader.text(bytes)
            texts.append(groupBy.contains(dimension) ? text : [])
        }
        self.texts = texts
    }

    /// Whether it is the group that others of its app fold into.
    func isOther(groupBy: [Dimension]) -> Bool {
        groupBy.allSatisfy { $0 == .app || self[$0] == NamedCounts.other }
    }

    subscript(dimension: Dimension) -> ContiguousArray<UInt8> {
        switch dimension {
        case .app: texts[0]
        case .platform: texts[1]
        case .appVersion: texts[2]
        case .osVersion: texts[3]
        case .deviceModel: texts[4]
        }
    }
}

extension ContiguousArray<UInt8> {
    /// A record's key: `start/size/dimensions joined by '/'`, with '/' in a dimension as %2F and '%' as %25.
    mutating func append(keyOf window: Window, group: GroupName, groupBy: [Dimension]) {
        append(date: window.start)
        append(UInt8(ascii: "/"))
        append(windowSize: window.size)
        for dimension in groupBy {
            append(UInt8(ascii: "/"))
            for byte in group[dimension] {
                switch byte {
                case UInt8(ascii: "/"): append(ascii: "%2F")
                case UInt8(ascii: "%"): append(ascii: "%25")
                default: append(byte)
                }
            }
        }
    }
}

extension Window {
    /// ``RecordBatch/Record/route``
    func route(app: ContiguousArray<UInt8>) -> UInt64 {
        let place = StableHash.combine(UInt64(bitPattern: start), UInt64(bitPattern: size))
        return StableHash.combine(place, unsafe StableHash.hash(app.span.bytes))
    }
}
