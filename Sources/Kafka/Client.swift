internal import CRDKafka
internal import Dispatch
internal import Synchronization

/// What a client's callbacks need: lives as long as the client.
final class ClientContext: Sendable {
    let observer: (any ClientObserver)?
    let deliveries = Mutex(DeliveryCount())
    private let handler = Mutex(WeakHandler())

    private struct WeakHandler {
        weak var value: (any RebalanceHandler)?
    }

    init(_ observer: (any ClientObserver)?) {
        self.observer = observer
    }

    /// Who is asked at a rebalance; not kept alive.
    var rebalanceHandler: (any RebalanceHandler)? {
        get { handler.withLock { $0.value } }
        set { handler.withLock { $0.value = newValue } }
    }
}

/// Owner of one client of the library, destroyed with it. Its calls are safe from any thread.
@safe struct Client: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer
    let context: ClientContext

    init(
        _ role: ClientRole, _ properties: [String: String], forced: [String: String] = [:],
        observer: (any ClientObserver)?
    ) throws(KafkaError) {
        let context = ClientContext(observer)
        let configuration = try ClientConfiguration(role: role, properties: properties, forced: forced)
        unsafe pointer = try configuration.client(
            role.isConsumer ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER, context: context)
        self.context = context
    }

    deinit {
        unsafe ClientEnd(pointer, context).run()
    }
}

/// The end of a client, in bounded time: 2.0.2 waits for ever for the threads of a consumer that has read a topic which
/// was deleted meanwhile. What does not end is left behind.
@safe
private final class ClientEnd: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Called back until the end.
    private let context: ClientContext

    /// Longest wait, s: some requests under way.
    private static let limit = 5.0

    init(_ pointer: OpaquePointer, _ context: ClientContext) {
        unsafe self.pointer = unsafe pointer
        self.context = context
    }

    func run() {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "phasefold.kafka.end").async {
            unsafe rd_kafka_destroy(self.pointer)
            done.signal()
        }
        if done.wait(timeout: .now() + Self.limit) == .success { return }
        context.observer?.log(
            ClientLogLine(level: 4, facility: "END", text: "a client did not end in \(Self.limit) s and is left behind")
        )
    }
}

private func context(of opaque: UnsafeMutableRawPointer?) -> ClientContext? {
    guard let opaque = unsafe opaque else { return nil }
    return unsafe Unmanaged<ClientContext>.fromOpaque(opaque).takeUnretainedValue()
}

/// A `log_cb`. Properties of the other kind of client are expected, since `kafka.*` goes to both.
func takeLogLine(
    client: OpaquePointer?, level: Int32, facility: UnsafePointer<CChar>?, text: UnsafePointer<CChar>?
) {
    guard let client = unsafe client, let facility = unsafe facility, let text = unsafe text,
        let observer = unsafe context(of: rd_kafka_opaque(client))?.observer
    else { return }
    let line = unsafe ClientLogLine(
        level: Int(level), facility: String(cString: facility), text: String(cString: text))
    if line.facility == "CONFWARN", line.text.contains("will be ignored by this") { return }
    observer.log(line)
}

/// A `stats_cb`: 0 leaves the report to the library to free.
func takeStatistics(
    client: OpaquePointer?, json: UnsafeMutablePointer<CChar>?, size: Int, opaque: UnsafeMutableRawPointer?
) -> Int32 {
    guard let json = unsafe json, let observer = unsafe context(of: opaque)?.observer else { return 0 }
    let bytes = unsafe UnsafeRawBufferPointer(start: json, count: size)
    if let statistics = unsafe ClientStatistics(json: RawSpan(_unsafeBytes: bytes)) {
        observer.statistics(statistics)
    }
    return 0
}

/// An `error_cb`. What made a client unusable is asked for, since the code itself only says that something did.
func takeFailure(
    client: OpaquePointer?, code: Int32, reason: UnsafePointer<CChar>?, opaque: UnsafeMutableRawPointer?
) {
    guard let client = unsafe client, let observer = unsafe context(of: opaque)?.observer else { return }
    if code == RD_KAFKA_RESP_ERR__FATAL.rawValue, let fatal = unsafe KafkaError.fatal(of: client) {
        return observer.failure(fatal)
    }
    let text = unsafe reason.map { unsafe String(cString: $0) }
    observer.failure(KafkaError(rd_kafka_resp_err_t(rawValue: code), "reach the cluster", text: text))
}

extension KafkaError {
    /// What made a client unusable, if something did.
    static func fatal(of client: OpaquePointer) -> KafkaError? {
        var reason = [CChar](repeating: 0, count: 512)
        let capacity = reason.count
        let code = unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe rd_kafka_fatal_error(client, buffer.baseAddress, capacity)
        }
        if code == RD_KAFKA_RESP_ERR_NO_ERROR { return nil }
        var error = KafkaError(code, "use the client", text: reason.text)
        error.retry = .fatal
        return error
    }
}
