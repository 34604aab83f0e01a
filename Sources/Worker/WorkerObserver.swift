internal import Kafka
internal import Metering
internal import Synchronization

/// Brings what clients tell into the log and the metrics.
final class WorkerObserver: ClientObserver {
    private let metrics: Metrics
    private let log: Log
    private let lastFailure = Mutex<KafkaError?>(nil)

    init(_ metrics: Metrics, _ log: Log) {
        self.metrics = metrics
        self.log = log
    }

    /// What kept the clients from the cluster last, which says more than the call that waited for it.
    var refusal: KafkaError? {
        lastFailure.withLock { error in
            guard let error, [.authentication, .authorization].contains(error.domain) else { return nil }
            return error
        }
    }

    func log(_ line: ClientLogLine) {
        let level: LogLevel =
            switch line.level {
            case ...3: .warning
            case 4...5: .info
            default: .debug
            }
        log.write(level, "librdkafka", line.text, ["facility": .text(line.facility)])
    }

    func statistics(_ statistics: ClientStatistics) {
        if statistics.kind == "consumer" {
            metrics.gauge(\.prefetchedRecords).set(statistics.prefetchedRecords)
            metrics.gauge(\.prefetchedBytes).set(statistics.prefetchedBytes)
        }
        metrics.gauge(\.roundTrip, statistics.kind).set(Double(statistics.roundTrip) / 1e6)
    }

    func failure(_ error: KafkaError) {
        lastFailure.withLock { $0 = error }
        metrics.counter(\.kafkaErrors, error.name).add()
        log.warning("kafka", error.text, ["code": .text(error.name), "remedy": .text(error.remedy)])
    }
}
