internal import Synchronization

/// The newest records of windows, for whoever asks: producers put records in, readers take what stands there without
/// holding a producer up.
///
/// Bounded in records and in bytes; where one more does not fit, those of the oldest windows go. Readers get a
/// snapshot that never changes.
package final class WindowStore: Sendable {
    /// One record as the output holds it.
    package struct Record: Sendable {
        /// `<window start>/<size>/<dimension values>`; sorts by time.
        package let key: String
        /// One JSON object.
        package let value: [UInt8]
        /// Number of the put that brought it; 1 is the first.
        package let version: UInt64
    }

    /// Records sorted by key, and the version after which they stand.
    struct Snapshot: Sendable {
        var records: [Record] = []
        var version: UInt64 = 0
    }

    private struct State {
        var byKey: [String: Record] = [:]
        var bytes = 0
        var version: UInt64 = 0
    }

    private let state = Mutex(State())
    private let snapshot = Mutex(Snapshot())
    private let mostRecords: Int
    private let mostBytes: Int
    /// Which of the dimension values in a key is the app; nil where none is.
    let appPlace: Int?

    /// - Parameters:
    ///   - groupBy: the dimensions in the order in which keys name them.
    ///   - mostRecords: how many records are held at most.
    ///   - mostBytes: how many bytes of values are held at most; a quarter more until the oldest go.
    package init(groupBy: [String], mostRecords: Int = 20_000, mostBytes: Int = 64 << 20) {
        precondition(mostRecords > 0 && mostBytes > 0, "a store holds something")
        appPlace = groupBy.firstIndex(of: "app_id")
        self.mostRecords = mostRecords
        self.mostBytes = mostBytes
    }

    /// Takes records in; one with a known key takes the place of the one before it.
    package func put(_ records: [(key: [UInt8], value: [UInt8])]) {
        guard !records.isEmpty else { return }
        state.withLock { state in
            state.version += 1
            for record in records {
                let key = String(decoding: record.key, as: UTF8.self)
                state.bytes += record.value.count - (state.byKey[key]?.value.count ?? 0)
                state.byKey[key] = Record(key: key, value: record.value, version: state.version)
            }
            if state.byKey.count > mostRecords + mostRecords / 4 || state.bytes > mostBytes + mostBytes / 4 {
                forgetOldest(of: &state)
            }
        }
    }

    private func forgetOldest(of state: inout State) {
        var sorted = state.byKey.values.sorted { $0.key < $1.key }[...]
        while let first = sorted.first, sorted.count > mostRecords || state.bytes > mostBytes {
            state.byKey[first.key] = nil
            state.bytes -= first.value.count
            sorted.removeFirst()
        }
    }

    /// What stands there now. Put in order by the first reader after a change, while producers go on.
    var current: Snapshot {
        let (records, version) = state.withLock { ($0.byKey, $0.version) }
        let known = snapshot.withLock { $0 }
        if known.version == version { return known }
        let next = Snapshot(records: records.values.sorted { $0.key < $1.key }, version: version)
        snapshot.withLock { if $0.version < version { $0 = next } }
        return next
    }

    /// The values of all records, sorted by key.
    package var newest: [[UInt8]] { current.records.map(\.value) }

    /// The app that a key names; nil where keys name none.
    func app(of key: String) -> Substring? {
        guard let appPlace else { return nil }
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        return appPlace + 2 < parts.count ? parts[appPlace + 2] : nil
    }
}
