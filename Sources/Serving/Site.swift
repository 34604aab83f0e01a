internal import CAssets
internal import Metering

/// What is answered to which request, apart from any connection.
struct Site: Sendable {
    let store: WindowStore
    let metrics: Metrics
    let figures: ProcessFigures
    /// Nil: everybody may read everything.
    let token: String?
    let readiness: @Sendable () -> Readiness

    struct Request {
        var method: String
        var path: String
        var parameters: [(name: String, value: String)] = []
        /// The whole header of that name.
        var authorization: String?
    }

    struct Answer {
        var status: Int
        var mediaType: String
        var body: [UInt8]
        var headers: [(name: String, value: String)] = []
    }

    func answer(_ request: Request) -> Answer {
        do throws(Problem) {
            guard request.method == "GET" || request.method == "HEAD" else {
                throw Problem(.methodNotAllowed, "everything here is read with GET")
            }
            return try resource(request)
        } catch {
            var answer = Answer(status: error.status.rawValue, mediaType: "application/problem+json", body: error.body)
            if error.status == .unauthorized { answer.headers.append(("WWW-Authenticate", "Bearer")) }
            if error.status == .methodNotAllowed { answer.headers.append(("Allow", "GET, HEAD")) }
            return answer
        }
    }

    private func resource(_ request: Request) throws(Problem) -> Answer {
        switch request.path {
        case "/healthz": return Answer(status: 200, mediaType: "text/plain; charset=utf-8", body: Array("alive\n".utf8))
        case "/readyz": return ready()
        default: break
        }
        guard isAllowed(request) else {
            throw Problem(.unauthorized, "http.token is set: send it as \"Authorization: Bearer TOKEN\"")
        }
        switch request.path {
        case "/":
            return Answer(
                status: 200, mediaType: "text/html; charset=utf-8", body: Site.livePage,
                headers: [("Content-Security-Policy", Site.pagePolicy)])
        case "/metrics":
            figures.refresh()
            return Answer(
                status: 200, mediaType: Metrics.prometheusMediaType, body: Array(metrics.prometheusText().utf8))
        case "/v1/windows":
            let query = try WindowQuery(request.parameters)
            return Answer(status: 200, mediaType: "application/json", body: query.answer(from: store))
        default:
            throw Problem(.notFound, "there is /, /metrics, /healthz, /readyz and /v1/windows")
        }
    }

    private func ready() -> Answer {
        let state = readiness()
        let reasons = state.reasons.map(JSONText.quoted).joined(separator: ",")
        return Answer(
            status: state.isReady ? 200 : 503, mediaType: "application/json",
            body: Array("{\"ready\":\(state.isReady),\"reasons\":[\(reasons)]}\n".utf8))
    }

    /// Takes the same time however much of the token is right.
    private func isAllowed(_ request: Request) -> Bool {
        guard let token else { return true }
        let scheme = "bearer "
        guard let given = request.authorization, given.lowercased().hasPrefix(scheme) else { return false }
        let mine = Array(token.utf8)
        let theirs = Array(given.utf8.dropFirst(scheme.utf8.count))
        var difference = mine.count ^ theirs.count
        for index in theirs.indices { difference |= Int(theirs[index] ^ mine[index % max(1, mine.count)]) }
        return difference == 0
    }

    /// The page brings all that it needs with it, and asks nobody but this server.
    static let pagePolicy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    static let livePage: [UInt8] = unsafe Array(
        UnsafeBufferPointer(start: cassets_live_page(), count: cassets_live_page_size()))
}

/// Whether the program does its work, and what it lacks.
package struct Readiness: Sendable, Equatable {
    package var isReady: Bool
    /// Why it is not; empty where it is.
    package var reasons: [String]

    package init(isReady: Bool, reasons: [String] = []) {
        self.isReady = isReady
        self.reasons = reasons
    }
}
