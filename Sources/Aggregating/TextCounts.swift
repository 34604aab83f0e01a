import Lifecycle

/// Count and sum under text ids, while one task gathers them: the rule of ``NamedCounts``, without its texts.
struct TextCounts: Sendable {
    struct Entry: BitwiseCopyable, Sendable {
        var text: UInt32
        var count: Int64
        var sum: Int64
    }

    /// In order of arrival, ``TextTable/other`` among them.
    private(set) var entries: ContiguousArray<Entry> = []

    var isEmpty: Bool { entries.isEmpty }

    @inline(__always)
    mutating func add(_ text: UInt32, sum: Int64, texts: borrowing TextTable) {
        for place in 0..<entries.count where entries[place].text == text {
            entries[place].count &+= 1
            entries[place].sum = entries[place].sum.addingUpToLimit(sum)
            return
        }
        take(Entry(text: text, count: 1, sum: sum), texts: texts)
    }

    @inline(never)
    private mutating func take(_ entry: Entry, texts: borrowing TextTable) {
        let names = entries.count - (entries.contains { $0.text == TextTable.other } ? 1 : 0)
        guard names >= AggregateSettings.reasonLimit, entry.text != TextTable.other else {
            entries.append(entry)
            return
        }
        var largest = -1
        var largestName = texts.bytes(of: entry.text)
        for (place, candidate) in entries.enumerated() where candidate.text != TextTable.other {
            let name = texts.bytes(of: candidate.text)
            if largestName.precedes(name) {
                largest = place
                largestName = name
            }
        }
        if largest < 0 {
            fold(entry)
        } else {
            let evicted = entries[largest]
            entries[largest] = entry
            fold(evicted)
        }
    }

    private mutating func fold(_ entry: Entry) {
        if let place = entries.firstIndex(where: { $0.text == TextTable.other }) {
            entries[place].count &+= entry.count
            entries[place].sum = entries[place].sum.addingUpToLimit(entry.sum)
        } else {
            entries.append(Entry(text: TextTable.other, count: entry.count, sum: entry.sum))
        }
    }

    /// The counts under their names.
    func named(_ texts: borrowing TextTable) -> NamedCounts {
        var named = NamedCounts()
        for entry in entries { named.add(texts.bytes(of: entry.text), count: entry.count, sum: entry.sum) }
        return named
    }
}
