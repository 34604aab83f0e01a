import Decoding
import Lifecycle
import Testing

@Suite struct RejectionTests {
    /// A record and the codes with which it is rejected.
    static let records: [(String, [String])] = [
        (json(), []),
        ("", []), (" \r\n\t", []), ("[]", []), ("[ ]", []), ("\n" + json() + "\n\n", []),
        ("42", ["not_an_object"]), (#""text""#, ["not_an_object"]), ("null", ["not_an_object"]),
        ("true", ["not_an_object"]), ("-0.5e3", ["not_an_object"]),
        ("no json at all", ["invalid_json"]), ("{", ["invalid_json"]), ("[", ["invalid_json"]),
        ("}", ["invalid_json"]), ("{]", ["invalid_json"]), ("tru", ["invalid_json"]), ("-", ["invalid_json"]),
        (json() + json(), ["invalid_json"]), (json() + " x", ["invalid_json"]), (json() + ",", ["invalid_json"]),
        (json(#""a":1,"#), ["invalid_json"]), (json(#""a" 1"#), ["invalid_json"]), (json("a:1"), ["invalid_json"]),
        (json(#""a":"#), ["invalid_json"]), (json(#""a":}"#), ["invalid_json"]), (json(#""a":'b'"#), ["invalid_json"]),
        ("{}", ["missing_device_id"]),
        (#"{"device_id":"d"}"#, ["missing_app_id"]),
        (#"{"device_id":"d","app_id":"a"}"#, ["missing_event"]),
        (#"{"device_id":"d","app_id":"a","event":"x"}"#, ["missing_ts"]),
        (json(#""device_id":null"#), ["missing_device_id"]), (json(#""device_id":"""#), ["missing_device_id"]),
        (json(#""app_id":null"#), ["missing_app_id"]), (json(#""event":null"#), ["missing_event"]),
        (json(#""event":"""#), ["missing_event"]),
        (json(#""app_id":3,"ts":"x""#), ["bad_app_id"]), (json(#""ts":"x","app_id":3"#), ["bad_app_id"]),
    ]

    @Test(arguments: records)
    func ofWholeRecords(record: String, expected: [String]) {
        #expect(codes(record) == expected)
    }

    /// Values that no JSON text may hold, wherever they stand.
    static let invalid = [
        "NaN", "Infinity", "-Infinity", "01", "-01", "1.", ".5", "+1", "1e", "1e+", "0x10", "1.5.5", "--1", "1a",
        "truex", "True", "nul", "undefined", #""\x""#, #""\u12""#, #""\u12G4""#, #""\ud800""#, #""\ud800\u0041""#,
        #""\udc00""#, #""\ud83d\ud83d""#, #""\""#, "\"\u{1}\"", "\"\n\"", "[1,]", "[,1]", "[1 2]",
        "{\"a\":1,}", "{1:2}",
        "{\"a\"}", "[}", "{\"a\":[}", "12\"a\"", "\u{C}1", "\u{1A}",
    ]

    @Test(arguments: invalid)
    func ofInvalidValues(value: String) {
        for field in ["instance", "unknown"] {
            #expect(codes(json("\"\(field)\":\(value)")) == ["invalid_json"], "\(field)")
        }
        #expect(codes(json("\"unknown\":{\"a\":[\(value)]}")) == ["invalid_json"])
    }

    static let valid = [
        "0", "-0", "10", "1.5", "1E5", "1e-5", "0e0", "123456789012345678901234567890", "1e999", "true", "false",
        "null", #""""#, #""\u0041\ud83d\ude00\n\"\\\/""#, "\"é\u{1F600}\u{7F}\"", "[]", "{}", "[ ]", "{ }",
        "[1,[2,{\"a\":{}}],null]", "{\"a\":[],\"b\":{\"c\":\"}]\"}}",
    ]

    @Test(arguments: valid)
    func unknownFieldsAreIgnored(value: String) {
        #expect(codes(json("\"unknown\":\(value)")) == [])
        #expect(codes(json("\"unknown\" : { \"a\" : [ \(value) ] } ")) == [])
    }

    static let strings = [
        "device_id", "app_id", "event", "process_id", "session_id", "boot_id", "event_id", "scope", "instance",
        "class", "platform", "app_version", "os_version", "device_model", "reason", "resource", "exit_reason",
    ]

    @Test(arguments: strings)
    func stringsOfTheWrongTypeOrLength(field: String) {
        for value in ["1", "true", "[]", "{}", "[\"x\"]"] {
            #expect(codes(json("\"\(field)\":\(value)")) == ["bad_\(field)"])
        }
        let limit =
            switch field {
            case "device_id", "app_id": 256
            case "platform", "app_version", "os_version", "device_model": 64
            default: 1024
            }
        let longest = codes(json("\"\(field)\":\(text(limit))"))
        #expect(longest == (field == "scope" ? ["bad_scope"] : []))
        #expect(codes(json("\"\(field)\":\(text(limit + 1))")) == ["too_long_\(field)"])
        // The limit counts bytes of the text, not letters and not escapes.
        let umlauts = "\"" + String(repeating: "é", count: limit / 2 + 1) + "\""
        #expect(codes(json("\"\(field)\":\(umlauts)")) == ["too_long_\(field)"])
        let escapes = "\"" + String(repeating: #"\u0041"#, count: limit) + "\""
        #expect(codes(json("\"\(field)\":\(escapes)")) == longest)
    }

    static let badValues: [(String, [String])] = [
        ("ts", ["true", "1.5", "1e12", "[]", #""""#, #""1698000000000""#]),
        ("ts", ["-100000000000000000", "-9223372036854775808", "9223372036854775808"]),
        ("sent_ts", ["true", "0.0", "{}", #""yesterday""#]),
        ("seq", ["-1", "1.0", #""1""#, "true", "9007199254740992", "18446744073709551616"]),
        ("mono_ms", [#""1""#, "true", "1e30", "9000000000001", "-9000000000001", "99999999999999999999"]),
        ("handler_ms", [#""1""#, "false", "1e999", "[]"]),
        ("prewarm", ["0", "1", #""true""#, "[]"]), ("bridged", ["1", #""""#]),
        ("scope", [#""window""#, #""vie""#, #""views""#]),
    ]

    @Test(arguments: badValues)
    func valuesThatAreNone(field: String, values: [String]) {
        for value in values {
            #expect(codes(json("\"\(field)\":\(value)")) == ["bad_\(field)"], "\(value)")
            #expect(codes(json("\"\(field)\":\(value),\"\(field)\":null")) == (field == "ts" ? ["missing_ts"] : []))
        }
    }

    @Test func receiveTimesAreLookedAtOnlyWhereTheyAreHonoured() {
        #expect(codes(json(#""rx_ts":"x""#)) == [])
        #expect(codes(json(#""rx_ts":"x""#)) { $0.honoursReceiveTime = true } == ["bad_rx_ts"])
    }

    @Test func theKeyStandsInForTheDevice() {
        let record = #"{"app_id":"app","event":"x","ts":1}"#
        #expect(event(record, key: "d7")?.installation == key("d7", "app"))
        #expect(event(json(), key: "d7")?.installation == key("d1", "app"))
        #expect(codes(record, key: String(repeating: "k", count: 256)) == [])
        #expect(codes(record, key: String(repeating: "k", count: 257)) == ["too_long_device_id"])
        var bench = Bench()
        bench.decode(Array(record.utf8), key: [0xFF, 0x00])
        bench.decode(Array(record.utf8), key: [])
        #expect(bench.codes == ["bad_device_id", "missing_device_id"])
    }

    @Test func recordsOverTheLimitAreNotRead() {
        let record = json()
        #expect(codes(record) { $0.maxRecordBytes = record.utf8.count } == [])
        #expect(codes(record) { $0.maxRecordBytes = record.utf8.count - 1 } == ["record_too_large"])
    }

    @Test func badUTF8() {
        let endings: [[UInt8]] = [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3], [0xF5, 0x80, 0x80, 0x80]]
        for ending in endings {
            var bench = Bench()
            bench.decode(Array(#"{"unknown":""#.utf8) + ending + Array("\"}".utf8), key: nil)
            #expect(bench.codes == ["invalid_json"], "\(ending)")
        }
    }

    @Test func nesting() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for field in ["unknown", "instance"] {
            // The object itself is the first level.
            let deepest = codes(json("\"\(field)\":" + nested(63, "[", "]")))
            #expect(deepest == (field == "unknown" ? [] : ["bad_instance"]))
            #expect(codes(json("\"\(field)\":" + nested(64, "[", "]"))) == ["too_deep"])
            #expect(codes(json("\"\(field)\":" + nested(64, "{\"a\":", "}"))) == ["too_deep"])
            #expect(codes(json("\"\(field)\":" + nested(100_000, "[", "]"))) == ["too_deep"])
        }
        let mixed = nested(31, "[{\"a\":", "}]")
        #expect(codes(json("\"unknown\":[\(mixed),\(mixed)]")) == [])
        #expect(codes(json("\"unknown\":[[[\(mixed)]]]")) == ["too_deep"])
        #expect(codes(nested(100_000, "[", "]")) == ["too_deep"])
    }
}
