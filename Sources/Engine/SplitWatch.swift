import Aggregating
import Lifecycle
internal import Synchronization

/// Finds installations that come in two input partitions within an hour: the partitions of one process, or the files
/// of one `replay`, share it.
///
/// By receive time, exact to ``Sighting/span``; one installation counts once in an hour of the clock. What it misses:
/// partitions that another worker reads, what came before a restart, and what more than ``limit`` installations and
/// hours have pushed out.
package final class SplitWatch: Sendable {
    /// Installations and hours that are remembered at least; at most twice as many are, of about 70 bytes each.
    package static let limit = 1 << 19
    private static let hour: Int64 = 3_600_000

    private struct Key: Hashable {
        var installation: UInt64
        var hour: Int64
    }

    /// When one partition told of an installation within one hour of the clock.
    private struct Entry {
        var source: UInt32
        var first: Int64
        var last: Int64
        var isCounted = false

        /// ms between a time and the nearest of these.
        func distance(to time: Int64) -> Int64 { max(0, first - time, time - last) }
    }

    private struct State {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
        var sources: [SourcePartition: UInt32] = [:]
        var found = 0

        subscript(key: Key) -> Entry? { young[key] ?? old[key] }

        mutating func set(_ key: Key, _ entry: Entry) {
            if young.count >= SplitWatch.limit, young[key] == nil {
                old = young
                young = [:]
            }
            young[key] = entry
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// How many were found so far.
    package var found: Int { state.withLock { $0.found } }
    /// Installations and hours that are remembered.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Takes in what one partition has seen, and gives what of it another one has seen within an hour.
    func look(_ sightings: Span<Sighting>, of source: SourcePartition) -> [Sighting] {
        state.withLock { state in
            var split: [Sighting] = []
            let number = state.sources[source] ?? UInt32(state.sources.count)
            state.sources[source] = number
            for index in sightings.indices where Self.isSplit(sightings[index], number, &state) {
                split.append(sightings[index])
            }
            state.found += split.count
            return split
        }
    }

    private static func isSplit(_ sighting: Sighting, _ source: UInt32, _ state: inout State) -> Bool {
        let (time, hour) = (sighting.received, sighting.received.flooredDivision(by: Self.hour))
        let key = Key(installation: sighting.installation, hour: hour)
        let near = (hour - 1...hour + 1).contains { other in
            guard let entry = state[Key(installation: sighting.installation, hour: other)] else { return false }
            return entry.source != source && entry.distance(to: time) <= Self.hour
        }
        var entry = state[key] ?? Entry(source: source, first: time, last: time)
        let isNew = near && !entry.isCounted
        if isNew { entry.isCounted = true }
        if entry.source == source {
            entry.first = min(entry.first, time)
            entry.last = max(entry.last, time)
        }
        state.set(key, entry)
        return isNew
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
