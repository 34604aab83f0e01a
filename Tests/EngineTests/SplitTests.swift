import Aggregating
import Lifecycle
import Testing

@testable import Engine

/// One installation on two input partitions within an hour.
@Suite struct SplitTests {
    private static let minute: Int64 = 60_000
    private static let hour = 60 * minute
    private static let start: Int64 = 1_767_225_600_000
    private let first = SourcePartition(topic: "input", partition: 0)
    private let second = SourcePartition(topic: "input", partition: 1)

    /// How many of the sightings, at minutes after ``start``, are found to be split.
    private func look(
        _ watch: SplitWatch, _ source: SourcePartition, at minutes: Int64..., of device: UInt64 = 7
    ) -> Int {
        let sightings = ContiguousArray(
            minutes.map { minute in
                let time = Self.start + minute * Self.minute
                return Sighting(installation: device, received: time, time: time, group: 0)
            })
        return watch.look(sightings.span, of: source).count
    }

    @Test func onePartitionIsNotSplit() {
        let watch = SplitWatch()
        #expect(look(watch, first, at: 0, 15, 30, 45, 60, 300) == 0)
        #expect(watch.found == 0)
    }

    @Test func twoPartitionsWithinAnHourAre() {
        let watch = SplitWatch()
        #expect(look(watch, first, at: 10) == 0)
        #expect(look(watch, second, at: 20) == 1)
        #expect(look(watch, second, at: 30, of: 8) == 0)
        #expect(watch.found == 1)
    }

    @Test func anHourApartIsWithinAndMoreIsNot() {
        #expect(apart(60) == 1)
        #expect(apart(61) == 0)
    }

    private func apart(_ minutes: Int64) -> Int {
        let watch = SplitWatch()
        _ = look(watch, first, at: 50)
        return look(watch, second, at: 50 + minutes)
    }

    @Test func theLastOfAnHourCountsToo() {
        let watch = SplitWatch()
        _ = look(watch, first, at: 0, 55)
        #expect(look(watch, second, at: 110) == 1)
    }

    @Test func anInstallationCountsOnceInAnHour() {
        let watch = SplitWatch()
        _ = look(watch, first, at: 0)
        #expect(look(watch, second, at: 5, 20, 35) == 1)
        #expect(look(watch, first, at: 40, 50) == 0)
        #expect(look(watch, second, at: 65) == 1)
    }

    /// Files come one after the other, each in its own order.
    @Test func whatCameBeforeIsFoundAfterwards() {
        let watch = SplitWatch()
        _ = look(watch, first, at: 0, 200, 400)
        #expect(look(watch, second, at: 210) == 1)
    }

    @Test func whatIsRememberedIsBoundedAndTheOldestGivesWay() {
        var table = SightingTable(bucketBits: 6)
        let limit = UInt64(SightingTable.ways << 6)
        func note(_ devices: Range<UInt64>, at minute: Int64) {
            for device in devices {
                let isSplit = table.note(device, received: Self.start + minute * Self.minute, source: 0)
                #expect(!isSplit)
            }
        }
        note(0..<4 * limit, at: 0)
        var count = UInt64(table.count)
        #expect(count == limit)
        note(4 * limit..<4 * limit + 1, at: 60)
        note(4 * limit + 1..<8 * limit, at: 0)
        count = UInt64(table.count)
        #expect(count == limit)
        let isRemembered = table.note(4 * limit, received: Self.start + 61 * Self.minute, source: 1)
        #expect(isRemembered)
    }

    /// But for a bucket in thousands that is full before the others are.
    @Test func growthForgetsNothing() {
        var table = SightingTable(bucketBits: 12)
        let devices = UInt64(5000)
        for device in 0..<devices { _ = table.note(device, received: Self.start, source: 0) }
        var found = 0
        for device in 0..<devices where table.note(device, received: Self.start + Self.minute, source: 1) { found += 1 }
        #expect(found > 4950)
    }

    /// What is packed into bits gives back what was put in, before 1970 too.
    @Test(arguments: [-491_000, -1, 0, 1, 490_896, 1_040_000] as [Int64], [0, 1, 59] as [Int64])
    func anHourIsAnHourAtAnyTime(hour: Int64, minute: Int64) {
        for (apart, count) in [(0, 1), (-60, 1), (60, 1), (61, 0), (-61, 0), (120, 0), (1 << 21, 0)] as [(Int64, Int)] {
            let watch = SplitWatch()
            let minutes = hour * 60 + minute - Self.start / Self.minute
            _ = look(watch, first, at: minutes)
            #expect(look(watch, second, at: minutes + apart) == count)
        }
    }

    @Test func anEngineCountsItInTheWindowAndGroupOfTheLaterEvent() {
        let watch = SplitWatch()
        var totals = WindowTotals(EngineSettings().aggregating, sources: [first, second])
        for (source, minute) in [(first, Int64(0)), (second, 7)] {
            let engine = PartitionEngine(EngineSettings(), splits: watch, source: source)
            let time = Self.start + minute * Self.minute
            let event = #"{"device_id":"d","app_id":"a","event":"didBecomeActive","ts":\#(time)}"#
            unsafe event.utf8.withContiguousStorageIfAvailable { bytes in
                _ = unsafe engine.ingest(RawSpan(_unsafeElements: bytes), key: nil, timestamp: time)
            }
            engine.drain(into: &totals)
        }
        var rows = RecordBatch()
        totals.finish(into: &rows)
        let texts = (0..<rows.count).map { index in
            rows.withRecord(index) { _, value in
                unsafe value.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            }
        }
        #expect(texts.count == 2)
        #expect(texts.first?.contains(#""anomalies":{}"#) == true)
        #expect(texts.last?.contains(#""anomalies":{"split_key":1}"#) == true)
    }
}
