import Testing

@testable import Serving

@Suite struct WindowStoreTests {
    private static func key(_ minute: Int, _ app: String) -> String {
        "2026-01-01T00:\(minute < 10 ? "0" : "")\(minute):00Z/1m/\(app)"
    }

    @Test func theOldestGoWhenThereAreTooMany() {
        let store = WindowStore(groupBy: ["app_id"], mostRecords: 8)
        for minute in 0..<40 { store.put([ServerTests.record(Self.key(minute, "a"), minute)]) }
        let records = store.current.records
        #expect((8...10).contains(records.count))
        #expect(records.last?.key == Self.key(39, "a"))
        #expect(records.first.map { $0.key >= Self.key(30, "a") } == true)
    }

    @Test func bytesAreBoundedToo() {
        let store = WindowStore(groupBy: ["app_id"], mostBytes: 1000)
        for minute in 0..<40 {
            store.put([(Array(Self.key(minute, "a").utf8), [UInt8](repeating: 32, count: 300))])
        }
        #expect(store.current.records.reduce(0) { $0 + $1.value.count } <= 1250)
        #expect(store.current.records.last?.key == Self.key(39, "a"))
    }

    @Test func aSnapshotStaysAsItWas() {
        let store = WindowStore(groupBy: ["platform", "app_id"])
        store.put([ServerTests.record("2026-01-01T00:00:00Z/1m/ios/a", 1)])
        let snapshot = store.current
        store.put([ServerTests.record("2026-01-01T00:00:00Z/1m/ios/a", 2)])
        #expect(snapshot.records.map(\.value) == [Array("{\"n\":1}".utf8)])
        #expect(store.current.records.map(\.version) == [2])
        #expect(store.app(of: "2026-01-01T00:00:00Z/1m/ios/a") == "a")
        #expect(WindowStore(groupBy: ["platform"]).app(of: "2026-01-01T00:00:00Z/1m/ios") == nil)
    }
}
