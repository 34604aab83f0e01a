import Kafka
import Metering
import Testing

@testable import Worker

@Suite struct ReadingPaceTests {
    /// The first line counts what was read since the start, each one after it what came since; a partition that was
    /// away counts once.
    @Test func everyRecordCountsInOneLine() {
        let (metrics, first, second) = (Metrics(), TopicPartition("in", 0), TopicPartition("in", 1))
        func at(_ seconds: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
        let pace = ReadingPace(at(100))
        metrics.counter(\.recordsIn, first.label).add(3000)
        #expect(pace.take([first], metrics, now: at(130)) == 100)
        #expect(pace.take([first], metrics, now: at(160)) == 0)
        metrics.counter(\.recordsIn, first.label).add(300)
        metrics.counter(\.recordsIn, second.label).add(600)
        #expect(pace.take([first, second], metrics, now: at(190)) == 30)
        #expect(pace.take([], metrics, now: at(220)) == 0)
        #expect(pace.take([first, second], metrics, now: at(250)) == 0)
        #expect(pace.lastLine == at(250))
    }
}
