import Lifecycle

/// The texts and groups that a block names, whose ids in a lexicon mean nothing outside of its process, and the hashes
/// of names that many installations share.
struct NameWriter {
    private var texts = Numbered<UInt32>()
    private var groups = Numbered<UInt32>()
    private var hashes = Numbered<UInt64>()

    mutating func text(_ id: UInt32) -> UInt64 { texts.number(of: id) }
    mutating func group(_ id: UInt32) -> UInt64 { groups.number(of: id) }
    mutating func hash(_ hash: UInt64) -> UInt64 { hashes.number(of: hash) }

    func write(to body: inout ByteColumn, _ lexicon: borrowing Lexicon) {
        var all = self
        var dimensions = ByteColumn()
        for id in groups.inOrder {
            let group = lexicon.groups[id]
            for text in [group.app, group.platform, group.appVersion, group.osVersion, group.deviceModel] {
                dimensions.append(all.text(text))
            }
        }
        body.append(UInt64(all.texts.inOrder.count))
        for id in all.texts.inOrder { body.append(text: lexicon.texts.bytes(of: id)) }
        body.append(UInt64(groups.inOrder.count))
        body.append(dimensions)
        body.append(UInt64(hashes.inOrder.count))
        for hash in hashes.inOrder { body.append(fixed: hash) }
    }

    /// Numbers things in the order in which they come.
    private struct Numbered<Value: Hashable> {
        private var numbers: [Value: UInt64] = [:]
        private(set) var inOrder: ContiguousArray<Value> = []
        private var recent: (value: Value, number: UInt64)?

        mutating func number(of value: Value) -> UInt64 {
            if let recent, recent.value == value { return recent.number }
            let number = numbers[value] ?? UInt64(inOrder.count)
            if number == UInt64(inOrder.count) {
                numbers[value] = number
                inOrder.append(value)
            }
            recent = (value, number)
            return number
        }
    }
}

/// The ids that a block's names have in the reader's lexicon.
struct NameReader {
    private var texts: ContiguousArray<UInt32> = []
    private var groups: ContiguousArray<UInt32> = []
    private var hashes: ContiguousArray<UInt64> = []

    init(_ head: inout ColumnCursor, _ lexicon: inout Lexicon) throws(UnreadableBytes) {
        var count = try head.length()
        texts.reserveCapacity(count)
        for _ in 0..<count {
            let text = unsafe try head.text()
            texts.append(unsafe lexicon.texts.intern(RawSpan(_unsafeBytes: text)))
        }
        count = try head.length()
        groups.reserveCapacity(count)
        for _ in 0..<count {
            var dimensions = Dimensions()
            dimensions.app = try text(try head.number())
            dimensions.platform = try text(try head.number())
            dimensions.appVersion = try text(try head.number())
            dimensions.osVersion = try text(try head.number())
            dimensions.deviceModel = try text(try head.number())
            groups.append(lexicon.groups.intern(dimensions))
        }
        count = try head.length()
        hashes.reserveCapacity(count)
        for _ in 0..<count { hashes.append(try head.fixed64()) }
    }

    func text(_ number: UInt64) throws(UnreadableBytes) -> UInt32 {
        guard number < UInt64(texts.count) else { throw UnreadableBytes() }
        return texts[Int(number)]
    }

    func group(_ number: UInt64) throws(UnreadableBytes) -> UInt32 {
        guard number < UInt64(groups.count) else { throw UnreadableBytes() }
        return groups[Int(number)]
    }

    func hash(_ number: UInt64) throws(UnreadableBytes) -> UInt64 {
        guard number < UInt64(hashes.count) else { throw UnreadableBytes() }
        return hashes[Int(number)]
    }
}
