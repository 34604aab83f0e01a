import Decoding
import Lifecycle
import Testing

@Suite struct EventTests {
    static let full = """
        {"device_id":"d1","app_id":"com.example.app","event":"sceneWillResignActive","ts":1698000000123,"seq":7,
        "process_id":"p","session_id":"s","boot_id":"b","mono_ms":12.3456,"sent_ts":"2023-10-22T18:40:01Z",
        "event_id":"e","scope":"Scene","instance":"i","class":"c","platform":"ios","app_version":"4.2",
        "os_version":"17","device_model":"iPhone15,2","reason":"call","resource":"timer","exit_reason":"oom",
        "handler_ms":250,"prewarm":true,"bridged":true,"rx_ts":1698000000500}
        """

    @Test func everyField() throws {
        var bench = Bench {
            $0.groupBy = Dimension.allCases
            $0.honoursReceiveTime = true
        }
        bench.decode(Self.full, at: 5)
        let event = try #require(bench.batch.events.first)
        #expect(bench.batch.events.count == 1)
        #expect(bench.codes == [])
        #expect(event.installation == key("d1", "com.example.app"))
        #expect(event.edge == .sceneResign)
        #expect(event.scope == .scene)
        #expect(event.time == 1_698_000_000_123)
        #expect(event.received == 1_698_000_000_500)
        #expect(event.sent == 1_698_000_001_000)
        #expect(event.sequence == 7)
        #expect(event.monotonic == 12_346)
        #expect(event.handler == 250_000)
        #expect(event.process == StableHash.hash("p"))
        #expect(event.session == StableHash.hash("s"))
        #expect(event.boot == StableHash.hash("b"))
        #expect(event.eventID == StableHash.hash("e"))
        #expect(event.instance == StableHash.hash("i"))
        #expect(event.className == StableHash.hash("c"))
        #expect(event.unknownName == 0)
        #expect(event.flags == [.prewarm, .bridged])
        #expect(bench.lexicon.texts[event.reason] == "call")
        #expect(bench.lexicon.texts[event.resource] == "timer")
        #expect(bench.lexicon.texts[event.exitReason] == "oom")
        let group = bench.lexicon.groups[event.group]
        let dimensions = [group.app, group.platform, group.appVersion, group.osVersion, group.deviceModel]
        #expect(dimensions.map { bench.lexicon.texts[$0] } == ["com.example.app", "ios", "4.2", "17", "iPhone15,2"])
    }

    @Test func namesInCamelCaseAndWithEscapesAreTheSameFields() throws {
        let camel = Self.full.split(separator: "\"", omittingEmptySubsequences: false).map { part in
            guard part.contains("_"), !part.contains(where: \.isUppercase) else { return String(part) }
            let words = part.split(separator: "_")
            return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        }.joined(separator: "\"")
        #expect(camel.contains("\"exitReason\"") && !camel.contains("_id"))
        let escaped = Self.full.replacing("\"d", with: "\"\\u0064").replacing("_", with: "\\u005F")
        for spelling in [camel, escaped] {
            let other = try #require(event(spelling) { $0.honoursReceiveTime = true })
            let one = try #require(event(Self.full) { $0.honoursReceiveTime = true })
            #expect(describe(other) == describe(one))
        }
    }

    @Test func whatIsAbsent() throws {
        let bare = try #require(event(json()))
        for value in [bare.received, bare.sent, bare.monotonic, bare.sequence, bare.handler] {
            #expect(value == Event.absent)
        }
        for hash in [bare.process, bare.session, bare.boot, bare.eventID, bare.instance, bare.className] {
            #expect(hash == 0)
        }
        #expect([bare.reason, bare.resource, bare.exitReason] == [0, 0, 0])
        #expect(bare.flags == [])
        let others = ["sent_ts", "seq", "mono_ms", "handler_ms", "prewarm", "bridged"]
        let nulls = RejectionTests.strings.dropFirst(3) + others
        let other = try #require(event(json(nulls.map { "\"\($0)\":1,\"\($0)\":null" }.joined(separator: ","))))
        #expect(describe(other) == describe(bare))
    }

    @Test func theLastOfTwoWins() throws {
        let fields = #""seq":1,"seq":"x","deviceId":"d2","seq":3,"event":"x","event":"launch""#
        let twice = try #require(event(json(fields)))
        #expect(twice.sequence == 3)
        #expect(twice.edge == .launch)
        #expect(twice.installation == key("d2", "app"))
    }

    @Test func namesThatMeanNothing() throws {
        let unknown = try #require(event(json(#""event":"purchase","scope":"view""#)))
        #expect(unknown.edge == .unknown)
        #expect(unknown.scope == .view)
        #expect(unknown.unknownName == StableHash.hash("purchase"))
        #expect(event(json(#""event":"purchase""#))?.scope == .app)
        #expect(event(json(#""event":"viewDidAppear""#))?.scope == .view)
    }

    @Test func theAppMayBeGivenByTheSettings() throws {
        let record = #"{"device_id":"d","event":"launch","ts":1}"#
        var bench = Bench { $0.defaultAppID = "other" }
        bench.decode(record)
        bench.decode(json())
        let events = Array(bench.batch.events)
        #expect(events.map(\.installation) == [key("d", "other"), key("d1", "app")])
        #expect(events.map { bench.lexicon.texts[bench.lexicon.groups[$0.group].app] } == ["other", "app"])
    }

    @Test func dimensionsThatAreNotGroupedByAreLeftOut() throws {
        var bench = Bench { $0.groupBy = [.osVersion] }
        bench.decode(Self.full)
        let event = try #require(bench.batch.events.first)
        let group = bench.lexicon.groups[event.group]
        #expect(bench.lexicon.texts[group.osVersion] == "17")
        #expect([group.app, group.platform, group.appVersion, group.deviceModel] == [0, 0, 0, 0])
    }

    /// `ts`, the record's timestamp, `rx_ts`; the device time and the receive time that follow.
    static let times: [(String, Int64, String, Int64, Int64)] = [
        ("5", 7, "null", 5, 7), ("0", 7, "null", 7, 7), ("null", 7, "null", 7, 7),
        (#""1970-01-01T00:00:00Z""#, 7, "0", 7, 7),
        ("5", 7, "9", 5, 9), ("0", 7, "9", 9, 9), ("0", Event.absent, "9", 9, 9),
        ("5", Event.absent, "null", 5, Event.absent),
    ]

    @Test(arguments: times)
    func timesThatStandInForEachOther(
        happened: String, timestamp: Int64, received: String, expectedTime: Int64, expectedReceived: Int64
    ) throws {
        let record = json("\"ts\":\(happened),\"rx_ts\":\(received)")
        let event = try #require(event(record, at: timestamp) { $0.honoursReceiveTime = true })
        #expect(event.time == expectedTime)
        #expect(event.received == expectedReceived)
    }

    @Test func receiveTimesOfASourceAreNotBelieved() {
        #expect(event(json(#""rx_ts":9"#), at: 7)?.received == 7)
    }
}

/// An event as text, so that two of them can be compared.
func describe(_ event: Event) -> String { String(reflecting: event) }
