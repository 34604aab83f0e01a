import Aggregating
import Lifecycle
import Testing

@testable import Engine

/// Stage 0 and stage 1 after it give what stage 1 alone gives.
@Suite struct EventRouterTests {
    private let devices = 40

    /// Records of many devices each, as collectors send them.
    private func records() -> [(value: String, time: Int64)] {
        let edges = ["launch", "didBecomeActive", "willResignActive", "didEnterBackground", "strange", "heartbeat"]
        return (0..<60).map { number in
            let time = Int64(1_767_225_600_000 + number * 5000)
            let events = (0..<devices).map { device in
                let edge = edges[(number + device) % edges.count]
                return "{\"device_id\":\"d\(device)\",\"app_id\":\"a\(device % 3)\",\"event\":\"\(edge)\","
                    + "\"seq\":\(number),\"process_id\":\"p\",\"platform\":\"ios\",\"ts\":\(time + Int64(device))}"
            }
            let bad = number == 7 ? ",{\"app_id\":\"a\",\"event\":\"launch\"}" : ""
            return ("[" + events.joined(separator: ",") + bad + "]", time + 1000)
        }
    }

    private func rows(_ fill: (inout WindowTotals, EngineSettings) -> Void) -> [String] {
        let settings = EngineSettings()
        var totals = WindowTotals(settings.aggregating, sources: [])
        fill(&totals, settings)
        var rows = RecordBatch()
        totals.finish(into: &rows)
        return (0..<rows.count).map { index in
            rows.withRecord(index) { _, value in
                unsafe value.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    @Test(arguments: [1, 3, 8])
    func theWayRoundGivesTheSameRows(partitions: Int) {
        let direct = rows { totals, settings in
            let engine = PartitionEngine(settings)
            for (text, time) in records() { #expect(engine.take(text, time).count <= 1) }
            engine.finish()
            engine.drain(into: &totals)
        }
        var rejected = 0
        let routed = rows { totals, settings in
            let router = EventRouter(
                settings, source: SourcePartition(topic: "in", partition: 0), partitions: partitions)
            let engines = (0..<partitions).map { _ in PartitionEngine(settings) }
            for (number, (text, time)) in records().enumerated() {
                rejected += router.take(text, time).count
                if number % 10 == 9 { hand(over: router, to: engines) }
            }
            for engine in engines {
                // Every partition has heard of the last receive time.
                engine.process()
                #expect(engine.watermark == records().last?.time)
                engine.finish()
                engine.drain(into: &totals)
            }
        }
        #expect(rejected == 1)
        #expect(direct.count > 5)
        #expect(routed == direct)
    }

    private func hand(over router: EventRouter, to engines: [PartitionEngine]) {
        var events = RecordBatch()
        router.closeEpoch(into: &events)
        for index in 0..<events.count {
            events.withRecord(index) { key, value in
                let keyBytes = key.byteCount
                #expect(keyBytes == 0)
                let unreadable = engines[Int(events.records[index].route)].ingest(packed: value, offset: 0)
                #expect(unreadable == 0)
            }
        }
    }
}

extension PartitionEngine {
    fileprivate func take(_ text: String, _ time: Int64) -> [Rejection] {
        let bytes = Array(text.utf8)
        return unsafe ingest(bytes.span.bytes, key: nil, timestamp: time)
    }
}

extension EventRouter {
    fileprivate func take(_ text: String, _ time: Int64) -> [Rejection] {
        let bytes = Array(text.utf8)
        return unsafe ingest(bytes.span.bytes, key: nil, timestamp: time)
    }
}
