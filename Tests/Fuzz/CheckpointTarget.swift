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

    /// The first two bytes tell how long the first content is; another follows, and then the first one again.
    static func take(_ bytes: [UInt8]) {
        guard bytes.count > 2, let settings = try? Settings([:]) else { return }
        let cut = min(2 + Int(bytes[0]) << 8 + Int(bytes[1]), bytes.count)
        let (first, second) = (bytes[2..<cut], bytes[cut...])
        let engine = PartitionEngine(EngineSettings(settings, replays: true))
        let reader = CheckpointReader(engine, source, target: nil, offset: .max)
        for (number, content) in [first, second, first].enumerated() {
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
