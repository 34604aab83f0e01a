internal import CMicroHTTPD
internal import Metering
internal import Synchronization

/// What the library's thread calls: takes a request apart, has it answered, and queues the answer.
final class Handler: Sendable {
    private let site: Site
    private let clients = Atomic(0)

    init(_ site: Site) { self.site = site }

    func connected(_ difference: Int) {
        let count = clients.add(difference, ordering: .relaxed).newValue
        site.metrics.gauge(\.httpClients).set(count)
    }

    /// - Returns: whether the answer could be queued.
    func answer(_ connection: OpaquePointer, method: String, path: String) -> Bool {
        var request = Site.Request(method: method, path: path)
        request.authorization = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, "Authorization")
            .map { unsafe String(cString: $0) }
        let parameters = Parameters()
        unsafe MHD_get_connection_values(
            connection, .GET_ARGUMENT_KIND, collectParameter, Unmanaged.passUnretained(parameters).toOpaque())
        request.parameters = parameters.values
        let answer = site.answer(request)
        site.metrics.counter(\.httpRequests, String(answer.status)).add()
        return unsafe queue(answer, on: connection)
    }

    private func queue(_ answer: Site.Answer, on connection: OpaquePointer) -> Bool {
        let made = unsafe answer.body.withUnsafeBytes { body in
            unsafe MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let response = unsafe made else { return false }
        defer { unsafe MHD_destroy_response(response) }
        let fixed = [
            ("Content-Type", answer.mediaType), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ]
        for (name, value) in fixed + answer.headers {
            unsafe MHD_add_response_header(response, name, value)
        }
        return unsafe MHD_queue_response(connection, UInt32(answer.status), response) == .YES
    }
}

/// Gathers the parameters of one request on the stack of the callback.
private final class Parameters {
    var values: [(name: String, value: String)] = []
}

private func collectParameter(
    _ cls: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let cls = unsafe cls, let name = unsafe name else { return .YES }
    let parameters = unsafe Unmanaged<Parameters>.fromOpaque(cls).takeUnretainedValue()
    let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
    unsafe parameters.values.append((String(cString: name), text))
    return .YES
}

func answerRequest(
    _ cls: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let cls = unsafe cls, let connection = unsafe connection, let url = unsafe url, let method = unsafe method
    else { return .NO }
    let handler = unsafe Unmanaged<Handler>.fromOpaque(cls).takeUnretainedValue()
    let isQueued = unsafe handler.answer(
        connection, method: String(cString: method), path: String(cString: url))
    return isQueued ? .YES : .NO
}

func noteConnection(
    _ cls: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard let cls = unsafe cls else { return }
    let handler = unsafe Unmanaged<Handler>.fromOpaque(cls).takeUnretainedValue()
    handler.connected(change == .CONNECTION_NOTIFY_STARTED ? 1 : -1)
}
