internal import Kafka
package import Metering
package import Settings

/// Writes records to one topic, for simulated devices. One thread's.
package final class TopicWriter {
    private let producer: Producer
    private let topic: String
    private static let pause: Int32 = 100
    /// ms that the cluster has to say which topics it has.
    private static let limit: Int32 = 10_000

    /// - Parameter settings: `kafka.*` and `kafka.producer.*` are used.
    /// - Throws: where the cluster cannot be reached, or has no such topic: no record would ever be acknowledged.
    package init(_ settings: Settings, topic: String, metrics: Metrics, log: Log) throws(WorkerFailure) {
        self.topic = topic
        let options = WorkerOptions(settings)
        let observer = WorkerObserver(metrics, log)
        let topics: [TopicDescription]
        do {
            topics = try Admin(options.admin, observer: observer).topics(limit: Self.limit)
            producer = try Producer(options.producer, observer: observer)
        } catch {
            throw WorkerFailure(error)
        }
        guard topics.contains(where: { $0.name == topic }) else {
            throw WorkerFailure(.configuration, "the topic \(topic) is missing: create it, or correct its name")
        }
    }

    /// Takes one record, waiting while the client's queue is full.
    /// - Parameter timestamp: ms since the epoch; nil is now.
    package func write(key: RawSpan, value: RawSpan, timestamp: Int64? = nil) throws(WorkerFailure) {
        do throws(KafkaError) {
            while try producer.produce(topic: topic, key: key, value: value, timestamp: timestamp) == .queueFull {
                producer.poll(timeout: Self.pause)
            }
        } catch {
            throw WorkerFailure(error)
        }
    }

    /// Serves what has come back; call it now and then while writing.
    package func poll() {
        producer.poll()
    }

    /// Waits at most `limit` ms until all is acknowledged.
    /// - Returns: how many records were acknowledged since the last call.
    /// - Throws: where a record was refused, or the time is up.
    package func flush(limit: Int = 30_000) throws(WorkerFailure) -> Int {
        let isThrough = producer.flush(limit: Int32(clamping: limit))
        let count = producer.takeDeliveries()
        if let failure = count.firstFailure { throw WorkerFailure(failure) }
        if !isThrough {
            throw WorkerFailure(
                .unreachable, "write to \(topic): the cluster did not acknowledge in \(limit) ms; check that it runs")
        }
        return count.delivered
    }
}
