import CAllocationCount
import Decoding
import Lifecycle
import Testing

/// Nothing is asked of the allocator for an event, once the first records have been read.
///
/// Of optimised builds only: `swift test -c release -Xswiftc -enable-testing --filter AllocationTests`.
@Suite(.disabled(if: _isDebugAssertConfiguration(), "an unoptimised build keeps small values on the heap"))
struct AllocationTests {
    @Test func theProbeCounts() {
        let before = allocation_count()
        let array = ContiguousArray(repeating: UInt8(1), count: 100 + Int(truncatingIfNeeded: before & 1))
        #expect(allocation_count() > before)
        #expect(array.count >= 100)
    }

    static let properties = #""properties":{"a":[1,2.5,{"b":null}],"text":"\u00e9\n"},"mono_ms":12.5"#

    /// Records of each way of reading events in JSON.
    static let records: [(String, [String])] = [
        ("short", [json(), json(#""seq":5,"scope":"view","reason":"call","handler_ms":2.5"#), json(#""event":"x""#)]),
        ("full", [json(properties), json(properties + #","seq":1,"sent_ts":"2023-10-22T18:40:01.5Z""#)]),
        ("array", ["[" + json() + "," + json() + "]", "[" + json(properties) + "," + json() + "]"]),
        ("lines", [json() + "\n" + json() + "\n", json(properties) + "\n" + json()]),
    ]

    @Test(arguments: records)
    func perEvent(way: String, records: [String]) throws {
        var decoder = RecordDecoder(DecodingOptions())
        var lexicon = Lexicon()
        var batch = EventBatch(capacity: 1024)
        let records = records.map { Array($0.utf8) }
        func read(_ rounds: Int) {
            for _ in 0..<rounds {
                batch.removeAll()
                for record in records {
                    unsafe decoder.decode(
                        record.span.bytes, key: nil, timestamp: 5, lexicon: &lexicon, into: &batch)
                }
            }
        }
        read(10)
        let before = allocation_count()
        read(1000)
        let count = allocation_count() - before
        #expect(count == 0, "\(way): \(Double(count) / Double(1000 * batch.events.count)) an event")
        #expect(batch.events.count >= 2 && batch.rejections.isEmpty)
    }
}
