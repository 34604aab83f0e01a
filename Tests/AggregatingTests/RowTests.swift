import Lifecycle
import Testing

@testable import Aggregating

@Suite struct RowTests {
    @Test func oneRowAsItStands() {
        var lexicon = Lexicon()
        var combiner = Combiner(AggregateSettings())
        var deeds = [Deed(kind: .event, value: moment, time: moment, stream: moment, installation: 1)]
        deeds += [1000, 1500].map {
            Deed(kind: .inactive(.interruption), value: $0, time: moment, stream: moment, text: "call")
        }
        deeds.append(Deed(kind: .inferred(.active), value: 9, time: moment, stream: moment))
        deeds.append(Deed(kind: .anomaly(.sequenceGap), value: 3, time: moment, stream: moment))
        deeds.append(Deed(kind: .exit, time: moment, stream: moment))
        let contributions = ContiguousArray(deeds.map { $0.contribution(&lexicon) })
        combiner.add(contributions.span, lexicon: lexicon)
        var totals = WindowTotals(AggregateSettings(), sources: [])
        totals.take(&combiner, lexicon: lexicon)
        let rows = totals.finished()
        var mark = ContiguousArray<UInt8>([1, 0, 12])
        mark.append(fixed: HyperLogLog.mark(of: 1))
        var base64 = ContiguousArray<UInt8>()
        base64.append(base64: mark)
        let empty = """
            {"count":0,"sum_ms":0,"min_ms":null,"max_ms":null,"p50_ms":null,"p90_ms":null,"p95_ms":null,\
            "p99_ms":null,"histogram":{"scale":5,"zero_count":0,"offset":0,"counts":[]}}
            """
        let expected = """
            {"schema":1,"window_start":"2023-11-14T22:13:00Z","window_end":"2023-11-14T22:14:00Z",\
            "window_start_ms":1699999980000,"window_ms":60000,"revision":1,"final":true,\
            "app_id":"com.example.app","platform":"ios","app_version":"1.0",\
            "devices":1,"devices_hll":"\(String(decoding: base64, as: UTF8.self))",\
            "events":1,"events_other":0,"late_events":0,"launches_cold":0,"launches_warm":0,\
            "background_launches":0,"foregrounds":0,"backgrounds":0,"terminations":0,"background_exits":0,\
            "handovers":0,"recreates":0,"cancelled_transitions":0,"resume_discarded":0,\
            "inactive":{"count":2,"sum_ms":2500,"min_ms":1000,"max_ms":1500,"p50_ms":1000,"p90_ms":1495.98,\
            "p95_ms":1495.98,"p99_ms":1495.98,"histogram":{"scale":5,"zero_count":0,"offset":318,\
            "counts":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}},\
            "resume":\(empty),"launch_cold":\(empty),"launch_warm":\(empty),"view_load":\(empty),\
            "inactive_by_class":{"interruption":{"count":2,"sum_ms":2500}},\
            "inactive_by_reason":{"call":{"count":2,"sum_ms":2500}},\
            "active":{"count":0,"sum_ms":0},"background":{"count":0,"sum_ms":0},\
            "view_visible":{"count":0,"sum_ms":0},\
            "inferred":{"active":{"count":1,"sum_ms":9}},"anomalies":{"sequence_gap":3},\
            "exits_by_reason":{"unknown":1}}
            """
        #expect(rows.map(\.key) == ["2023-11-14T22:13:00Z/1m/com.example.app/ios/1.0"])
        #expect(rows.map(\.value) == [expected])
    }

    @Test func onlyDimensionsGroupedByInTheirOrder() {
        let settings = AggregateSettings(groupBy: [.appVersion, .app])
        var lexicon = Lexicon()
        var combiner = Combiner(settings)
        let one: ContiguousArray = [Deed(kind: .event, value: 0, time: 0, stream: 0).contribution(&lexicon)]
        combiner.add(one.span, lexicon: lexicon)
        var totals = WindowTotals(settings, sources: [])
        totals.take(&combiner, lexicon: lexicon)
        let rows = totals.finished()
        #expect(rows.map(\.key) == ["1970-01-01T00:00:00Z/1m/1.0/com.example.app"])
        #expect(rows[0].value.contains("\"final\":true,\"app_version\":\"1.0\",\"app_id\":\"com.example.app\",\"dev"))
    }

    private func text(_ write: (inout ContiguousArray<UInt8>) -> Void) -> String {
        var bytes = ContiguousArray<UInt8>()
        write(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func sizesInTheirLargestWholeUnit() {
        let sizes: [(Int64, String)] = [
            (1, "1s"), (59, "59s"), (60, "1m"), (90, "90s"), (3600, "1h"), (5400, "90m"), (86_400, "1d"),
            (90_000, "25h"), (30 * 86_400, "30d"),
        ]
        for (seconds, expected) in sizes { #expect(text { $0.append(windowSize: seconds * 1000) } == expected) }
    }

    @Test func dates() {
        let dates: [(Int64, String)] = [
            (0, "1970-01-01T00:00:00Z"), (-1000, "1969-12-31T23:59:59Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_800_000, "2000-03-01T00:00:00Z"), (4_107_542_399_000, "2100-02-28T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"), (Windows.earliest, "0100-01-01T00:00:00Z"),
            (Windows.latest, "9998-01-01T00:00:00Z"), (Windows.earliest - 400 * 86_400_000, "0098-11-27T00:00:00Z"),
        ]
        for (milliseconds, expected) in dates { #expect(text { $0.append(date: milliseconds) } == expected) }
    }

    @Test func quantilesHaveUpToThreeDecimals() {
        let numbers: [(Double?, String)] = [
            (nil, "null"), (0, "0"), (12, "12"), (12.5, "12.5"), (12.25, "12.25"), (0.001, "0.001"), (0.0004, "0"),
            (1002.0701, "1002.07"), (999.9996, "1000"), (8_796_093_022_207.5, "8796093022207.5"),
            (8_796_093_022_209, "8796093022209"), (0x1p63, "9223372036854775807"),
        ]
        for (number, expected) in numbers { #expect(text { $0.append(quantile: number) } == expected) }
    }

    @Test func stringsAreEscapedWhereJSONRequiresIt() {
        let sent = "a\"b\\c/d\u{8}\t\n\u{c}\r\u{1}\u{1f}\u{7f}é😀"
        #expect(
            text { $0.append(json: ContiguousArray(sent.utf8)) }
                == #""a\"b\\c/d\b\t\n\f\r\u0001\u001f"# + "\u{7f}é😀\"")
    }
}
