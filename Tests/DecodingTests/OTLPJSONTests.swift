import Decoding
import Lifecycle
import Testing

@Suite struct OTLPJSONTests {
    /// One log record with these members, beside its name and state.
    static func logs(_ more: String = "", resource: String = "", group: String = "") -> String {
        let phone =
            #"{"key":"device.id","value":{"stringValue":"d1"}},{"key":"service.name","value":{"stringValue":"app"}}"#
        let state = #"{"key":"ios.app.state","value":{"stringValue":"active"}}"#
        let record = #"{"eventName":"device.app.lifecycle","timeUnixNano":"5000000","attributes":[\#(state)]\#(more)}"#
        return #"{"resourceLogs":[{"resource":{"attributes":[\#(phone)]\#(resource)},"#
            + #""scopeLogs":[{"logRecords":[\#(record)]}]\#(group)}]}"#
    }

    static func seen(_ text: String, _ format: RecordFormat = .auto) -> ([Edge], [String], Int) {
        var bench = Bench { $0.format = format }
        bench.decode(text)
        return (bench.batch.events.map(\.edge), bench.codes, bench.batch.otherTelemetry)
    }

    @Test func aLogRecord() {
        for format in [RecordFormat.auto, .otlpJSON] {
            var bench = Bench { $0.format = format }
            bench.decode(Self.logs(), at: 9)
            #expect(bench.codes == [])
            #expect(bench.batch.events.map(\.edge) == [.activate])
            #expect(bench.batch.events.first?.installation == key("d1", "app"))
            #expect(bench.batch.events.first?.time == 5)
            #expect(bench.batch.events.first?.received == 9)
        }
    }

    @Test(arguments: ["logs", "traces"])
    func bothFormsSayTheSame(name: String) throws {
        let wire = try OTLPFixtureTests.request(name)
        for seed in 0..<200 {
            var writer = WireToJSON(random: Random(state: UInt64(seed)))
            let text = writer.write(wire, isSpan: name == "traces")
            var one = Bench { $0.groupBy = Dimension.allCases }
            var other = Bench { $0.groupBy = Dimension.allCases }
            one.decode(wire, key: nil, at: 7)
            other.decode(text, at: 7)
            #expect(other.codes == one.codes, "\(text)")
            #expect(other.descriptions == one.descriptions, "\(text)")
            #expect(other.batch.otherTelemetry == one.batch.otherTelemetry)
        }
    }

    /// Members of a log record and what becomes of it: its code, or nothing where it is read.
    static let members: [(String, [String])] = [
        (#","timeUnixNano":6000000"#, []), (#","timeUnixNano":null,"observedTimeUnixNano":"7""#, []),
        (#","timeUnixNano":"18446744073709551615""#, []), (#","timeUnixNano":18446744073709551615"#, []),
        (#","timeUnixNano":"18446744073709551616""#, ["invalid_otlp@0"]),
        (#","timeUnixNano":-1"#, ["invalid_otlp@0"]), (#","timeUnixNano":1.5"#, ["invalid_otlp@0"]),
        (#","timeUnixNano":"""#, ["invalid_otlp@0"]), (#","timeUnixNano":"1e3""#, ["invalid_otlp@0"]),
        (#","timeUnixNano":true"#, ["invalid_otlp@0"]), (#","observedTimeUnixNano":[]"#, ["invalid_otlp@0"]),
        (#","eventName":5"#, ["invalid_otlp@0"]), (#","attributes":{}"#, ["invalid_otlp@0"]),
        (#","attributes":[5]"#, ["invalid_otlp@0"]), (#","attributes":[{"key":5}]"#, ["invalid_otlp@0"]),
        (#","attributes":[{"key":"ios.app.state","value":"active"}]"#, ["invalid_otlp@0"]),
        (#","attributes":[{"key":"ios.app.state","value":{"stringValue":5}}]"#, ["invalid_otlp@0"]),
        (#","attributes":[{"key":"session.id","value":{"intValue":"x"}}]"#, ["invalid_otlp@0"]),
        (#","attributes":[{"key":"other","value":5}]"#, ["missing_event@0"]),
        (#","attributes":[{},{"value":5}]"#, ["missing_event@0"]), (#","attributes":null"#, ["missing_event@0"]),
        (#","body":5"#, ["invalid_otlp@0"]), (#","body":{"kvlistValue":5}"#, ["invalid_otlp@0"]),
        (#","body":{"stringValue":"text"}"#, []), (#","severityNumber":"x","flags":[]"#, []),
        (#","event_name":"other","TimeUnixNano":"x""#, []),
    ]

    @Test(arguments: members)
    func membersOfTheRightAndTheWrongType(members: String, expected: [String]) {
        let (edges, codes, others) = Self.seen(Self.logs(members))
        #expect(codes == expected)
        #expect(edges == (expected.isEmpty ? [.activate] : []))
        #expect(others == 0)
    }

    @Test func numbersAreTexts() {
        for (value, text) in [(#""-9223372036854775808""#, "-9223372036854775808"), ("42", "42"), (#""007""#, "7")] {
            let session =
                #","attributes":[{"key":"ios.app.state","value":{"stringValue":"active"}},"#
                + #"{"key":"session.id","value":{"intValue":\#(value)}}]"#
            var bench = Bench()
            bench.decode(Self.logs(session))
            #expect(bench.batch.events.first?.session == StableHash.hash(text))
        }
    }

    /// Requests, and what is counted: codes and records of other telemetry.
    static let requests: [(String, [String], Int)] = [
        (#"{"resourceLogs":[]}"#, [], 0), (#"{"resourceLogs":null}"#, [], 0), ("{}", [], 0), (" ", [], 0),
        (#"{"resourceMetrics":[{"scopeMetrics":5}]}"#, [], 1),
        (#"{"resourceLogs":[{}]}"#, [], 0), (#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{}]}]}]}"#, [], 2),
        (#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET /"}]}]}]}"#, [], 1),
        (#"{"resourceLogs":{}}"#, ["invalid_otlp"], 0), (#"{"resourceLogs":[5]}"#, ["invalid_otlp"], 0),
        (#"{"resourceLogs":[{"scopeLogs":5}]}"#, ["invalid_otlp"], 0),
        (#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},5]}]}]}"#, ["invalid_otlp"], 0),
        (#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]},5]}"#, ["invalid_otlp"], 0),
        (logs(resource: #","attributes":5"#), ["invalid_otlp"], 0),
        (logs(group: #","resource":5"#), ["invalid_otlp"], 0),
        (#"{"resourceLogs":["#, ["invalid_json"], 0), (#"{"resourceLogs":[{"a":tru}]}"#, ["invalid_json"], 0),
        ("[]", ["not_an_object"], 0), ("5", ["not_an_object"], 0), ("{} {}", ["invalid_json"], 0),
        (
            #"{"resourceLogs":[{"a":"# + String(repeating: "[", count: 61) + String(repeating: "]", count: 61) + "}]}",
            [], 0
        ),
        (
            #"{"resourceLogs":[{"a":"# + String(repeating: "[", count: 62) + String(repeating: "]", count: 62) + "}]}",
            ["too_deep"], 0
        ),
    ]

    @Test(arguments: requests)
    func wholeRequests(text: String, expected: [String], others: Int) {
        let seen = Self.seen(text, .otlpJSON)
        #expect(seen.0 == [])
        #expect(seen.1 == expected)
        #expect(seen.2 == others)
    }

    @Test func theGoodRecordsOfARequestAreTakenIn() {
        let good = Self.logs()
        let start = good.firstRange(of: #"{"eventName""#)?.lowerBound ?? good.startIndex
        let end = good.index(good.endIndex, offsetBy: -"]}]}]}".count)
        let record = good[start..<end]
        let bad = record.replacing("5000000", with: "soon")
        let text = good.replacing(record, with: "\(record),\(bad),{},\(record)")
        let (edges, codes, others) = Self.seen(text)
        #expect(edges == [.activate, .activate])
        #expect(codes == ["invalid_otlp@1"])
        #expect(others == 1)
    }

    @Test func requestsAreFoundOutByTheirContent() {
        #expect(Self.seen("\n { \"resourceLogs\" : [ ] }") == ([], [], 0))
        #expect(Self.seen(#"{"schemaUrl":"x", "resourceMetrics":[]}"#) == ([], [], 1))
        #expect(Self.seen(#"{"resource":"timer"}"#).1 == ["missing_device_id"])
        #expect(Self.seen(#"{"resourceLogs":"timer"}"#).1 == ["invalid_otlp"])
        #expect(Self.seen(#"{"a":1,"resourceLogs":"timer"}"#).1 == ["missing_device_id"])
        #expect(Self.seen(Self.logs(), .json).1 == ["missing_device_id"])
        #expect(Self.seen("[" + Self.logs() + "]").1 == ["missing_device_id@0"])
        #expect(Self.seen(json(), .otlpJSON).1 == [])
        #expect(Self.seen(json(), .otlpProtobuf).1 == ["invalid_otlp"])
    }
}
