import Foundation
import ReferenceFold
import Testing

/// The oracle itself, where a mistake of its own would go unseen: its histograms, its rows, its comparison.
@Suite struct ReferenceFoldTests {
    private func rows(_ lines: [String], _ settings: [String: String] = [:]) throws -> [Row] {
        let known = ["group.by": "app_id", "window.sizes": "30d"]
        let fold = try ReferenceFold(settings: known.merging(settings) { $1 })
        return fold.fold([.init(records: lines.map { Array($0.utf8) })]).rows
    }

    private func line(_ event: String, _ time: Int, device: String = "d1") -> String {
        #"{"device_id":"\#(device)","app_id":"a","event":"\#(event)","ts":\#(time),"rx_ts":\#(time + 200)}"#
    }

    private func field(_ name: String, of row: Row) -> String? {
        row.fields.first { $0.key == name }?.value.json
    }

    @Test func anInterruptionIsMeasuredBetweenItsEdges() throws {
        let start = 1_698_000_000_000
        let found = try rows([
            line("didBecomeActive", start), line("willResignActive", start + 5000),
            line("didBecomeActive", start + 6000),
        ])
        #expect(found.count == 1)
        let row = try #require(found.first)
        #expect(row.key == "2023-10-20T00:00:00Z/30d/a")
        #expect(field("inactive_by_class", of: row) == #"{"interruption":{"count":1,"sum_ms":1000}}"#)
        #expect(field("active", of: row) == #"{"count":1,"sum_ms":5000}"#)
        #expect(field("anomalies", of: row) == "{}")
    }

    /// Every length is its own summary: the bucket must hold it, upper end included, and be the only one.
    @Test(arguments: [1, 2, 3, 4, 1000, 1024, 59_999, 65_536, 604_800_000])
    func aBucketHoldsItsValue(_ milliseconds: Int) throws {
        let start = 1_698_000_000_000
        let found = try rows(
            [
                line("didBecomeActive", start), line("willResignActive", start + 10),
                line("heartbeat", start + 10), line("didBecomeActive", start + 10 + milliseconds),
            ], ["silence.timeout": "8d"])
        let inactive = try #require(found.first { field("inactive", of: $0)?.contains(#""count":1"#) ?? false })
        let json = try #require(field("inactive", of: inactive))
        let parsed = try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let histogram = try #require(parsed["histogram"] as? [String: Any])
        let offset = try #require(histogram["offset"] as? Int)
        #expect(histogram["scale"] as? Int == 5)
        #expect(histogram["counts"] as? [Int] == [1])
        let value = Double(milliseconds)
        #expect(exp2(Double(offset) / 32) < value * (1 - 1e-12))
        #expect(value <= exp2(Double(offset + 1) / 32) * (1 + 1e-12))
        #expect(json.contains(#""p50_ms":\#(milliseconds),"#))
    }

    @Test func devicesDoNotInfluenceEachOther() throws {
        let start = 1_698_000_000_000
        let one = ["didBecomeActive", "willResignActive", "didEnterBackground"].enumerated().map {
            line($1, start + $0 * 1000)
        }
        let other = ["willEnterForeground", "didBecomeActive", "willTerminate"].enumerated().map {
            line($1, start + $0 * 1000, device: "d2")
        }
        let mixed = zip(one, other).flatMap { [$1, $0] }
        let sizes = ["window.sizes": "1s,1m"]
        let expected = try rows(one + other, sizes)
        #expect(expected.count == 4)
        #expect(Comparison.firstDifference(expected: expected, found: try rows(mixed, sizes)) == nil)
    }

    @Test func aDifferenceNamesWindowGroupAndField() throws {
        let start = 1_698_000_000_000
        let some = try rows([line("didBecomeActive", start), line("willResignActive", start + 5000)])
        let more = try rows([line("didBecomeActive", start), line("willResignActive", start + 5001)])
        let difference = try #require(Comparison.firstDifference(expected: some, found: more))
        #expect(difference.hasSuffix("/30d/a: active.sum_ms: expected 5000, found 5001"))
        #expect(Comparison.firstDifference(expected: some, found: []) == "\(some[0].key): missing")
        #expect(Comparison.firstDifference(expected: [], found: some) == "\(some[0].key): unexpected")
    }

    @Test func aRowReadsBackAsItself() throws {
        let start = 1_698_000_000_000
        let some = try rows([line("didBecomeActive", start), line("willResignActive", start + 5000)])
        let text = some.map { Array($0.json.utf8) }
        #expect(Comparison.firstDifference(expected: some, records: text) == nil)
    }

    @Test func anUnreadableSettingIsAnError() {
        #expect(throws: BadOption.self) { try ReferenceFold(settings: ["silence.timeout": "soon"]) }
    }
}
