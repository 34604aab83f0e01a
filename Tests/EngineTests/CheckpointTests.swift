import Aggregating
import Checkpointing
import Foundation
import Lifecycle
import Settings
import Testing

@testable import Engine

/// Folding with restarts against folding without, on random fleets: the same bytes, commit by commit.
///
/// A failing seed is printed; `ENGINE_SEEDS` sets how many are tried (default 60 a kind).
@Suite struct CheckpointTests {
    static let seeds: Int = ProcessInfo.processInfo.environment["ENGINE_SEEDS"].flatMap { Int($0) } ?? 60

    @Test(arguments: RandomFleet.Kind.allCases)
    func aRestartChangesNoByte(kind: RandomFleet.Kind) throws {
        for seed in 1...UInt64(Self.seeds) {
            var trial = try Trial(kind: kind, seed: seed)
            try trial.run()
        }
    }
}

/// One fleet, folded without a break and then with some.
private struct Trial {
    /// What an epoch came to.
    private struct Epoch: Equatable {
        var partials: [[UInt8]]
        var states: ContiguousArray<UInt8>
        /// Events that wait.
        var held: Int
    }

    private let name: String
    private let records: [[UInt8]]
    private let settings: EngineSettings
    private let source: CheckpointSource
    private var random: SeededGenerator
    /// The record after each epoch.
    private var ends: [Int] = []
    private var wanted: [Epoch] = []
    /// Values of the checkpoint's records, those without effect too.
    private var log: [ContiguousArray<UInt8>] = []
    /// Who reads along, and as far as that.
    private var standby: CheckpointReader?
    private var followed = 0
    /// The commits that count, one an epoch.
    private var marks: [CommitNumber] = []

    init(kind: RandomFleet.Kind, seed: UInt64) throws {
        let fleet = RandomFleet(seed: seed, kind: kind)
        name = "\(kind.rawValue):\(seed)"
        records = fleet.records
        random = SeededGenerator(seed: seed &+ 77)
        var values = fleet.settings
        // Some of the fleets' pauses are longer: states expire.
        if random.happens(0.3) { values["state.ttl"] = "1h" }
        settings = EngineSettings(try Settings(values), replays: true)
        source = CheckpointSource(topic: "in", partition: 3, pass: random.pick([1, 2, 3, 5, 40]))
        var end = 0
        while end < records.count {
            end = min(end + random.pick([1, 2, 3, 5]), records.count)
            ends.append(end)
        }
    }

    mutating func run() throws {
        let whole = PartitionEngine(settings)
        for number in ends.indices { wanted.append(fold(number, in: whole)) }
        var engine = PartitionEngine(settings)
        _ = CheckpointReader(engine, source, target: nil, offset: 0).finish(now: 1)
        var number = 0
        while number < ends.count {
            let found = fold(number, in: engine)
            #expect(found.states == wanted[number].states, "\(name): states after epoch \(number)")
            #expect(found.held == wanted[number].held, "\(name): events held after epoch \(number)")
            #expect(found.partials == wanted[number].partials, "\(name): partials of epoch \(number)")
            var blocks = RecordBatch()
            let mark = try #require(engine.saveCheckpoint(nextOffset: Int64(ends[number]), into: &blocks))
            for index in 0..<blocks.count { log.append(bytes(blocks, index).value) }
            marks.append(mark.number)
            follow()
            number += 1
            guard random.happens(0.3) else { continue }
            if random.happens(0.3) {
                engine = try keptOn(engine, after: number - 1)
                continue
            }
            // Some of what was written may not have been committed.
            number -= random.happens(0.5) ? min(random.pick([1, 2, 3]), number - 1) : 0
            let (old, isCommitted) = (engine, marks.count == number)
            marks.removeLast(marks.count - number)
            engine = try takenOver(after: number - 1) ?? restart(after: number - 1)
            if isCommitted, random.happens(0.5) { try readAlong(old) }
        }
    }

    /// Who gave the partition up reads along what others write, on top of what it has.
    private mutating func readAlong(_ old: PartitionEngine) throws {
        let last = try #require(old.lastSaved)
        standby = CheckpointReader(following: source, into: PartitionEngine(settings, statesOf: old), from: last)
        followed = log.count
    }

    /// Another worker reads along.
    private mutating func follow() {
        let standby = standby ?? CheckpointReader(following: source, into: PartitionEngine(settings))
        for value in log[followed...] { unsafe standby.take(value.span.bytes, key: nil) }
        (self.standby, followed) = (standby, log.count)
    }

    /// The engine of the one who read along, which goes on in its place; nil where it went beyond.
    private mutating func takenOver(after number: Int) throws -> PartitionEngine? {
        guard let standby, random.happens(0.6) else { return nil }
        self.standby = nil
        followed = 0
        guard standby.aim(at: marks[number]) else { return nil }
        return try finished(standby, after: number)
    }

    /// An engine with the states of one that gives its partition up, and is given it back.
    private func keptOn(_ old: PartitionEngine, after number: Int) throws -> PartitionEngine {
        let last = try #require(old.lastSaved)
        let engine = PartitionEngine(settings, statesOf: old)
        let reader = CheckpointReader(following: source, into: engine, from: last)
        #expect(reader.aim(at: marks[number]))
        return try finished(reader, after: number)
    }

    private func finished(_ reader: CheckpointReader, after number: Int) throws -> PartitionEngine {
        #expect(reader.isComplete, "\(name)")
        #expect(reader.finish(now: 1) == marks[number], "\(name)")
        #expect(reader.unreadable == 0, "\(name): \(String(describing: reader.lastError))")
        #expect(reader.engine.stateSnapshot == wanted[number].states, "\(name): taken over after epoch \(number)")
        return reader.engine
    }

    /// A new engine with the states after an epoch; read from the last place in the log that is enough.
    private func restart(after number: Int) throws -> PartitionEngine {
        let begins = try log.indices.filter { place in
            let value = log[place]
            let header = try unsafe SealedBlock(value.span.bytes).header
            return header.slice.isFirst && header.part == 0
        }
        for begin in begins.reversed() + [0] {
            let engine = PartitionEngine(settings)
            let reader = CheckpointReader(
                engine, source, target: marks[number], offset: Int64(ends[number]))
            for value in log[begin...] { unsafe reader.take(value.span.bytes, key: nil) }
            let found = reader.finish(now: 1)
            #expect(reader.unreadable == 0, "\(name): \(String(describing: reader.lastError))")
            guard found != nil else { continue }
            #expect(found == marks[number], "\(name)")
            #expect(engine.stateSnapshot == wanted[number].states, "\(name): restored after epoch \(number)")
            return engine
        }
        Issue.record("\(name): the checkpoint is not whole at epoch \(number)")
        return PartitionEngine(settings)
    }

    private func fold(_ number: Int, in engine: PartitionEngine) -> Epoch {
        for record in records[(number == 0 ? 0 : ends[number - 1])..<ends[number]] {
            unsafe engine.ingest(record.span.bytes, key: nil, timestamp: Event.absent)
        }
        var partials = RecordBatch()
        engine.closeEpoch(source: SourcePartition(topic: "in", partition: 3), into: &partials)
        let all = (0..<partials.count).map { index in
            let (key, value) = bytes(partials, index)
            return Array(key) + Array(value)
        }
        // Timers of one moment fire in no certain order, so groups may come in another.
        return Epoch(
            partials: all.sorted { $0.lexicographicallyPrecedes($1) }, states: engine.stateSnapshot, held: engine.held)
    }

    private func bytes(
        _ batch: RecordBatch, _ index: Int
    ) -> (key: ContiguousArray<UInt8>, value: ContiguousArray<UInt8>) {
        batch.withRecord(index) { key, value in
            (
                unsafe key.withUnsafeBytes { unsafe ContiguousArray($0) },
                unsafe value.withUnsafeBytes { unsafe ContiguousArray($0) }
            )
        }
    }
}
