import Aggregating
import Checkpointing
import Foundation
import Lifecycle
import Settings
import Testing

@testable import Engine

/// The format of the checkpoint as a file keeps it: what was written then is read now, and written now.
///
/// Where a byte's meaning changes so does ``Block/version``, and with it the name of the file:
/// `PHASEFOLD_RENEW=1 swift test --filter CheckpointFormatTests` writes it. The page Format.md tells the format.
@Suite struct CheckpointFormatTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures/checkpoint")
    private static func file(_ version: UInt8) -> URL { folder.appendingPathComponent("blocks-v\(version).bin") }
    private static let source = CheckpointSource(topic: "in", partition: 3, pass: 3)
    /// Records of a commit.
    private static let commit = 20

    /// The checkpoint of a fold of the events, a commit every so many; and the engine.
    private func write() throws -> (engine: PartitionEngine, values: [ContiguousArray<UInt8>], last: CommitNumber) {
        let events = try String(contentsOf: Self.folder.appendingPathComponent("events.ndjson"), encoding: .utf8)
        let engine = PartitionEngine(EngineSettings(try Settings([:]), replays: true))
        engine.beginCheckpoint(Self.source, epoch: 7, base: nil)
        var (values, last, offset): ([ContiguousArray<UInt8>], CommitNumber?, Int64) = ([], nil, 0)
        for line in events.split(separator: "\n") {
            let record = ContiguousArray(line.utf8)
            unsafe engine.ingest(record.span.bytes, key: nil, timestamp: Event.absent)
            offset += 1
            guard offset % Int64(Self.commit) == 0 else { continue }
            var partials = RecordBatch()
            engine.closeEpoch(source: SourcePartition(topic: "in", partition: 3), into: &partials)
            var blocks = RecordBatch()
            last = engine.saveCheckpoint(nextOffset: offset, into: &blocks)?.number
            for index in 0..<blocks.count {
                blocks.withRecord(index) { _, value in
                    values.append(unsafe value.withUnsafeBytes { unsafe ContiguousArray($0) })
                }
            }
        }
        return (engine, values, try #require(last))
    }

    /// Values of records, each behind its length in four bytes, the lowest first.
    private func kept(_ version: UInt8 = Block.version) throws -> [ContiguousArray<UInt8>] {
        var values: [ContiguousArray<UInt8>] = []
        var rest = ContiguousArray(try Data(contentsOf: Self.file(version)))[...]
        while rest.count >= 4 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            values.append(ContiguousArray(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return values
    }

    @Test(arguments: Block.readable)
    func whatWasWrittenThenIsReadNow(_ version: UInt8) throws {
        let (folded, written, last) = try write()
        if version == Block.version, ProcessInfo.processInfo.environment["PHASEFOLD_RENEW"] != nil {
            var bytes = Data()
            for value in written {
                for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value.count >> (8 * place))) }
                bytes.append(contentsOf: value)
            }
            try bytes.write(to: Self.file(version))
        }
        let engine = PartitionEngine(EngineSettings(try Settings([:]), replays: true))
        let reader = CheckpointReader(engine, Self.source, target: last, offset: 0)
        for value in try kept(version) { unsafe reader.take(value.span.bytes, key: nil) }
        #expect(reader.finish(now: 8) == last)
        #expect(reader.unreadable == 0)
        #expect(engine.devices == folded.devices)
        #expect(engine.stateSnapshot == folded.stateSnapshot)
    }

    /// The frames may be another zstd's, what they hold may not.
    @Test func whatIsWrittenNowIsWhatWasWrittenThen() throws {
        let (now, then) = (try write().values, try kept())
        #expect(now.count == then.count)
        for (new, old) in zip(now, then) {
            let (new, old) = (try unsafe Block(new.span.bytes), try unsafe Block(old.span.bytes))
            #expect(new.header == old.header)
            #expect(new.content == old.content, "commit \(old.header.number.commit), part \(old.header.part)")
        }
    }

    /// Reads the outer form of the kept blocks by the words of the page alone.
    @Test func thePageTellsTheForm() throws {
        let names = try Self.columns()
        var whole = 0
        for value in try kept() {
            var head = Plain(bytes: value)
            #expect(head.take(4) == Array("PHCK".utf8))
            #expect(head.take(2) == [Block.version, 1])
            #expect(head.take(head.number()) == Array("in".utf8))
            #expect(head.signed() == 3)
            let content = try unsafe Block(value.span.bytes).content
            if content.isEmpty { continue }
            var body = Plain(bytes: content)
            for _ in 0..<body.number() { _ = body.take(body.number()) }
            for _ in 0..<(body.number() * 5) { _ = body.number() }
            _ = body.take(body.number() * 8)
            let entries = body.number()
            let lengths = names.map { _ in body.number() }
            #expect(lengths.reduce(body.place, +) == content.count)
            let columns = Dictionary(
                uniqueKeysWithValues: zip(names, lengths).map { ($0, Plain(bytes: ContiguousArray(body.take($1)))) })
            var places = try #require(columns["place"])
            for _ in 0..<entries { _ = places.signed() }
            #expect(places.isAtEnd)
            let forms = try #require(columns["entry"]).bytes
            #expect(forms.count == entries && forms.allSatisfy { $0 == 0 || $0 & 1 == 1 && $0 < 8 })
            #expect(columns["key"]?.bytes.count == forms.count { $0 & 2 != 0 } * 16)
            whole += forms.count { $0 & 2 != 0 }
        }
        #expect(whole >= 5, "every device is told whole at least once")
    }

    /// The names in the page's table of columns, in order.
    private static func columns() throws -> [String] {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/Checkpointing/Checkpointing.docc/Format.md"),
            encoding: .utf8)
        #expect(page.contains("format version \(Block.version)."))
        let table = try #require(page.components(separatedBy: "| column | holds |\n| --- | --- |\n").dropFirst().first)
        return table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }
            .map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
    }
}

/// Numbers as the page says that they are written.
private struct Plain {
    let bytes: ContiguousArray<UInt8>
    private(set) var place = 0

    init(bytes: ContiguousArray<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { place += count }
        return Array(bytes[place..<(place + count)])
    }

    mutating func number() -> Int {
        var (value, shift) = (0, 0)
        while true {
            let byte = take(1)[0]
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed() -> Int {
        let value = number()
        return value >> 1 ^ -(value & 1)
    }
}
