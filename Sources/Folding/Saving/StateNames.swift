import Lifecycle

/// The texts and groups that a block names: ids of a lexicon mean nothing outside of its process.
struct NameWriter {
    private var texts: [UInt32: UInt64] = [:]
    private var textsInOrder: ContiguousArray<UInt32> = []
    private var groups: [UInt32: UInt64] = [:]
    private var groupsInOrder: ContiguousArray<UInt32> = []

    mutating func text(_ id: UInt32) -> UInt64 {
        if let place = texts[id] { return place }
        let place = UInt64(textsInOrder.count)
        texts[id] = place
        textsInOrder.append(id)
        return place
    }

    mutating func group(_ id: UInt32) -> UInt64 {
        if let place = groups[id] { return place }
        let place = UInt64(groupsInOrder.count)
        groups[id] = place
        groupsInOrder.append(id)
        return place
    }

    func write(to body: inout ByteColumn, _ lexicon: borrowing Lexicon) {
        var all = self
        var dimensions = ByteColumn()
        for id in groupsInOrder {
            let group = lexicon.groups[id]
            for text in [group.app, group.platform, group.appVersion, group.osVersion, group.deviceModel] {
                dimensions.append(all.text(text))
            }
        }
        body.append(UInt64(all.textsInOrder.count))
        for id in all.textsInOrder { body.append(text: lexicon.texts.bytes(of: id)) }
        body.append(UInt64(groupsInOrder.count))
        body.append(dimensions)
    }
}

/// The ids that a block's names have in the reader's lexicon.
struct NameReader {
    private var texts: ContiguousArray<UInt32> = []
    private var groups: ContiguousArray<UInt32> = []

    init(_ reader: inout ByteColumnReader, _ lexicon: inout Lexicon) throws(UnreadableBytes) {
        for _ in 0..<(try reader.length()) {
            let text = try reader.text()
            texts.append(unsafe lexicon.texts.intern(text.span.bytes))
        }
        for _ in 0..<(try reader.length()) {
            var dimensions = Dimensions()
            dimensions.app = try text(try reader.number())
            dimensions.platform = try text(try reader.number())
            dimensions.appVersion = try text(try reader.number())
            dimensions.osVersion = try text(try reader.number())
            dimensions.deviceModel = try text(try reader.number())
            groups.append(lexicon.groups.intern(dimensions))
        }
    }

    func text(_ place: UInt64) throws(UnreadableBytes) -> UInt32 {
        guard place < UInt64(texts.count) else { throw UnreadableBytes() }
        return texts[Int(place)]
    }

    func group(_ place: UInt64) throws(UnreadableBytes) -> UInt32 {
        guard place < UInt64(groups.count) else { throw UnreadableBytes() }
        return groups[Int(place)]
    }
}
