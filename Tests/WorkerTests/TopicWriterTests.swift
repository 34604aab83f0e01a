import Metering
import Settings
import Testing

@testable import Worker

@Suite struct TopicWriterTests {
    /// Nothing that is sent to a missing topic is ever acknowledged: that is said at once, not after a wait.
    @Test func aMissingTopicIsSaidAtOnce() throws {
        let metrics = Metrics()
        let log = Log(level: .error, lost: metrics.counter(\.logLinesLost))
        let cluster = try EmbeddedCluster(metrics: metrics, log: log)
        try cluster.createTopic("there", partitions: 1)
        let settings = try Settings(["kafka.bootstrap.servers": cluster.bootstrapServers])
        let start = ContinuousClock.now
        do throws(WorkerFailure) {
            _ = try TopicWriter(settings, topic: "tehre", metrics: metrics, log: log)
            Issue.record("a missing topic was taken")
        } catch {
            #expect(error.kind == .configuration)
            #expect(error.description == "the topic tehre is missing: create it, or correct its name")
        }
        #expect(ContinuousClock.now - start < .seconds(8))
        _ = try TopicWriter(settings, topic: "there", metrics: metrics, log: log)
    }
}
