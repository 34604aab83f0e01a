import Aggregating
import Decoding
import Engine
import Lifecycle
import Settings
import Testing

@testable import Fleet

/// The engine comes to what the devices have lived through, in each window and group and in every figure.
@Suite struct EngineTests {
    @Test(arguments: ReferenceTests.cases)
    func truthIsWhatTheEngineFinds(_ one: ReferenceTests.Case) throws {
        var options = one.options
        options.devices = 100
        options.duration = 9 * 3_600_000
        let run = FleetTests.run(options, truth: Truth.Shape())
        let lines = try Self.rows(of: run.text).map(ReferenceTests.withoutSketch)
        ReferenceTests.expectSame(run.truth?.lines() ?? [], lines)
    }

    /// A whole day with every fault. `Tests/Support/day` compares larger ones.
    @Test(arguments: [41, 42, 43] as [UInt64])
    func aDayWithEveryFault(seed: UInt64) throws {
        var options = FleetOptions()
        options.devices = 60
        options.duration = 24 * 3_600_000
        options.seed = seed
        options.faults = .all
        var shape = Truth.Shape()
        shape.windows = [3_600_000, 86_400_000]
        let run = FleetTests.run(options, truth: shape)
        let lines = try Self.rows(of: run.text, windows: "1h,1d").map(ReferenceTests.withoutSketch)
        ReferenceTests.expectSame(run.truth?.lines() ?? [], lines)
    }

    /// Both sizes of windows, another grouping, and a limit that cuts the stream where it is most alive.
    @Test func otherShapesAreMetToo() throws {
        var shape = Truth.Shape()
        shape.windows = [300_000, 3_600_000]
        shape.groupBy = [.platform, .osVersion]
        var options = FleetOptions()
        options.devices = 300
        options.events = 5_000
        options.seed = 21
        options.faults = [.lost, .reorder, .duplicates, .crashes]
        let run = FleetTests.run(options, truth: shape)
        let lines = try Self.rows(of: run.text, groupBy: "platform,os_version", windows: "5m,1h")
        // Beyond 64 devices the sketch is no longer exact.
        let counted = { (line: String) in line.replacing(/"devices":\d+,/, with: "") }
        ReferenceTests.expectSame(
            (run.truth?.lines() ?? []).map(counted), lines.map(ReferenceTests.withoutSketch).map(counted), atLeast: 10)
    }

    private static func rows(
        of text: [UInt8], groupBy: String = "app_id,platform,app_version", windows: String = "1m"
    ) throws -> [String] {
        let settings = try Settings(
            file: nil, environment: [:],
            overrides: [
                SettingOverride(key: "group.by", value: groupBy, option: "test"),
                SettingOverride(key: "window.sizes", value: windows, option: "test"),
            ], required: [])
        let engineSettings = EngineSettings(settings, replays: true)
        let engine = PartitionEngine(engineSettings)
        var totals = WindowTotals(
            engineSettings.aggregating, sources: [SourcePartition(topic: "replay", partition: 0)])
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let bytes = Array(line)
            let rejections = engine.ingest(unsafe bytes.span.bytes, key: nil, timestamp: Event.absent)
            #expect(rejections.isEmpty)
            if engine.isFull { engine.drain(into: &totals) }
        }
        engine.finish()
        engine.drain(into: &totals)
        var rows = RecordBatch()
        totals.finish(into: &rows)
        return (0..<rows.count).map { index in
            rows.withRecord(index) { _, value in String(decoding: FleetTests.bytes(value), as: UTF8.self) }
        }
    }
}
