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
}
