import Glibc
import Metering
import Synchronization
import Testing

@testable import Serving

@Suite struct ServerTests {
    private static func start(
        token: String? = nil, mostConnections: Int = 64, timeout: Int = 10, store: WindowStore? = nil,
        readiness: @escaping @Sendable () -> Readiness = { Readiness(isReady: true) }
    ) throws -> (server: Server, client: Client, metrics: Metrics) {
        var options = ServerOptions()
        options.port = 0
        options.token = token
        options.mostConnections = mostConnections
        options.timeout = timeout
        let metrics = Metrics()
        let store = store ?? WindowStore(groupBy: ["app_id", "platform"])
        let server = try Server(options, store: store, metrics: metrics, readiness: readiness)
        return (server, Client(port: server.port), metrics)
    }

    @Test func probesTellTheState() throws {
        let state = Mutex(Readiness(isReady: false, reasons: ["no partition \"yet\""]))
        let (server, client, _) = try Self.start { state.withLock { $0 } }
        defer { server.stop() }
        #expect(client.get("/healthz").status == 200)
        let before = client.get("/readyz")
        #expect(before.status == 503)
        #expect(before.body == "{\"ready\":false,\"reasons\":[\"no partition \\\"yet\\\"\"]}\n")
        state.withLock { $0 = Readiness(isReady: true) }
        #expect(client.get("/readyz").status == 200)
    }

    @Test func pageBringsEverythingWithIt() throws {
        let (server, client, _) = try Self.start()
        defer { server.stop() }
        let page = client.get("/")
        #expect(page.status == 200)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        #expect(page.body.hasPrefix("<!doctype html>") && page.body.hasSuffix("</html>\n"))
        let links = ["src=\"", "href=\"http", "url(", "@import", "//cdn"]
        for link in links { #expect(!page.body.contains(link), "\(link)") }
    }

    @Test func metricsAreThoseOfTheProgram() throws {
        let (server, client, metrics) = try Self.start()
        defer { server.stop() }
        metrics.counter(\.commits).add(42)
        _ = client.get("/nothing")
        let answer = client.get("/metrics")
        #expect(answer.headers["content-type"] == Metrics.prometheusMediaType)
        #expect(answer.body.contains("phasefold_http_requests_total{status=\"404\"} 1\n"))
        #expect(answer.body.contains("phasefold_commits_total 42\n"))
        #expect(answer.body.contains("process_resident_memory_bytes"))
    }

    @Test func windowsAreTheNewest() throws {
        let store = WindowStore(groupBy: ["app_id", "platform"])
        let (server, client, _) = try Self.start(store: store)
        defer { server.stop() }
        #expect(client.get("/v1/windows").body == "{\"version\":0,\"windows\":[]}\n")
        let first = "2026-01-01T00:00:00Z/1m/a/ios"
        store.put([Self.record(first, 1), Self.record("2026-01-01T00:01:00Z/1m/b%2Fc/ios", 2)])
        store.put([Self.record("2026-01-01T00:02:00Z/1m/a/ios", 3), Self.record(first, 4)])
        #expect(client.get("/v1/windows").body == "{\"version\":2,\"windows\":[{\"n\":3},{\"n\":2},{\"n\":4}]}\n")
        #expect(client.get("/v1/windows?limit=1").body == "{\"version\":2,\"windows\":[{\"n\":3}]}\n")
        #expect(client.get("/v1/windows?after=1").body == "{\"version\":2,\"windows\":[{\"n\":3},{\"n\":4}]}\n")
        #expect(client.get("/v1/windows?app=b%2Fc").body == "{\"version\":2,\"windows\":[{\"n\":2}]}\n")
        #expect(client.get("/v1/windows?app=none").body == "{\"version\":2,\"windows\":[]}\n")
    }

    static func record(_ key: String, _ number: Int) -> (key: [UInt8], value: [UInt8]) {
        (Array(key.utf8), Array("{\"n\":\(number)}".utf8))
    }

    @Test(arguments: ["limit=0", "limit=5001", "limit=x", "after=-1", "colour=red", "limit="])
    func wrongParametersAreSaid(query: String) throws {
        let (server, client, _) = try Self.start()
        defer { server.stop() }
        let answer = client.get("/v1/windows?\(query)")
        #expect(answer.status == 400)
        #expect(answer.headers["content-type"] == "application/problem+json")
        let head = "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\""
        #expect(answer.body.hasPrefix(head))
    }

    @Test func nothingIsWritten() throws {
        let (server, client, _) = try Self.start()
        defer { server.stop() }
        let answer = client.get("/v1/windows", method: "DELETE")
        #expect(answer.status == 405)
        #expect(answer.headers["allow"] == "GET, HEAD")
        let head = client.get("/healthz", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
    }

    @Test func tokenGuardsAllButHealth() throws {
        let (server, client, _) = try Self.start(token: "s3cret")
        defer { server.stop() }
        for path in ["/", "/metrics", "/v1/windows", "/else"] {
            let answer = client.get(path)
            #expect(answer.status == 401)
            #expect(answer.headers["www-authenticate"] == "Bearer")
            for wrong in ["s3cre", "s3cret1", "", "S3cret"] {
                #expect(client.get(path, headers: ["Authorization: Bearer \(wrong)"]).status == 401)
            }
            #expect(client.get(path, headers: ["Authorization: Basic s3cret"]).status == 401)
        }
        #expect(client.get("/healthz").status == 200)
        #expect(client.get("/readyz").status == 200)
        #expect(client.get("/metrics", headers: ["authorization: bearer s3cret"]).status == 200)
    }

    @Test func refusesToServeUnguarded() throws {
        var options = ServerOptions()
        options.host = "0.0.0.0"
        options.port = 0
        options.isLoopback = false
        let store = WindowStore(groupBy: [])
        let failure = #expect(throws: ServingError.self) {
            _ = try Server(options, store: store, metrics: Metrics()) { Readiness(isReady: true) }
        }
        #expect(failure?.kind == .unguarded)
        #expect(failure?.remedy.contains("http.token") == true)
    }

    @Test func takenPortIsSaidWithARemedy() throws {
        let (server, _, _) = try Self.start()
        defer { server.stop() }
        var options = ServerOptions()
        options.port = server.port
        let failure = #expect(throws: ServingError.self) {
            _ = try Server(options, store: WindowStore(groupBy: []), metrics: Metrics()) { Readiness(isReady: true) }
        }
        #expect(failure?.kind == .addressTaken)
        #expect(failure?.description.contains("http.listen") == true)
    }

    @Test func unknownAddressIsSaid() {
        var options = ServerOptions()
        options.host = "192.0.2.7"
        options.token = "t"
        let failure = #expect(throws: ServingError.self) {
            _ = try Server(options, store: WindowStore(groupBy: []), metrics: Metrics()) { Readiness(isReady: true) }
        }
        #expect(failure?.kind == .addressUnknown)
    }

    /// Clients that send half a request, or never read, neither block others nor the producer; they are cut off.
    @Test(.timeLimit(.minutes(1)))
    func slowClientsHoldUpNobody() throws {
        let store = WindowStore(groupBy: ["app_id"])
        let (server, client, _) = try Self.start(mostConnections: 40, timeout: 1, store: store)
        defer { server.stop() }
        let large = Array("{\"text\":\"\(String(repeating: "x", count: 4 << 20))\"}".utf8)
        store.put([(Array("2026-01-01T00:00:00Z/1m/a".utf8), large)])
        var idle: [Int32] = []
        for index in 0..<30 {
            let descriptor = client.connect()
            Client.send(descriptor, index % 2 == 0 ? "GET /v1/windows HTTP/1.1\r\nHost: a\r\n\r\n" : "GET / HT")
            idle.append(descriptor)
        }
        let clock = ContinuousClock()
        let begin = clock.now
        #expect(client.get("/healthz").status == 200)
        store.put([Self.record("2026-01-01T00:01:00Z/1m/a", 1)])
        #expect(client.get("/v1/windows?limit=1").body.contains("\"n\":1"))
        #expect(clock.now - begin < .seconds(2))
        sleep(3)
        let halves = idle.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        for descriptor in halves { #expect(Client.readAll(descriptor).count < 1024) }
        idle.forEach { close($0) }
    }

    @Test func connectionsAreBounded() throws {
        let (server, client, metrics) = try Self.start(mostConnections: 8, timeout: 2)
        defer { server.stop() }
        let many = (0..<30).map { _ in client.connect() }
        defer { many.forEach { close($0) } }
        usleep(300_000)
        #expect(metrics.gauge(\.httpClients).value <= 8)
    }

    @Test func stopsTwice() throws {
        let (server, client, _) = try Self.start()
        server.stop()
        server.stop()
        #expect(client.get("/healthz").status == 0)
    }
}
