internal import Kafka
package import Metering

/// A Kafka cluster of one broker within the process, for the demo: records are in memory, gone with it.
///
/// It answers transactions without doing them, so that a worker on it delivers at least once.
///
/// A partition keeps ``partitionLimit`` bytes; older records are dropped, read or not: whoever writes to it keeps
/// the worker's lag below that. The counter `phasefold_records_lost_total` tells whether one was lost.
package final class EmbeddedCluster: Sendable {
    private let cluster: MockCluster

    /// Bytes that a partition keeps.
    package static let partitionLimit = MockCluster.partitionLimit

    package init(metrics: Metrics, log: Log) throws(WorkerFailure) {
        do {
            cluster = try MockCluster(observer: WorkerObserver(metrics, log))
        } catch {
            throw WorkerFailure(error)
        }
    }

    /// For `kafka.bootstrap.servers`.
    package var bootstrapServers: String { cluster.bootstrapServers }

    /// It knows no administration requests: topics, the worker's own included, are made here.
    package func createTopic(_ name: String, partitions: Int) throws(WorkerFailure) {
        do {
            try cluster.createTopic(name, partitions: partitions)
        } catch {
            throw WorkerFailure(error)
        }
    }
}
