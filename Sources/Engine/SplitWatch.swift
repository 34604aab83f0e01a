import Aggregating
import Lifecycle
internal import Synchronization

/// Finds installations that come in two input partitions within an hour: the partitions of one process, or the files
/// of one `replay`, share it.
///
/// By receive time, exact to ``Sighting/span``; one installation counts once in an hour of the clock. What it misses:
/// partitions that another worker reads, what came before a restart, and what more than some ``limit`` installations
/// and hours have pushed out.
package final class SplitWatch: Sendable {
    /// Installations and hours that are remembered at most, 16 bytes each.
    package static let limit = SightingTable.ways << bucketBits
    private static let bucketBits = 17

    private struct State: ~Copyable {
        var table = SightingTable(bucketBits: SplitWatch.bucketBits)
        var sources: [SourcePartition: UInt32] = [:]
        var found = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// How many were found so far.
    package var found: Int { state.withLock { $0.found } }
    /// Installations and hours that are remembered.
    package var count: Int { state.withLock { $0.table.count } }

    /// Takes in what one partition has seen, and gives what of it another one has seen within an hour.
    func look(_ sightings: Span<Sighting>, of source: SourcePartition) -> [Sighting] {
        state.withLock { state in
            for index in sightings.indices { state.table.prefetch(sightings[index].installation) }
            let number = state.sources[source] ?? UInt32(state.sources.count)
            state.sources[source] = number
            var split: [Sighting] = []
            for index in sightings.indices {
                let sighting = sightings[index]
                if state.table.note(sighting.installation, received: sighting.received, source: number) {
                    split.append(sighting)
                }
            }
            state.found += split.count
            return split
        }
    }
}
