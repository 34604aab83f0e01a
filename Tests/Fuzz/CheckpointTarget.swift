import Aggregating
import Checkpointing
import Engine
import Lifecycle
import Settings

/// What a block of a checkpoint may say that no writer wrote: it is taken or refused, and never read beyond.
enum CheckpointTarget {
    private static let source = CheckpointSource(topic: "fuzz", partition: 0, pass: 2)
    /// States are at home below this place.
    private static let places: UInt32 = 300

    /// The first byte says where the input is cut in two blocks, of which the second tells what the first has told.
    static func take(_ bytes: [UInt8]) {
        guard let first = bytes.first, let settings = try? Settings([:]) else { return }
        let contents = bytes.dropFirst()
        let cut = contents.startIndex + contents.count * Int(first) / 255
        let engine = PartitionEngine(EngineSettings(settings, replays: true))
        let reader = CheckpointReader(engine, source, target: nil, offset: .max)
        for (number, content) in [contents[..<cut], contents[cut...], contents].enumerated() {
            var header = BlockHeader()
            header.topic = ContiguousArray(source.topic.utf8)
            header.number = CommitNumber(epoch: 1, commit: UInt64(number) + 1)
            header.stream = 1_767_225_600_000
            header.watermark = header.stream
            header.places = places
            header.slice = PassSlice(pass: 0, from: 0, to: 0, end: 0, isFirst: number == 0)
            let value = Block(header: header, content: ContiguousArray(content)).bytes
            unsafe reader.take(value.span.bytes, key: nil)
        }
        guard reader.finish(now: 1) != nil else {
            return check(engine.devices == 0, "\(engine.devices) devices are left of what was refused")
        }
        check(engine.devices <= Int(places), "\(engine.devices) devices at \(places) places")
        // What was taken can be told again.
        var records = RecordBatch()
        check(engine.saveCheckpoint(nextOffset: 0, into: &records) != nil, "no checkpoint is written")
    }
}
