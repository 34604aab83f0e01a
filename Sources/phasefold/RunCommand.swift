internal import Dispatch
internal import Glibc
internal import Metering
internal import Settings
internal import Worker

/// `run`: the stream worker, until SIGTERM or SIGINT.
enum RunCommand {
    static let helpConfig = CommandOption("help-config", nil, "Shows every key of the configuration.")

    static let command = Command(
        name: "run", operands: "",
        summary: "Folds the events of a Kafka topic into windows, until it is stopped.",
        details: """
            Joins the consumer group application.id, folds the partitions that it is given and writes the figures \
            to output.topic. Any number of workers share the partitions. SIGTERM and SIGINT commit, leave and end \
            with 0.
            Needs application.id, input.topic, output.topic and kafka.bootstrap.servers.
            """,
        options: [.config, .set, helpConfig], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        try invocation.refuseOperands()
        if invocation.has(helpConfig) { return try Output.print(Reference.page()) }
        let settings = try invocation.settings(required: Command.workerKeys)
        try settings.demandKafkaKeys()
        let metrics = Metrics()
        let log = Log(settings, metrics)
        let site: WorkerSite
        let worker: Worker
        do throws(WorkerFailure) {
            (worker, site) = try WorkerSite.open(settings, metrics: metrics, log: log)
        } catch {
            throw CommandError(error)
        }
        log.info("http", "the live page is up", ["address": .text(site.address)])
        let signals = StopSignals(worker, limit: settings.shutdownTimeout, log: log)
        defer {
            signals.cancel()
            site.stop()
            log.flush()
        }
        DispatchQueue.global().async { tellUnsuitableTopics(settings, log) }
        do throws(WorkerFailure) {
            try worker.run()
            return .done
        } catch {
            throw CommandError(error)
        }
    }
}

extension RunCommand {
    /// Topics that are otherwise than a worker needs them keep it from nothing at the start: each is said once.
    private static func tellUnsuitableTopics(_ settings: Settings, _ log: Log) {
        // A broker that does not answer is the worker's to tell.
        let findings = (try? TopicKeeper(settings).check()) ?? []
        for finding in findings where finding.kind == .unsuitable { log.warning("topics", finding.description) }
    }
}

extension Settings {
    /// - Throws: all that librdkafka would refuse of `kafka.*`, of whatever client, before any is made.
    func demandKafkaKeys() throws(CommandError) {
        let problems = KafkaKeys.problems(self)
        if !problems.isEmpty { throw CommandError(.configuration, lines: problems.map(\.description)) }
    }
}

extension Log {
    /// The log of a command: `log.level` and `log.format`, to standard error.
    convenience init(_ settings: Settings, _ metrics: Metrics) {
        self.init(
            level: LogLevel(rawValue: settings.logLevel.rawValue) ?? .info,
            format: LogFormat(rawValue: settings.logFormat.rawValue) ?? .text,
            lost: metrics.counter(\.logLinesLost))
    }
}

extension CommandError {
    init(_ failure: WorkerFailure) {
        let status: ExitStatus =
            switch failure.kind {
            case .unreachable: .unavailable
            case .configuration: .configuration
            case .other: .fault
            }
        self.init(status, failure.description)
    }
}

/// Stops a worker at SIGTERM or SIGINT, and ends the process where that takes longer than it may: what was not
/// committed is read again.
private final class StopSignals {
    private var sources: [any DispatchSourceSignal] = []

    /// - Parameter limit: ms from the signal to the end of the process.
    init(_ worker: Worker, limit: Int64, log: Log) {
        let queue = DispatchQueue(label: "phasefold.signals")
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                log.info("worker", "stopping")
                worker.stop()
                queue.asyncAfter(deadline: .now() + .milliseconds(Int(limit))) {
                    log.warning("worker", "stopped without the last commit: its records are read again")
                    log.flush()
                    exit(ExitStatus.done.rawValue)
                }
            }
            source.activate()
            sources.append(source)
        }
    }

    func cancel() {
        sources.forEach { $0.cancel() }
    }
}
