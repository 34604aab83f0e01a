@testable import Decoding
import Lifecycle
import Testing

@Suite struct OTLPTests {
    static let active = [("ios.app.state", "active")]

    static func events(
        _ records: [UInt8]..., resource: [(String, String)] = Telemetry.phone, at time: Int64 = Event.absent
    ) -> [Event] {
        var bench = Bench()
        bench.decode(resource, records, at: time)
        return bench.codes.isEmpty ? Array(bench.batch.events) : []
    }

    static func codes(_ records: [UInt8]..., resource: [(String, String)] = Telemetry.phone) -> [String] {
        var bench = Bench()
        bench.decode(resource, records)
        return bench.codes
    }

    static func others(_ records: [UInt8]...) -> Int {
        var bench = Bench()
        bench.decode(Telemetry.phone, records)
        return bench.codes.isEmpty && bench.batch.events.isEmpty ? bench.batch.otherTelemetry : -1
    }

    // MARK: Names

    @Test(arguments: [
        (Optional("device.app.lifecycle"), [(String, String)](), true),
        (nil, [("otel.event.name", "device.app.lifecycle")], true),
        (nil, [("event.name", "device.app.lifecycle")], true),
        (nil, [("name", "device.app.lifecycle")], true),
        (nil, [("name", "x"), ("event.name", "y"), ("otel.event.name", "device.app.lifecycle")], true),
        (nil, [("name", "x"), ("event.name", "device.app.lifecycle")], true),
        (nil, [("otel.event.name", "x"), ("event.name", "device.app.lifecycle")], false),
        ("x", [("event.name", "device.app.lifecycle")], false),
        ("", [("event.name", "device.app.lifecycle")], true),
        ("device.app.lifecycle ", [], false),
        ("DEVICE.APP.LIFECYCLE", [], false),
        ("didBecomeActive", [], false),
        ("Created", [], false),
        (nil, [], false),
    ])
    func namesOfLogRecords(name: String?, attributes: [(String, String)], isLifecycle: Bool) {
        let record = Telemetry.log(name, attributes + Self.active)
        #expect(Self.events(record).map(\.edge) == (isLifecycle ? [.activate] : []))
        #expect(Self.others(record) == (isLifecycle ? -1 : 1))
    }

    @Test func namesOfSpans() {
        #expect(Self.events(Telemetry.span("device.app.lifecycle", Self.active)).map(\.edge) == [.activate])
        #expect(Self.events(Telemetry.span("x", Self.active + [("name", "device.app.lifecycle")])).count == 1)
        #expect(Self.others(Telemetry.span("device.app.lifecycle", Self.active + [("name", "x")])) == 1)
        #expect(Self.others(Telemetry.span("device.app.lifecycle", Self.active, milliseconds: 1)) == 1)
        #expect(Self.others(Telemetry.span("GET /cart", Self.active)) == 1)
        #expect(Self.others(Telemetry.span("Started", milliseconds: 5)) == 1)
    }

    // MARK: States

    @Test(arguments: [
        ([("ios.app.state", "active")], [(String, String)](), Edge.activate),
        ([("ios.app.state", "inactive")], [], .resign),
        ([("ios.app.state", "background")], [], .enterBackground),
        ([("ios.app.state", "foreground")], [], .enterForeground),
        ([("ios.app.state", "terminate")], [], .terminate),
        ([("ios.app.state", "created")], [], .launch),
        ([("ios.state", "INACTIVE")], [], .resign),
        ([("android.app.state", "created")], [], .launch),
        ([("android.app.state", "foreground")], [], .processForeground),
        ([("android.app.state", "background")], [], .processBackground),
        ([("android.state", "background")], [], .processBackground),
        ([("ios.state", "active"), ("ios.app.state", "inactive")], [], .resign),
        ([], [("ios.state", "active")], .activate),
        ([("ios.state", "active")], [("ios.state", "inactive")], .activate),
        ([("ios.app.state", "")], [("android.app.state", "created")], .launch),
        ([("ios.app.state", "asleep")], [], .unknown),
        ([("android.app.state", "active")], [], .unknown),
    ])
    func states(attributes: [(String, String)], body: [(String, String)], edge: Edge) {
        let events = Self.events(Telemetry.log(attributes: attributes, body: body))
        #expect(events.map(\.edge) == [edge])
        #expect(events.map(\.scope) == [.app])
        #expect((events.first?.unknownName != 0) == (edge == .unknown))
    }

    @Test func aStateIsRequired() {
        #expect(Self.codes(Telemetry.log(), Telemetry.log(attributes: Self.active)) == ["missing_event@0"])
        #expect(Self.codes(Telemetry.log("x"), Telemetry.log("app.ui.lifecycle")) == ["missing_event@1"])
    }

    // MARK: Elements, crashes

    @Test(arguments: [
        ("activity", "resumed", Edge.activityResume, Optional(Scope.activity)),
        ("Activity", "onCreate", .activityCreate, .activity),
        ("scene", "didBecomeActive", .sceneActivate, .scene),
        ("view", "viewDidAppear", .viewDidAppear, .view),
        ("", "viewDidAppear", .viewDidAppear, .view),
        ("", "resumed", .unknown, .app),
        ("fragment", "resumed", .unknown, .app),
        ("activity", "flown", .unknown, .activity),
    ])
    func elements(type: String, action: String, edge: Edge, scope: Scope?) {
        let record = Telemetry.log(
            "app.ui.lifecycle",
            [("element.type", type), ("element.name", "Main"), ("element.id", "m1"), ("lifecycle.action", action)])
        let event = Self.events(record).first
        #expect(event?.edge == edge)
        #expect(event?.scope == scope)
        #expect(event?.className == StableHash.hash("Main"))
        #expect(event?.instance == StableHash.hash("m1"))
        #expect(event?.unknownName == (edge == .unknown ? StableHash.hash(action) : 0))
    }

    @Test(arguments: ["app.crash", "device.crash"])
    func crashesAreExits(name: String) {
        let event = Self.events(Telemetry.log(name)).first
        #expect(event?.edge == .exit)
        #expect(event?.flags == [])
        #expect(event?.exitReason == TextTable.empty)
    }

    // MARK: Whose, where

    @Test(arguments: [
        (["device.id", "app.installation.id", "service.instance.id", "session.id"], "device.id"),
        (["session.id", "service.instance.id", "app.installation.id"], "app.installation.id"),
        (["service.instance.id", "session.id"], "service.instance.id"),
        (["session.id"], "session.id"),
    ])
    func identity(keys: [String], identity: String) {
        let app = ("service.name", "com.example.app")
        let ids = keys.map { ($0, "the " + $0) }
        for (resource, attributes) in [(ids, []), ([], ids)] {
            let event = Self.events(
                Telemetry.log(attributes: Self.active + attributes), resource: resource + [app]).first
            #expect(event?.installation == key("the " + identity, "com.example.app"))
            let process = keys.contains("service.instance.id") && identity != "service.instance.id"
            #expect(event?.process == (process ? StableHash.hash("the service.instance.id") : 0))
            #expect(event?.session == (keys.contains("session.id") ? StableHash.hash("the session.id") : 0))
        }
    }

    @Test func aRecordsOwnAttributesStandBeforeThoseOfItsResource() {
        var bench = Bench { $0.groupBy = Dimension.allCases }
        let own = [("device.id", "other"), ("service.version", "9"), ("service.name", "com.other")]
        let record = Telemetry.log(attributes: Self.active)
        bench.decode(Telemetry.phone, [record, Telemetry.log(attributes: Self.active + own), record])
        let expected = [key("phone", "com.example.app"), key("other", "com.other"), key("phone", "com.example.app")]
        #expect(bench.batch.events.map(\.installation) == expected)
        let versions = bench.batch.events.map { bench.lexicon.texts[bench.lexicon.groups[$0.group].appVersion] }
        #expect(versions == ["", "9", ""])
    }

    @Test(arguments: [
        ([("os.name", "iOS")], "ios"), ([("os.name", "iPadOS"), ("os.type", "darwin")], "ipados"),
        ([("os.type", "darwin")], "ios"), ([("os.type", "linux")], ""), ([], ""),
    ])
    func platform(resource: [(String, String)], expected: String) {
        var bench = Bench()
        let whose = [("device.id", "d"), ("service.name", "a")]
        bench.decode(whose + resource, [Telemetry.log(attributes: Self.active)])
        let group = bench.batch.events.first.map { bench.lexicon.groups[$0.group] }
        #expect(group.map { bench.lexicon.texts[$0.platform] } == expected)
    }

    @Test func theDefaultApp() {
        var bench = Bench { $0.defaultAppID = "com.default" }
        bench.decode([("device.id", "d"), ("service.namespace", "n")], [Telemetry.log(attributes: Self.active)])
        #expect(bench.batch.events.first?.installation == key("d", "com.default"))
    }

    @Test(arguments: [
        ([("service.name", "a")], "missing_device_id"),
        ([("device.id", "d")], "missing_app_id"),
        ([("device.id", String(repeating: "x", count: 257)), ("service.name", "a")], "too_long_device_id"),
        ([("device.id", "d"), ("service.name", String(repeating: "x", count: 257))], "too_long_app_id"),
        (
            [
                ("device.id", "d"), ("service.name", String(repeating: "x", count: 128)),
                ("service.namespace", String(repeating: "x", count: 128)),
            ], "too_long_app_id"
        ),
        ([("device.id", "d"), ("service.name", "a"), ("os.version", String(repeating: "x", count: 65))],
            "too_long_os_version"),
        ([("device.id", "d"), ("service.name", "a"), ("os.name", String(repeating: "x", count: 65))],
            "too_long_platform"),
    ])
    func faults(resource: [(String, String)], code: String) {
        let other = Telemetry.log("other")
        let record = Telemetry.log(attributes: Self.active)
        #expect(Self.codes(other, record, other, record, resource: resource) == [code + "@1", code + "@3"])
        #expect(Self.codes(other, resource: resource) == [])
    }

    @Test func textsThatAreNoUTF8() {
        var record = WireWriter()
        record.fixed64(1, 1)
        record.attributes(6, Self.active)
        record.message(6) {
            $0.text(1, "device.id")
            $0.message(2) { $0.raw(1, [0xFF, 0xFE]) }
        }
        record.text(12, "device.app.lifecycle")
        #expect(Self.codes(record.bytes) == ["bad_device_id@0"])
    }

    // MARK: Time

    @Test func times() {
        let start: UInt64 = 1_698_000_000_000_000_000
        let records = [
            Telemetry.log(attributes: Self.active, time: start + 1_999_999, observed: 7),
            Telemetry.log(attributes: Self.active, time: 0, observed: start + 5_000_000),
            Telemetry.log(attributes: Self.active, time: 0),
        ]
        #expect(
            Self.events(records[0], records[1], records[2], at: 77).map(\.time) == [evening + 1, evening + 5, 77])
        #expect(Self.codes(records[2]) == ["missing_ts@0"])
    }
}

extension Telemetry {
    static func log(
        attributes: [(String, String)], time: UInt64 = 1_698_000_000_000_000_000, observed: UInt64 = 0,
        body: [(String, String)] = []
    ) -> [UInt8] {
        log("device.app.lifecycle", attributes, time: time, observed: observed, body: body)
    }
}
