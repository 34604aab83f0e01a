import Lifecycle
import Settings
import Testing

@testable import Engine

/// Whatever comes in is folded, of another name, a duplicate, late or a dead letter: nothing else, and each but once.
@Suite struct SumTests {
    private static let start: Int64 = 1_767_225_600_000
    private static let day: Int64 = 86_400_000

    private func engine(_ values: [String: String] = [:]) throws -> PartitionEngine {
        PartitionEngine(EngineSettings(try Settings(values), replays: true))
    }

    private func event(_ name: String, after time: Int64, received: Int64? = nil) -> String {
        let told = received.map { ",\"rx_ts\":\(Self.start + $0)" } ?? ""
        return "{\"device_id\":\"d\",\"app_id\":\"a\",\"event\":\"\(name)\",\"ts\":\(Self.start + time)\(told)}"
    }

    private func ingest(_ text: String, into engine: PartitionEngine) {
        let bytes = ContiguousArray(text.utf8)
        _ = unsafe engine.ingest(bytes.span.bytes, key: nil, timestamp: Event.absent)
    }

    /// An unknown name whose windows are all final is late, and no known one less.
    @Test func anUnknownNameThatIsLateIsNoFoldedEvent() throws {
        let engine = try engine()
        ingest(event("didBecomeActive", after: 0, received: 100), into: engine)
        ingest(event("somethingElse", after: 2000, received: 46 * Self.day), into: engine)
        engine.finish()
        #expect(engine.counts.folded == 1)
        #expect(engine.counts.other == 0)
        #expect(engine.counts.late == 1)
        #expect(engine.counts.events == 2)
    }

    /// Without receive times an event itself moves the time that its device's state is over by.
    @Test func anEventThatEndsItsOwnStateIsFolded() throws {
        let engine = try engine(["state.ttl": "1h", "reorder.delay": "2s"])
        ingest(event("didBecomeActive", after: 0), into: engine)
        ingest(event("willResignActive", after: 2 * Self.day), into: engine)
        engine.finish()
        #expect(engine.held == 0)
        #expect(engine.counts.folded == 2)
        #expect(engine.devices == 1)
    }
}
