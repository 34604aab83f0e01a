internal import Decoding
internal import Lifecycle

/// Decoding alone, in the forms that events come in.
enum DecodeBench {
    private static let names = [
        "didFinishLaunching", "willEnterForeground", "didBecomeActive", "willResignActive", "didEnterBackground",
    ]
    private static let distinct = 4000

    /// Records of one form, and the events that they hold.
    private struct Shape {
        var name: String
        var records: [[UInt8]]
        var events: Int
    }

    private static func event(_ index: Int, more: String = "") -> String {
        let device = "d-\(1_000_000 + index * 7919 % 900_000)-4f2a-9c"
        return "{\"device_id\":\"\(device)\",\"app_id\":\"com.example.shop\",\"event\":\"\(names[index % 5])\","
            + "\"ts\":\(1_698_000_000_000 + index * 137),\"seq\":\(index % 97),"
            + "\"process_id\":\"p\(index * 31 % 9973)\","
            + "\"platform\":\"ios\",\"app_version\":\"4.12.\(index % 7)\",\"os_version\":\"17.4.1\","
            + "\"device_model\":\"iPhone15,\(index % 4)\"\(more)}"
    }

    private static func shapes() -> [Shape] {
        let properties = ",\"mono_ms\":8123.25,\"properties\":{\"screen\":\"cart\",\"items\":[1,2.5,{\"sku\":null}]}"
        let plain = (0..<distinct).map { event($0) }
        let full = (0..<distinct).map { event($0, more: properties) }
        let arrays = stride(from: 0, to: distinct, by: 10).map { start in
            "[" + plain[start..<(start + 10)].joined(separator: ",") + "]"
        }
        let lines = stride(from: 0, to: distinct, by: 10).map { start in
            plain[start..<(start + 10)].joined(separator: "\n")
        }
        return [
            Shape(name: "an object a record", records: plain.map { Array($0.utf8) }, events: distinct),
            Shape(name: "an object with other properties", records: full.map { Array($0.utf8) }, events: distinct),
            Shape(name: "an array of 10 a record", records: arrays.map { Array($0.utf8) }, events: distinct),
            Shape(name: "10 lines a record", records: lines.map { Array($0.utf8) }, events: distinct),
        ]
    }

    static func run(_ report: inout Report, full: Bool) throws {
        report.section("decode, one core")
        for shape in shapes() {
            let bytes = shape.records.reduce(0) { $0 + $1.count } / shape.events
            let (events, seconds) = measure(shape, rounds: full ? 1000 : 200)
            guard events == shape.events else {
                throw Child.Failure(description: "\(shape.name): \(events) events of \(shape.events) decoded")
            }
            report.speed("\(shape.name), \(bytes) B an event", events: events, seconds: seconds)
        }
    }

    /// The median of the rounds.
    private static func measure(_ shape: Shape, rounds: Int) -> (events: Int, seconds: Double) {
        var decoder = RecordDecoder(DecodingOptions())
        var lexicon = Lexicon()
        var batch = EventBatch(capacity: shape.events)
        var times: [Double] = []
        for _ in 0..<rounds {
            batch.removeAll()
            let start = Clock.thread
            for record in shape.records {
                decoder.decode(
                    unsafe record.span.bytes, key: nil, timestamp: 5, lexicon: &lexicon, into: &batch)
            }
            times.append(Clock.thread - start)
        }
        times.sort()
        return (batch.events.count, times[times.count / 2])
    }
}
