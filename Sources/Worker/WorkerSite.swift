package import Aggregating
package import Metering
internal import Serving
package import Settings
internal import Synchronization

/// The pages of one worker: live page, metrics, probes and newest windows, by `http.listen` and `http.token`.
package final class WorkerSite: Sendable {
    private let store: WindowStore
    private let server: Server
    private let host: String

    /// A worker and its pages, which tell of it.
    ///
    /// - Throws: as ``init(_:metrics:readiness:)``.
    package static func open(
        _ settings: Settings, metrics: Metrics, log: Log
    ) throws(WorkerFailure) -> (worker: Worker, site: WorkerSite) {
        let place = WorkerPlace()
        let site = try WorkerSite(settings, metrics: metrics) { place.readiness }
        let worker = Worker(settings, metrics: metrics, log: log) { rows in site.publish(rows) }
        place.fill(worker)
        return (worker, site)
    }

    /// Begins to serve.
    ///
    /// - Parameter readiness: asked at each `/readyz`; nil while the worker is not made yet. It must not wait.
    /// - Throws: where nobody may or can listen there; ``WorkerFailure/Kind/configuration``.
    init(
        _ settings: Settings, metrics: Metrics, readiness: @escaping @Sendable () -> Worker.Readiness?
    ) throws(WorkerFailure) {
        var options = ServerOptions()
        options.host = settings.httpListen.host
        options.port = settings.httpListen.port
        options.isLoopback = settings.httpListen.isLoopback
        options.token = settings.httpToken
        store = WindowStore(groupBy: settings.groupBy.map(\.rawValue))
        host = options.host.contains(":") ? "[\(options.host)]" : options.host
        do throws(ServingError) {
            server = try Server(options, store: store, metrics: metrics) {
                guard let state = readiness() else { return Serving.Readiness(isReady: false, reasons: ["starting"]) }
                return Serving.Readiness(isReady: state.isReady, reasons: state.isReady ? [] : [state.reason])
            }
        } catch {
            throw WorkerFailure(.configuration, error.description)
        }
    }

    /// Where the live page is.
    package var address: String { "http://\(host):\(server.port)/" }

    /// Takes in rows of the output; does not wait for readers.
    package func publish(_ rows: RecordBatch) {
        var records: [(key: [UInt8], value: [UInt8])] = []
        records.reserveCapacity(rows.count)
        for index in 0..<rows.count {
            rows.withRecord(index) { key, value in
                records.append((Self.bytes(key), Self.bytes(value)))
            }
        }
        store.put(records)
    }

    private static func bytes(_ span: RawSpan) -> [UInt8] {
        unsafe span.withUnsafeBytes { unsafe Array($0) }
    }

    /// The newest rows, one JSON object each, sorted by key; as many as are kept for readers.
    package var rows: [[UInt8]] { store.newest }

    package func stop() { server.stop() }
}

/// The worker, once it is made: its pages are there before it.
private final class WorkerPlace: Sendable {
    private let worker = Mutex<Worker?>(nil)

    var readiness: Worker.Readiness? { worker.withLock { $0 }?.readiness }

    func fill(_ made: Worker) { worker.withLock { $0 = made } }
}
