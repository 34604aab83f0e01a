import Aggregating
import Foundation
import Lifecycle
import ReferenceFold
import Settings
import Testing

@testable import Engine

/// Records of a few devices spread over input partitions without any key, sent through stage 0 and merged again, come
/// to a sequential fold of all of them by receive time, however fast each partition was read.
@Suite struct SourceMergeTests {
    private static let inputs = 4
    private static let sources = (0..<inputs).map { SourcePartition(topic: "in", partition: Int32($0)) }

    /// The input partitions, their records in the order in which they stand there.
    private static func spread(_ records: [[UInt8]], _ random: inout SeededGenerator) -> [[[UInt8]]] {
        var partitions: [[[UInt8]]] = Array(repeating: [], count: inputs)
        for record in records { partitions[random.pick(Array(0..<inputs))].append(record) }
        return partitions
    }

    private static func received(_ record: [UInt8]) -> Int64 {
        let text = String(decoding: record, as: UTF8.self)
        guard let range = text.range(of: "\"rx_ts\":") else { return 0 }
        return Int64(text[range.upperBound...].prefix { $0.isNumber }) ?? 0
    }

    /// By stream time of the partition, then by partition, then as they stand there.
    private static func sequence(_ partitions: [[[UInt8]]]) -> [[UInt8]] {
        var all: [(stream: Int64, partition: Int, offset: Int)] = []
        for (number, records) in partitions.enumerated() {
            var stream = Int64.min
            for (offset, record) in records.enumerated() {
                stream = max(stream, received(record))
                all.append((stream, number, offset))
            }
        }
        return all.sorted { ($0.stream, $0.partition, $0.offset) < ($1.stream, $1.partition, $1.offset) }
            .map { partitions[$0.partition][$0.offset] }
    }

    /// Fleets whose records tell when they were received.
    private static func fleets(_ kind: RandomFleet.Kind) -> [(UInt64, RandomFleet)] {
        (1...15).map { ($0, RandomFleet(seed: $0, kind: kind)) }.filter { $0.1.traits.receives }
    }

    @Test(arguments: RandomFleet.Kind.allCases)
    func howFastEachIsReadDecidesNothing(kind: RandomFleet.Kind) throws {
        for (seed, fleet) in Self.fleets(kind) {
            var random = SeededGenerator(seed: seed)
            let partitions = Self.spread(fleet.records, &random)
            let expected = try ReferenceFold(settings: fleet.settings)
                .fold([.init(records: Self.sequence(partitions))])
            for pace in [[1, 1, 1, 1], [50, 1, 2, 1], [1, 0, 3, 9]] {
                var log = Log(try Settings(fleet.settings), sources: Self.sources, outputs: 3)
                log.read(partitions, pace, &random)
                let found = try log.fold(restarts: false, &random)
                let difference = Comparison.firstDifference(expected: expected.rows, records: found)
                #expect(difference == nil, "\(kind.rawValue):\(seed), read at \(pace)")
                let again = try log.fold(restarts: true, &random)
                let same = again == found
                let other = same ? nil : Comparison.firstDifference(expected: expected.rows, records: again)
                #expect(same, "\(kind.rawValue):\(seed), read at \(pace), with restarts: \(other ?? "")")
            }
        }
    }

    /// What the test above would not see if nothing waited: the order in which it came gives other figures.
    @Test func withoutTheMergeSpeedDecides() throws {
        var different = 0
        for (seed, fleet) in Self.fleets(.app) {
            var random = SeededGenerator(seed: seed)
            let partitions = Self.spread(fleet.records, &random)
            let expected = try ReferenceFold(settings: fleet.settings)
                .fold([.init(records: Self.sequence(partitions))])
            var log = Log(try Settings(fleet.settings), sources: [], outputs: 3)
            log.read(partitions, [50, 1, 2, 1], &random)
            let found = try log.fold(restarts: false, &random)
            if Comparison.firstDifference(expected: expected.rows, records: found) != nil { different += 1 }
        }
        #expect(different > 5)
    }

    /// Nobody waits for a partition that is idle; what it sends after all is folded when it comes.
    @Test func idlePartitionsAreNotWaitedFor() throws {
        let settings = EngineSettings()
        let sources = Array(Self.sources[..<2])
        let routers = sources.map { EventRouter(settings, source: $0, partitions: 1) }
        let engine = PartitionEngine(settings)
        engine.expect(sources)
        var offset: Int64 = 0
        func tell(_ source: Int, _ time: Int64?, isIdle: Bool = false) throws {
            if let time {
                let text = Array("{\"device_id\":\"d\",\"app_id\":\"a\",\"event\":\"heartbeat\",\"ts\":\(time)}".utf8)
                unsafe _ = routers[source].ingest(text.span.bytes, key: nil, timestamp: time)
            }
            var events = RecordBatch()
            routers[source].closeEpoch(isIdle: isIdle, into: &events)
            for index in 0..<events.count {
                events.withRecord(index) { _, value in _ = engine.ingest(packed: value, offset: offset) }
                offset += 1
            }
            engine.process()
        }
        try tell(0, 1000)
        #expect(engine.counts.events == 0 && engine.firstWaiting == 0 && engine.waitingBytes > 0)
        try tell(1, nil)
        #expect(engine.counts.events == 0 && !engine.isIdle)
        try tell(1, nil, isIdle: true)
        #expect(engine.counts.events == 1 && engine.firstWaiting == nil && engine.waitingBytes == 0)
        try tell(0, 5000)
        #expect(engine.counts.events == 2 && engine.watermark == 5000)
        // It is late, and nothing waits for it.
        try tell(1, 4000)
        #expect(engine.counts.events == 3)
        try tell(0, 6000)
        #expect(engine.counts.events == 3 && engine.firstWaiting != nil)
        try tell(1, 6500)
        // The other may have more of the same time.
        #expect(engine.counts.events == 3 && engine.watermark == 6000)
        try tell(0, nil, isIdle: true)
        #expect(engine.counts.events == 5 && !engine.isIdle)
        try tell(1, nil, isIdle: true)
        #expect(engine.isIdle)
    }

    /// What was folded before a restart is not folded again, unless the log is another one.
    @Test func aLogMadeAnewIsFoldedFromItsBeginning() throws {
        let router = EventRouter(EngineSettings(), source: Self.sources[0], partitions: 1)
        let text = Array("{\"device_id\":\"d\",\"app_id\":\"a\",\"event\":\"heartbeat\",\"ts\":1}".utf8)
        unsafe _ = router.ingest(text.span.bytes, key: nil, timestamp: 1000)
        var events = RecordBatch()
        router.closeEpoch(into: &events)
        for isAnew in [false, true] {
            let engine = PartitionEngine(EngineSettings())
            engine.expect([Self.sources[0]])
            engine.resume(MergePlace(end: 7, frontier: 2000))
            if isAnew { engine.beginAnew() }
            events.withRecord(0) { _, value in _ = engine.ingest(packed: value, offset: 3) }
            engine.process()
            #expect(engine.counts.events == (isAnew ? 1 : 0))
            #expect(engine.mergePlace(end: 4) == MergePlace(end: isAnew ? 4 : 7, frontier: 2000))
        }
    }

    /// A record that claims to be received in the future holds nobody up, and keeps its place among its neighbours.
    @Test func aReceiveTimeOfTheFutureIsNone() throws {
        let settings = EngineSettings()
        let sources = Array(Self.sources[..<2])
        let routers = sources.map { EventRouter(settings, source: $0, partitions: 1) }
        for router in routers { router.latest = 10_000 }
        let engine = PartitionEngine(settings)
        engine.expect(sources)
        var offset: Int64 = 0
        func send(_ source: Int, _ times: Int64...) throws {
            for time in times {
                let text = Array("{\"device_id\":\"d\(time)\",\"app_id\":\"a\",\"event\":\"heartbeat\",\"ts\":1}".utf8)
                unsafe _ = routers[source].ingest(text.span.bytes, key: nil, timestamp: time)
            }
            var events = RecordBatch()
            routers[source].closeEpoch(into: &events)
            for index in 0..<events.count {
                events.withRecord(index) { _, value in _ = engine.ingest(packed: value, offset: offset) }
                offset += 1
            }
            engine.process()
        }
        try send(0, 1000, 99_000_000, 3000)
        #expect(routers[0].stream == 3000 && !routers[0].isPassedOver)
        try send(1, 2000)
        #expect(engine.counts.events == 2)
        try send(1, 99_000_000)
        #expect(routers[1].isPassedOver)
        #expect(engine.counts.events == 5 && engine.firstWaiting == nil)
    }
}

/// What routers of several input partitions have written, by partition of the events, as it stands in their logs.
private struct Log {
    private let settings: EngineSettings
    private let sources: [SourcePartition]
    private var outputs: [[ContiguousArray<UInt8>]]

    init(_ settings: Settings, sources: [SourcePartition], outputs: Int) {
        self.settings = EngineSettings(settings, replays: true)
        self.sources = sources
        self.outputs = Array(repeating: [], count: outputs)
    }

    /// Reads all partitions, so many records of each in a turn; those at 0 when the others are through.
    mutating func read(_ partitions: [[[UInt8]]], _ pace: [Int], _ random: inout SeededGenerator) {
        let routers = partitions.indices.map {
            EventRouter(
                settings, source: SourcePartition(topic: "in", partition: Int32($0)), partitions: outputs.count)
        }
        var places = partitions.map { _ in 0 }
        while let slowest = partitions.indices.first(where: { places[$0] < partitions[$0].count }) {
            let isMoving = partitions.indices.contains { places[$0] < partitions[$0].count && pace[$0] > 0 }
            for (number, records) in partitions.enumerated() {
                let count = isMoving ? pace[number] : number == slowest ? 5 : 0
                for record in records[places[number]...].prefix(count) {
                    unsafe _ = routers[number].ingest(record.span.bytes, key: nil, timestamp: Event.absent)
                    places[number] += 1
                }
                if random.happens(0.5) { close(routers[number]) }
            }
        }
        for router in routers { close(router) }
        for router in routers { close(router, isIdle: true) }
        // For whoever has begun to read since.
        for router in routers { close(router, isIdle: true, tellsAgain: true) }
    }

    private mutating func close(_ router: EventRouter, isIdle: Bool = false, tellsAgain: Bool = false) {
        var events = RecordBatch()
        router.closeEpoch(isIdle: isIdle, tellsAgain: tellsAgain, into: &events)
        for index in 0..<events.count {
            events.withRecord(index) { _, value in
                let bytes = unsafe value.withUnsafeBytes { unsafe ContiguousArray($0) }
                outputs[Int(events.records[index].route)].append(bytes)
            }
        }
    }

    /// Folds all logs, each by an engine of its own, and gives the rows.
    /// - Parameter restarts: engines come and go; each goes on at the first record that is not folded wholly.
    func fold(restarts: Bool, _ random: inout SeededGenerator) throws -> [[UInt8]] {
        var totals = WindowTotals(settings.aggregating, sources: [])
        for log in outputs {
            var engine = PartitionEngine(settings)
            engine.expect(sources)
            var next = 0
            while next < log.count {
                let record = log[next]
                let unreadable = unsafe engine.ingest(packed: record.span.bytes, offset: Int64(next))
                #expect(unreadable == 0)
                next += 1
                guard restarts, next < log.count - sources.count, random.happens(0.2) else { continue }
                engine.drain(into: &totals)
                let place = engine.mergePlace(end: Int64(next))
                if let first = engine.firstWaiting { next = Int(first) }
                engine = PartitionEngine(settings, statesOf: engine)
                engine.expect(sources)
                engine.resume(place)
            }
            #expect(engine.firstWaiting == nil && engine.waitingBytes == 0)
            engine.finish()
            engine.drain(into: &totals)
        }
        var rows = RecordBatch()
        totals.finish(into: &rows)
        return (0..<rows.count).map { index in
            rows.withRecord(index) { _, value in unsafe value.withUnsafeBytes { unsafe Array($0) } }
        }
    }
}
