@testable import Decoding
import Lifecycle
import Testing

/// The frame of requests, and what spans of an activity tell.
@Suite struct OTLPRequestTests {
    static let active = Telemetry.log(attributes: [("ios.app.state", "active")])

    @Test func theResourceMayStandBehindItsRecords() {
        var bench = Bench()
        bench.decode(Telemetry(records: [Self.active]).request(resourceFirst: false), key: nil)
        #expect(bench.batch.events.map(\.installation) == [key("phone", "com.example.app")])
    }

    @Test func resourcesDoNotMix() {
        var bench = Bench { $0.format = .otlpProtobuf }
        let first = Telemetry(resource: Telemetry.phone + [("session.id", "s")], records: [Self.active]).request()
        let second = Telemetry(
            resource: [("app.installation.id", "b"), ("service.name", "com.other")], records: [Self.active]).request()
        bench.decode(first + second, key: nil)
        #expect(bench.batch.events.map(\.installation) == [key("phone", "com.example.app"), key("b", "com.other")])
        #expect(bench.batch.events.map(\.session) == [StableHash.hash("s"), 0])
        let apps = bench.batch.events.map { bench.lexicon.texts[bench.lexicon.groups[$0.group].app] }
        #expect(apps == ["com.example.app", "com.other"])
    }

    @Test func unknownFieldsArePassedOver() {
        var record = WireWriter()
        record.integer(77, 5)
        record.bytes += Self.active
        record.text(1000, "future")
        record.fixed32(78, 1)
        var request = WireWriter()
        request.message(1) {
            $0.message(1) {
                $0.message(3) { $0.text(1, "entity") }
                $0.attributes(1, Telemetry.phone)
            }
            $0.message(2) {
                $0.message(1) { $0.text(1, "scope") }
                $0.raw(2, record.bytes)
                $0.text(99, "future")
            }
            $0.text(3, "schema")
        }
        request.text(9, "future")
        var bench = Bench { $0.format = .otlpProtobuf }
        bench.decode(request.bytes, key: nil)
        #expect(bench.codes == [] && bench.batch.events.map(\.edge) == [.activate])
    }

    @Test func aBrokenRequestGoesAsAWhole() {
        var whole = Telemetry(records: [Self.active, Telemetry.log("other")]).request()
        whole += [0x0A, 0x05, 0x12]
        var bench = Bench { $0.format = .otlpProtobuf }
        bench.decode(whole, key: nil, at: 5)
        #expect(bench.codes == ["invalid_otlp"])
        #expect(bench.batch.events.map(\.edge) == [.tick])
        #expect(bench.batch.otherTelemetry == 0)
    }

    @Test func whatIsARequest() {
        let request = Telemetry(records: [Self.active]).request()
        func isRequest(_ bytes: [UInt8]) -> Bool { unsafe OTLPMapper.isProtobuf(bytes.span.bytes) }
        #expect(isRequest(request))
        #expect(isRequest(request + request))
        #expect(!isRequest(request + [0x0A]))
        #expect(!isRequest(Array(request.dropLast())))
        #expect(!isRequest([]))
        #expect(!isRequest(Array("\n{\"event\":\"launch\"}".utf8)))
        #expect(!isRequest(Array(("\n{" + String(repeating: " ", count: 122) + "}").utf8)))
        #expect(!isRequest(Array("{}".utf8)))
    }

    @Test func otherTelemetryOfAnySizeIsCounted() {
        var bench = Bench()
        let records = (0..<100).map { Telemetry.log("event \($0)", [("a", "b"), ("name", "device.app.lifecycle")]) }
        bench.decode(Telemetry.phone, records + [Self.active], at: 5)
        #expect(bench.batch.otherTelemetry == 100)
        #expect(bench.batch.events.map(\.edge) == [.activate])
    }

    // MARK: Activity spans

    @Test(arguments: [
        ("Created", [(String, String)](), [Edge.activityCreate]), ("Resumed", [], [.activityResume]),
        ("Paused", [], [.activityPause]), ("Stopped", [], [.activityStop]), ("Destroyed", [], [.activityDestroy]),
        ("Restarted", [], [.activityRestart]), ("AppStart", [], [.launch]),
        ("AppStart", [("start.type", "cold")], [.launch]), ("AppStart", [("start.type", "warm")], [.activityCreate]),
        ("AppStart", [("start.type", "hot")], [.activityRestart]),
    ])
    func activitySpans(name: String, attributes: [(String, String)], edges: [Edge]) {
        for length: UInt64 in [0, 250] {
            var bench = Bench()
            let span = Telemetry.span(name, attributes + [("activity.name", "Main")], milliseconds: length)
            bench.decode(Telemetry.phone, [span])
            #expect(bench.batch.events.map(\.edge) == edges)
            #expect(bench.batch.events.first?.time == evening + 1000)
            #expect(bench.batch.events.first?.className == (edges == [.launch] ? 0 : StableHash.hash("Main")))
        }
    }

    @Test func theEarliestOfEachKindIsTheEdge() {
        var bench = Bench()
        let events: [(String, UInt64)] = [
            ("activityPostCreated", 90), ("activityPreStarted", 100), ("activityPostStarted", 110),
            ("activityPostResumed", 140), ("activityPreResumed", 130), ("activityPrePaused", 200),
            ("activityResumed", 120), ("activityPre", 1), ("activityPreFlown", 1), ("fragmentPreResumed", 1),
        ]
        let span = Telemetry.span("Created", [("app.screen.name", "Main")], milliseconds: 300, events: events)
        bench.decode(Telemetry.phone, [span, Telemetry.span("Paused", milliseconds: 1)])
        #expect(
            bench.batch.events.map(\.edge) == [
                .activityCreate, .activityStart, .activityResume, .activityPause, .activityPause,
            ])
        #expect(bench.batch.events.map { $0.time - evening } == [1000, 1100, 1120, 1200, 1000])
        #expect(bench.batch.events.last?.className == 0)
    }
}
