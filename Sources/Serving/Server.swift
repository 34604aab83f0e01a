internal import CMicroHTTPD
internal import Glibc
package import Metering

/// Where and for whom a ``Server`` listens.
package struct ServerOptions: Sendable {
    /// A name or an address; an IPv6 address without brackets.
    package var host = "127.0.0.1"
    /// 0: any free one.
    package var port: UInt16 = 8088
    /// Only programs of the same machine reach ``host``.
    package var isLoopback = true
    /// Guards all but `/healthz` and `/readyz`; needed beyond loopback.
    package var token: String?
    /// Connections beyond so many are closed at once.
    package var mostConnections = 64
    /// Seconds without progress after which a connection is closed.
    package var timeout = 10

    package init() {}
}

/// Serves the live page, metrics, probes and windows over HTTP, with one thread of its own.
///
/// Bounded: connections, the time that one may stand still, the memory of each (32 KiB and one answer). Whoever reads
/// slowly holds up nobody. It serves until ``stop()`` or its end.
package final class Server: Sendable {
    /// The port that it listens on.
    package let port: UInt16
    private let daemon: Daemon
    private let handler: Handler

    /// Begins to serve.
    ///
    /// - Parameter readiness: asked at each `/readyz`, on the server's thread; it must not wait.
    /// - Throws: ``ServingError`` where nobody may or can listen there.
    package init(
        _ options: ServerOptions, store: WindowStore, metrics: Metrics,
        readiness: @escaping @Sendable () -> Readiness
    ) throws(ServingError) {
        guard options.isLoopback || options.token != nil else {
            throw ServingError(
                kind: .unguarded, text: "\(options.host) can be reached from other machines, and no token guards it",
                remedy: "set http.token, or listen on 127.0.0.1")
        }
        let socket = try ListeningSocket(host: options.host, port: options.port)
        port = socket.port
        handler = Handler(
            Site(
                store: store, metrics: metrics, figures: ProcessFigures(metrics), token: options.token,
                readiness: readiness))
        guard let daemon = Daemon(socket: socket.descriptor, handler: handler, options: options) else {
            close(socket.descriptor)
            throw ServingError(
                kind: .system, text: "the HTTP server does not start",
                remedy: "see whether threads or memory are short")
        }
        self.daemon = daemon
    }

    /// Ends all connections and stops listening.
    package func stop() { daemon.stop() }
}

/// The owner of the library's daemon, which calls the handler from its thread until it is stopped.
@safe private final class Daemon: @unchecked Sendable {
    // Written once before it is shared; stopping is guarded by the lock.
    private let pointer: OpaquePointer
    private let handler: Handler
    private let stopped = Once()

    init?(socket: Int32, handler: Handler, options: ServerOptions) {
        let cls = unsafe Unmanaged.passUnretained(handler).toOpaque()
        let started = unsafe cmicrohttpd_start(
            socket, answerRequest, noteConnection, cls, UInt32(options.mostConnections), UInt32(options.timeout),
            32 << 10)
        guard let started = unsafe started else { return nil }
        unsafe pointer = started
        self.handler = handler
    }

    deinit { stop() }

    func stop() {
        stopped.run { unsafe MHD_stop_daemon(pointer) }
    }
}
