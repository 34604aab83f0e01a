import Aggregating
import Checkpointing
import Lifecycle
import Settings
import Testing

@testable import Engine

/// Blocks whose checksum is right and whose content no writer wrote: they are refused, or taken as something that can
/// be told again. Nothing is read beyond them, and nothing traps.
@Suite struct CheckpointDamageTests {
    private static let source = CheckpointSource(topic: "in", partition: 3, pass: 3)

    @Test(arguments: RandomFleet.Kind.allCases)
    func aDamagedContentIsRefusedOrTaken(kind: RandomFleet.Kind) throws {
        var refused = 0
        for seed in 1...UInt64(20) {
            let fleet = RandomFleet(seed: seed, kind: kind)
            let settings = EngineSettings(try Settings(fleet.settings), replays: true)
            let log = write(fleet.records, settings)
            var random = SeededGenerator(seed: seed &+ 4711)
            for _ in 0..<20 {
                let chosen = Int.random(in: log.indices, using: &random)
                let engine = PartitionEngine(settings)
                let reader = CheckpointReader(engine, Self.source, target: nil, offset: .max)
                for (number, value) in log.enumerated() {
                    let value = number == chosen ? try damaged(value, &random) : value
                    unsafe reader.take(value.span.bytes, key: nil)
                }
                if reader.finish(now: 1) == nil {
                    refused += 1
                    #expect(engine.devices == 0)
                } else {
                    var records = RecordBatch()
                    #expect(engine.saveCheckpoint(nextOffset: 0, into: &records) != nil)
                }
            }
        }
        #expect(refused > 0, "damage is met")
    }

    /// A commit every few records.
    private func write(_ lines: [[UInt8]], _ settings: EngineSettings) -> [ContiguousArray<UInt8>] {
        let engine = PartitionEngine(settings)
        engine.beginCheckpoint(Self.source, epoch: 1, base: nil)
        var log: [ContiguousArray<UInt8>] = []
        for (number, line) in lines.enumerated() {
            unsafe engine.ingest(line.span.bytes, key: nil, timestamp: Event.absent)
            guard number % 20 == 19 || number + 1 == lines.count else { continue }
            var (partials, records) = (RecordBatch(), RecordBatch())
            engine.closeEpoch(source: SourcePartition(topic: "in", partition: 3), into: &partials)
            _ = engine.saveCheckpoint(nextOffset: Int64(number) + 1, into: &records)
            for index in 0..<records.count {
                records.withRecord(index) { _, value in
                    log.append(unsafe value.withUnsafeBytes { unsafe ContiguousArray($0) })
                }
            }
        }
        return log
    }

    /// The block with a few bytes of its content changed, or cut off.
    private func damaged(
        _ value: ContiguousArray<UInt8>, _ random: inout SeededGenerator
    ) throws -> ContiguousArray<UInt8> {
        var block = try unsafe Block(value.span.bytes)
        guard !block.content.isEmpty else { return value }
        if Int.random(in: 0..<8, using: &random) == 0 {
            block.content.removeLast(Int.random(in: 1...block.content.count, using: &random))
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) where !block.content.isEmpty {
            let place = Int.random(in: block.content.indices, using: &random)
            block.content[place] = UInt8.random(in: 0...255, using: &random)
        }
        return block.bytes
    }
}
