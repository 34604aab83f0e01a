import Decoding
import Lifecycle
import Testing

@Suite struct RecordDecoderTests {
    @Test func anEmptyRecordMovesStreamTimeOnly() {
        var bench = Bench()
        bench.decode("", at: 7)
        #expect(bench.batch.records == 1)
        #expect(bench.codes == [])
        #expect(bench.batch.events.map(\.edge) == [.tick])
        #expect(bench.batch.events.first?.received == 7)
    }

    @Test func aRecordOfNoEventMovesStreamTimeWhereItsTimeIsKnown() {
        var bench = Bench()
        bench.decode("no json at all", at: 7)
        bench.decode("no json at all")
        bench.decode("[{}," + json() + "]", at: 8)
        #expect(bench.batch.events.map(\.edge) == [.tick, .activate])
        #expect(bench.batch.events.map(\.record) == [0, 2])
        #expect(bench.batch.rejections.map(\.record) == [0, 1, 2])
        #expect(bench.batch.records == 3)
    }

    /// Records of several events, `$A` standing for one of device A: the devices of those that are good, and the
    /// codes of the others.
    static let records: [(String, [String], [String])] = [
        ("[$A,$B]", ["A", "B"], []),
        (" [ $A , $B ] ", ["A", "B"], []),
        (
            "[$A,{},$B,7,[$A],null]", ["A", "B"],
            ["missing_device_id@1", "not_an_object@3", "not_an_object@4", "not_an_object@5"]
        ),
        ("[{}]", [], ["missing_device_id@0"]),
        ("$A\n$B", ["A", "B"], []),
        ("$A\r\n\r\n \t\n$B\r\n", ["A", "B"], []),
        ("\n\n$A\n{}\n$B\n", ["A", "B"], ["missing_device_id@1"]),
        (
            "$A\nno json\n[$A]\n7\n$B $B\n$B", ["A", "B"],
            ["invalid_json@1", "not_an_object@2", "not_an_object@3", "invalid_json@4"]
        ),
        ("no json\n$A", ["A"], ["invalid_json@0"]),
        ("{\"a\":\n$A", ["A"], ["invalid_json@0"]),
        ("no json\nnone", [], ["invalid_json"]),
        ("7\n$A", ["A"], ["not_an_object@0"]),
        ("[\n$A,\n$B\n]", ["A", "B"], []),
        ("[$A,$B", [], ["invalid_json"]),
        ("[$A,{\"a\":NaN},$B]", ["A", "B"], ["invalid_json@1"]),
        ("[{\"a\":\"]\\\"}\\ud800\"} ,\n$B\n]", ["B"], ["invalid_json@0"]),
        ("[$A,7,[],{},nul]", ["A"], ["not_an_object@1", "not_an_object@2", "missing_device_id@3", "invalid_json@4"]),
        ("[$A,{\"a\":[}]", [], ["invalid_json"]),
        ("[$A,]", [], ["invalid_json"]),
        ("[,$A]", [], ["invalid_json"]),
        ("[{\"a\":NaN}]", [], ["invalid_json"]),
        ("[$A,$B]]", [], ["invalid_json"]),
        ("[$A,$B],$A", [], ["invalid_json"]),
        ("{\n\"app_id\":\"app\",\n\"device_id\"\n:\"A\",\"event\":\"launch\",\"ts\":1\n}", ["A"], []),
        ("{\n\"app_id\":\"app\",\n\"device_id\"\n:\"A\",\"event\":\"launch\",\"ts\":1,\n}", [], ["invalid_json"]),
    ]

    @Test(arguments: records)
    func recordsOfSeveralEvents(record: String, devices: [String], rejected: [String]) {
        let text = ["A", "B"].reduce(record) { text, device in
            text.replacing("$" + device, with: json(device: "\"\(device)\""))
        }
        var bench = Bench()
        bench.decode(text)
        #expect(bench.batch.events.map(\.installation) == devices.map { key($0, "app") })
        #expect(bench.codes == rejected)
        #expect(bench.batch.events.allSatisfy { $0.record == 0 })
    }
}
