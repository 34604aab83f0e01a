import Aggregating
import Engine
import Kafka
import Metering
import Testing

@testable import Worker

@Suite struct EventTallyTests {
    @Test func aMinuteOfBadEventsIsBadUntilAGoodOne() {
        let tally = EventTally()
        #expect(!tally.isBad(ratio: 0.5, now: 1_000_000))
        tally.add(events: 100, unreadable: 51)
        #expect(!tally.isBad(ratio: 0.5, now: 1_059_999))
        #expect(tally.isBad(ratio: 0.5, now: 1_060_000))
        tally.add(events: 100, unreadable: 50)
        #expect(tally.isBad(ratio: 0.5, now: 1_119_999))
        #expect(!tally.isBad(ratio: 0.5, now: 1_120_000))
        #expect(!tally.isBad(ratio: 0.5, now: 1_180_000))
    }

    /// Which of the packed events a worker folds is another matter: it may be none.
    @Test(arguments: [(good: 20, isBad: false), (good: 0, isBad: true)])
    func whoeverReadsTheRecordsCountsAllTheirEvents(good: Int, isBad: Bool) {
        let tally = EventTally()
        _ = tally.isBad(ratio: 0.5, now: 1_000_000)
        let figures = InputFigures(TopicPartition("in", 0), Metrics(), tally)
        let router = EventRouter(EngineSettings(), source: SourcePartition(topic: "in", partition: 0), partitions: 2)
        let event = "{\"device_id\":\"d\",\"app_id\":\"a\",\"event\":\"heartbeat\"}"
        for text in Array(repeating: event, count: good) + ["bad"] {
            _ = unsafe router.ingest(Array(text.utf8).span.bytes, key: nil, timestamp: 1000)
        }
        // Twice with one count: what is told again counts once.
        for _ in 0..<2 { figures.update(router.counts, packed: router.packed) }
        #expect(tally.isBad(ratio: 0.5, now: 1_060_000) == isBad)
    }
}
