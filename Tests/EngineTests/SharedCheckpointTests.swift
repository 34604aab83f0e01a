import Aggregating
import Checkpointing
import Settings
import Testing

@testable import Engine

/// Partitions of the input that share one of the checkpoint: each reads its own states alone.
@Suite struct SharedCheckpointTests {
    private typealias Entry = (key: ContiguousArray<UInt8>, value: ContiguousArray<UInt8>)

    private static func source(_ partition: Int32) -> CheckpointSource {
        CheckpointSource(topic: "in", partition: partition, pass: 1)
    }

    /// The checkpoint of a partition with one device, as one commit.
    private static func written(_ partition: Int32, _ settings: EngineSettings) throws -> (CommitNumber, [Entry]) {
        let engine = PartitionEngine(settings)
        _ = CheckpointReader(engine, source(partition), target: nil, offset: 0).finish(now: 1)
        let text = "{\"device_id\":\"d\(partition)\",\"app_id\":\"a\",\"event\":\"heartbeat\",\"ts\":1767225600000}"
        unsafe engine.ingest(ContiguousArray(text.utf8).span.bytes, key: nil, timestamp: 1_767_225_600_000)
        engine.process()
        var records = RecordBatch()
        let commit = try #require(engine.saveCheckpoint(nextOffset: 1, into: &records))
        let entries = (0..<records.count).map { index in
            records.withRecord(index) { key, value in
                (
                    unsafe key.withUnsafeBytes { unsafe ContiguousArray($0) },
                    unsafe value.withUnsafeBytes { unsafe ContiguousArray($0) }
                )
            }
        }
        return (commit.number, entries)
    }

    /// A torn block, and one of another version, are missed by the partition whose they are and by no other.
    @Test(arguments: [4, 60]) func whatCannotBeReadIsMissedByItsOwnerAlone(spoilt: Int) throws {
        let settings = EngineSettings(try Settings([:]))
        let (first, own) = try Self.written(0, settings)
        let (second, others) = try Self.written(1, settings)
        let log =
            own
            + others.map { entry in
                var value = entry.value
                value[spoilt] ^= 0x40
                return (entry.key, value)
            }
        for (partition, target, found) in [(Int32(0), first, Optional(first)), (1, second, nil)] {
            let engine = PartitionEngine(settings)
            let reader = CheckpointReader(engine, Self.source(partition), target: target, offset: 1)
            for (key, value) in log { unsafe reader.take(value.span.bytes, key: key.span.bytes) }
            #expect(reader.finish(now: 1) == found)
            #expect(reader.unreadable == (found == nil ? 1 : 0))
            #expect(engine.devices == (found == nil ? 0 : 1))
        }
    }
}
