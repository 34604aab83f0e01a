/// Count and sum under names that sources chose: at most 32 names, the rest summed under `__other__`.
///
/// Of all names ever added the 32 smallest are kept, in the order of their bytes. That depends on the set of names
/// alone, and merging partials loses nothing: a name among the 32 smallest of all is among the 32 smallest of every
/// part that has it, so no part has folded any of it away; and a name that one part folded is not among the 32
/// smallest of all, so that the merge folds what other parts still have of it. Hence any order of adding and merging
/// ends with the same.
package struct NamedCounts: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// UTF-8
        package var name: ContiguousArray<UInt8>
        package var count: Int64
        package var sum: Int64
    }

    /// Sorted by name, `__other__` at its place among them.
    package private(set) var entries: ContiguousArray<Entry> = []

    /// UTF-8 of `__other__`.
    static let other = ContiguousArray("__other__".utf8)

    package init() {}

    package mutating func add(_ name: ContiguousArray<UInt8>, count: Int64, sum: Int64) {
        put(name, count: count, sum: sum)
        while let last = overflowing { fold(at: last) }
    }

    mutating func merge(_ other: borrowing NamedCounts) {
        for entry in other.entries { add(entry.name, count: entry.count, sum: entry.sum) }
    }

    /// The largest name where there is one too many.
    private var overflowing: Int? {
        let limit = AggregateSettings.reasonLimit
        guard entries.count > limit else { return nil }
        let hasOther = entries.contains { $0.name == Self.other }
        guard entries.count > (hasOther ? limit + 1 : limit) else { return nil }
        return entries.lastIndex { $0.name != Self.other }
    }

    private mutating func fold(at place: Int) {
        let entry = entries.remove(at: place)
        put(Self.other, count: entry.count, sum: entry.sum)
    }

    private mutating func put(_ name: ContiguousArray<UInt8>, count: Int64, sum: Int64) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name.precedes(name) { low = middle + 1 } else { high = middle }
        }
        if low < entries.count, entries[low].name == name {
            entries[low].count = entries[low].count.addingUpToLimit(count)
            entries[low].sum = entries[low].sum.addingUpToLimit(sum)
        } else {
            entries.insert(Entry(name: name, count: count, sum: sum), at: low)
        }
    }
}
