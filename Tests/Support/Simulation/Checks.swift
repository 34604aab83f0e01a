import Aggregating
import BrokerModel
import Checkpointing
import Engine
import Metering

/// Holds what the cluster tells to what it must tell, again and again while the workers work.
final class Checks {
    let net: Net
    let plan: Plan
    let truth: Truth
    private let foldTopic: String
    /// What stage 1 must have said of what is committed, and what it has said.
    private let expected: Truth.Totals
    private let found: Truth.Totals
    /// What stage 2 must have said, by partition of the partials.
    private var totals: [PartitionName: Truth.Totals] = [:]
    private var expectedRows: [[UInt8]: Row] = [:]
    private(set) var rows: [[UInt8]: Row] = [:]
    private var partials: [PartitionName: [StoredRecord]] = [:]
    /// All that was ever written to what stage 1 reads, and to the input.
    private var log: [PartitionName: [StoredRecord]] = [:]
    private var positions: [PartitionName: Int64] = [:]
    private(set) var offsets: [PartitionName: (offset: Int64, note: Note)] = [:]
    private var steps = Steps()
    private var letters: [PartitionName: [Int64: Int]] = [:]
    private var stableSince: [PartitionName: (offset: Int64, time: Int64, outages: Int64)] = [:]
    /// The partition of the partials that a row is made from, where events may count twice.
    private(set) var places: [[UInt8]: PartitionName] = [:]
    /// What is right where events may count twice.
    private let repeats = Repeats()
    /// The newest rows of stage 1 where groups are beyond the limit: as they must be, and as they are.
    let groups = (must: GroupSums(), has: GroupSums())
    /// What was committed when all was compared last.
    private var compared: [PartitionName: CommittedOffset] = [:]
    /// Times that all was compared.
    private(set) var comparisons = 0
    private(set) var restorations = 0
    /// ms in which perhaps no transaction could end: brokers or coordinators away.
    var outages: Int64 = 0
    /// Rows that came, and partials of both kinds.
    private(set) var rowRevisions = 0
    private(set) var partialCount = 0
    /// States were spoilt, and a worker went on without them.
    var hasLostStates = false
    /// A topic was deleted with what nobody had folded, or summed up, yet: what must be found is not known.
    private(set) var hasLostInput = false
    private(set) var hasLostPartials = false
    /// Partitions that were made anew, until somebody has committed what is new.
    private var awaited: Set<PartitionName> = []
    /// What was committed of a partition when its topic was deleted: offsets may go back from it.
    private var stale: [PartitionName: (offset: Int64, time: Int64?)] = [:]
    /// Totals were made again from partials: revisions begin anew.
    private let mayRepeatRevisions: Bool

    init(_ net: Net, _ plan: Plan) throws {
        self.net = net
        self.plan = plan
        mayRepeatRevisions = plan.spoilsTotals || plan.mayRepeat
        foldTopic = plan.isKeyed ? "in" : "app-events"
        truth = Truth(try plan.settings(of: "truth"), isPacked: !plan.isKeyed)
        for index in 0..<plan.partitions { truth.add(PartitionName(foldTopic, index)) }
        // Without sources nothing is ever final: what is acknowledged bit by bit is late for nobody.
        let sources = plan.mayRepeat ? [] : truth.sources
        // Which groups are beyond the limit each commit has decided already.
        var settings = truth.settings.aggregating
        settings.groupLimit = 1_000_000
        expected = Truth.Totals(settings, sources)
        found = Truth.Totals(settings, sources)
    }

    func partitionAdded(_ index: Int32) {
        guard plan.isKeyed else { return }
        truth.add(PartitionName(foldTopic, index))
        if !plan.mayRepeat {
            expected.totals.setSources(truth.sources)
            found.totals.setSources(truth.sources)
        }
        for entry in totals.values { entry.totals.setSources(truth.sources) }
    }

    // MARK: Reading the cluster

    private var now: Int64 { net.world.now }

    private func all(_ topic: String) -> [PartitionName] {
        (0..<net.partitions(of: topic)).map { PartitionName(topic, $0) }
    }

    private func fetch(_ partition: PartitionName, from offset: Int64) throws -> Fetched {
        let now = now
        let result = net.peek { cluster throws(BrokerError) in
            try cluster.fetch(partition, from: offset, .readCommitted, bytes: 1 << 24, now: now)
        }
        return try result.get()
    }

    private func begin(of partition: PartitionName) throws -> Int64 {
        let now = now
        let result = net.peek { cluster throws(BrokerError) in
            try cluster.offset(.earliest, of: partition, .readUncommitted, now: now) ?? 0
        }
        return (try? result.get()) ?? 0
    }

    private func end(of partition: PartitionName, _ isolation: Isolation) throws -> Int64 {
        let now = now
        return try net.peek { cluster throws(BrokerError) in
            try cluster.offset(.latest, of: partition, isolation, now: now) ?? 0
        }.get()
    }

    /// What has come into a partition since the last look, for a reader of committed records.
    private func news(_ partition: PartitionName) throws -> [StoredRecord] {
        // One that is deleted just now has none.
        if net.partitions(of: partition.topic) == 0 { return [] }
        // What a worker has left without an offset is deleted by whoever comes after it.
        let fetched = try fetch(partition, from: max(positions[partition] ?? 0, begin(of: partition)))
        positions[partition] = fetched.next
        return fetched.records
    }

    private func committed(_ partitions: [PartitionName], stable: Bool) throws -> [PartitionName: CommittedOffset] {
        let now = now
        return try net.peek { cluster throws(BrokerError) in
            try cluster.committedOffsets(partitions, of: "app", stable: stable, now: now)
        }.get()
    }

    // MARK: Looking

    /// - Returns: whether the cluster was at rest enough for all to be compared.
    @discardableResult
    func look(deep: Bool) throws -> Bool {
        if deep { for violation in net.cluster.violations { throw Violation("model", violation) } }
        let sources = truth.folds.map(\.name)
        let tracked = sources + all("app-partials") + (plan.isKeyed ? [] : all("in"))
        guard let offsets = try? committed(tracked, stable: false) else { return false }
        try lookAtOffsets(offsets)
        let topics = ["app-partials", "app-devices", "app-totals", "out", "app-dead-letter", foldTopic]
        var isStable = true
        for partition in topics.flatMap(all) { isStable = try lookAtReaders(of: partition) && isStable }
        guard isStable, (try? committed(tracked, stable: true)) != nil else { return false }
        if !deep, offsets == compared { return true }
        compared = offsets
        comparisons += 1
        try compareStageOne(offsets, deep)
        try compareStageTwo(offsets)
        try compareLetters(offsets)
        return true
    }

    /// I3 and I6: neither offsets nor watermarks go back.
    private func lookAtOffsets(_ found: [PartitionName: CommittedOffset]) throws {
        for (partition, committed) in found.sorted(by: { $0.key < $1.key }) {
            let note = Note(committed.metadata)
            if let last = offsets[partition] {
                if committed.offset < last.offset, last.offset < stale[partition]?.offset ?? .max {
                    throw Violation("I3", "\(partition) went back from \(last.offset) to \(committed.offset)")
                }
                if let time = note.time, let before = last.note.time, time < before, !forgetsTime(partition) {
                    throw Violation("I6", "the watermark of \(partition) went back from \(before) to \(time)")
                }
            }
            offsets[partition] = (committed.offset, note)
        }
    }

    /// Stage 0 keeps the time of a partition beside its offset alone, which goes with the topic; the others in their
    /// checkpoints too, unless these are spoilt.
    private func forgetsTime(_ partition: PartitionName) -> Bool {
        guard stale[partition] != nil else { return false }
        return switch plan.remade?.topic {
        case .input: !plan.isKeyed || plan.spoilsCheckpoints
        case .events: plan.spoilsCheckpoints
        case .partials: plan.spoilsTotals
        default: false
        }
    }

    /// I7: a reader of committed records goes on within the time of a transaction.
    /// - Returns: whether nothing is open in it.
    private func lookAtReaders(of partition: PartitionName) throws -> Bool {
        guard let stable = try? end(of: partition, .readCommitted), let end = try? end(of: partition, .readUncommitted)
        else { return false }
        if stable == end {
            stableSince[partition] = nil
            return true
        }
        let since = stableSince[partition]
        guard let since, since.offset == stable else {
            stableSince[partition] = (stable, now, outages)
            return false
        }
        let limit = truth.transactionTimeout(plan) + 2000 + plan.markerDelay * 20
        if now - since.time > limit + outages - since.outages {
            throw Violation("I7", "readers of \(partition) wait at \(since.offset) for \(now - since.time) ms")
        }
        return false
    }

    // MARK: Stage 1

    /// The commits of the checkpoint tell when a partition that was silent has gone on with the wall clock.
    private func foldSteps(_ fold: Truth.Fold, _ records: [StoredRecord], upTo committed: CommittedOffset) throws {
        guard let mark = Note(committed.metadata).mark else { return }
        for step in steps.take(upTo: mark, of: fold.name) {
            let gaps = net.journeys[fold.name]?.gaps ?? []
            let end = CommittedOffset(step.offset)
            let last = records.last { $0.offset < step.offset }?.record.timestamp ?? 0
            try expected.take(truth.fold(fold, records, upTo: end, without: gaps))
            guard step.time > fold.engine.watermark else { continue }
            if (0..<1000).contains(step.time - last) {
                throw Violation("I1", "\(fold.name) at \(step.offset) is silent \(step.time - last) ms after a record")
            }
            try expected.take(truth.fold(fold, records, upTo: end, time: step.time, without: gaps))
        }
    }

    private func compareStageOne(_ offsets: [PartitionName: CommittedOffset], _ deep: Bool) throws {
        if plan.isByCommit { for place in all("app-devices") { steps.note(try news(place)) } }
        for fold in truth.folds {
            if !plan.isKeyed { log[fold.name, default: []] += try news(fold.name) }
            guard let committed = offsets[fold.name], isAdopted(fold, committed) else { continue }
            let records = log[fold.name] ?? []
            let from = records.firstIndex { $0.offset >= fold.next } ?? records.count
            let gaps = net.journeys[fold.name]?.gaps ?? []
            if plan.isByCommit { try foldSteps(fold, records, upTo: committed) }
            try expected.take(truth.fold(fold, records[from...], upTo: committed, without: gaps))
            if deep { try compareStates(fold, committed) }
        }
        for partition in all("app-partials") {
            let records = try news(partition)
            partials[partition, default: []] += records
            partialCount += records.count
            for stored in records { try found.take(stored.record.value ?? []) }
            if plan.mayRepeat { for stored in records { places[stored.record.key ?? []] = partition } }
        }
        if hasLostStates || hasLostInput || hasLostPartials { return }
        let (must, has) = (expected.rows(), found.rows())
        if plan.mayRepeat { return repeats.take(must, has) }
        try compare(must, has)
    }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// I2: what a restart would restore are the states at the committed offset.
    private func compareStates(_ fold: Truth.Fold, _ committed: CommittedOffset) throws {
        guard let mark = Note(committed.metadata).mark, !plan.spoilsCheckpoints, !hasLostStates, !hasLostInput
        else {
            return
        }
        let place = PartitionName("app-devices", fold.name.index % net.partitions(of: "app-devices"))
        let now = now
        let start = try net.peek { cluster throws(BrokerError) in
            try cluster.offset(.earliest, of: place, .readCommitted, now: now)
        }.get()
        let records = try fetch(place, from: start ?? 0).records
        let pass = Int(plan.settings["checkpoint.pass"] ?? "") ?? 2
        restorations += 1
        guard let states = truth.restored(fold, records, target: mark, offset: committed.offset, pass: pass) else {
            throw Violation("I2", "the checkpoint of \(fold.name) does not hold \(mark)")
        }
        if states != fold.engine.stateSnapshot {
            throw Violation("I2", "the states of \(fold.name) are not those at \(committed.offset)")
        }
    }

    /// Events that may count twice: those that tasks read again which began anew, and those of commits that failed.
    private var allowance: Int {
        let read = truth.folds.reduce(0) { $0 + (net.journeys[$1.name]?.exposed ?? 0) }
        return (Int(read) + repeats.resent) * Input.eventsOfRecord
    }

    /// A commit has failed, or several: all that was not committed by then may have been sent again, each time.
    func failed(commits: Int) {
        let open = truth.folds.reduce(0) { sum, fold in
            sum + max((net.journeys[fold.name]?.reached ?? 0) - (offsets[fold.name]?.offset ?? 0), 0)
        }
        repeats.resent += commits * Int(open)
    }

    // MARK: Stage 2

    private func compareStageTwo(_ offsets: [PartitionName: CommittedOffset]) throws {
        for partition in all("out") {
            let rows = try news(partition)
            rowRevisions += rows.count
            for stored in rows where !isZombies(stored, in: partition) { try takeRow(stored) }
        }
        if plan.mayRepeat { return }
        for partition in all("app-partials") {
            let entry = totals[partition] ?? Truth.Totals(truth.settings.aggregating, truth.sources)
            totals[partition] = entry
            guard let end = offsets[partition]?.offset else { continue }
            // Of the topic that was there before.
            if plan.remade?.topic == .partials {
                guard let last = try? self.end(of: partition, .readUncommitted), end <= last else { return }
            }
            if net.journeys[partition]?.isBlind == true { hasLostPartials = true }
            let next = entry.next[partition] ?? 0
            let waiting = partials[partition] ?? []
            for stored in waiting where stored.offset >= next && stored.offset < end {
                try entry.take(stored.record.value ?? [])
            }
            partials[partition] = waiting.filter { $0.offset >= end }
            entry.next[partition] = end
            for row in entry.rows() {
                guard let parsed = Row(row.value) else { throw Violation("I1", "no row: \(Self.text(row.value))") }
                expectedRows[row.key] = parsed
            }
        }
        if hasLostPartials { return }
        for (key, row) in expectedRows where rows[key].map({ !same($0, row) }) ?? true {
            let has = rows[key].map { Self.text($0.figures) } ?? "nothing"
            throw Violation("I1", "stage 2 at \(Self.text(key)):\n\(Self.text(row.figures))\n\(has)")
        }
        if rows.count != expectedRows.count, !plan.addsPartitions {
            throw Violation("I1", "stage 2: \(expectedRows.count) rows, not \(rows.count)")
        }
    }

    private func same(_ one: Row, _ other: Row) -> Bool {
        // When a partition was known first is nobody's promise, and with it when a window is final.
        one.figures == other.figures && (plan.addsPartitions || one.isFinal == other.isFinal)
    }

    /// I1 and I5 for a reader that was there all along.
    private func takeRow(_ stored: StoredRecord) throws {
        let key = stored.record.key ?? []
        guard let row = stored.record.value.flatMap(Row.init) else {
            throw Violation("I1", "no row at \(stored.offset)")
        }
        if let last = rows[key] {
            if last.isFinal, !plan.mayRepeat || last.figures != row.figures {
                throw Violation("I5", "\(Self.text(key)) comes again after it was final")
            }
            if row.revision != last.revision + 1, !mayRepeatRevisions {
                throw Violation("I1", "\(Self.text(key)): revision \(row.revision) after \(last.revision)")
            }
        } else if row.revision != 1, plan.settings["emit"] == "updates" {
            throw Violation("I1", "\(Self.text(key)) begins with revision \(row.revision)")
        }
        rows[key] = row
    }

    // MARK: Dead letters

    private func compareLetters(_ offsets: [PartitionName: CommittedOffset]) throws {
        for partition in all("app-dead-letter") {
            for stored in try news(partition) {
                var headers: [String: String] = [:]
                for header in stored.record.headers { headers[header.name] = Self.text(header.value ?? []) }
                guard let topic = headers["phasefold.source.topic"],
                    let index = headers["phasefold.source.partition"].flatMap({ Int32($0) }),
                    let offset = headers["phasefold.source.offset"].flatMap({ Int64($0) })
                else { throw Violation("I1", "a dead letter without its headers at \(stored.offset)") }
                letters[PartitionName(topic, index), default: [:]][offset, default: 0] += 1
            }
        }
        guard plan.isKeyed, !hasLostInput else { return }
        for fold in truth.folds where !awaited.contains(fold.name) && !areRight(letters[fold.name] ?? [:], fold) {
            throw Violation("I1", "dead letters of \(fold.name): \(letters[fold.name] ?? [:]), not \(fold.letters)")
        }
    }

    /// Whether dead letters are those of what was folded; with repetitions where they may be.
    private func areRight(_ letters: [Int64: Int], _ fold: Truth.Fold) -> Bool {
        if !plan.mayRepeat { return letters == fold.letters }
        return fold.letters.allSatisfy { letters[$0.key] ?? 0 >= $0.value }
    }

    // MARK: The end

    /// Whether everything that was written is folded, summed up and committed.
    /// - Returns: what is not; nil where all is done.
    func undone() throws -> String? {
        let sources = truth.folds.map(\.name) + (plan.isKeyed ? [] : all("in"))
        guard let offsets = try? committed(sources + all("app-partials"), stable: true) else { return "offsets" }
        for partition in sources + (plan.mayRepeat ? [] : all("app-partials")) {
            let (begin, start) = (try begin(of: partition), offsets[partition]?.offset ?? 0)
            if start < begin { return "\(partition) from \(start) on, which begins at \(begin)" }
            guard let rest = try? fetch(partition, from: start), rest.records.isEmpty,
                rest.lastStableOffset == rest.highWatermark
            else { return "\(partition) from \(start) on" }
        }
        if plan.mayRepeat, !hasLostStates {
            guard try look(deep: false) else { return "transactions" }
            return try repeats.undone(rows, limit: allowance)
        }
        return nil
    }

    /// Stage 0: every event of the input is in the events once, whatever partition it came to, and every row is that
    /// of a sequential fold.
    func compareEvents() throws {
        if inputs.contains(where: { net.journeys[$0]?.isBlind == true }) { hasLostInput = true }
        guard !plan.isKeyed, !hasLostInput else { return }
        try compareSequence()
        var sent = 0
        for partition in inputs {
            let router = EventRouter(truth.settings, source: truth.sources[0], partitions: 1)
            for stored in records(of: partition) {
                guard let value = stored.record.value else { continue }
                let key = stored.record.key
                unsafe _ = router.ingest(value.span.bytes, key: key?.span.bytes, timestamp: stored.record.timestamp)
            }
            var packed = RecordBatch()
            router.closeEpoch(into: &packed)
            sent += try count(packed)
        }
        let came = truth.folds.reduce(0) { $0 + $1.eventsBefore + $1.engine.counts.events + $1.engine.held }
        if sent != came { throw Violation("I1", "stage 0: \(sent) events, not \(came)") }
    }

    private func count(_ packed: RecordBatch) throws -> Int {
        let engine = PartitionEngine(truth.settings)
        for index in 0..<packed.count {
            let unreadable = packed.withRecord(index) { _, value in engine.ingest(packed: value, offset: Int64(index)) }
            if unreadable > 0 { throw Violation("I1", "stage 0: packed events cannot be read") }
        }
        engine.finish()
        return engine.counts.events
    }

    var inputs: [PartitionName] { all("in") }

    /// What was written, but for what nobody could read.
    func records(of partition: PartitionName) -> [StoredRecord] {
        let gaps = net.journeys[partition]?.gaps ?? []
        return (log[partition] ?? []).filter { stored in !gaps.contains { $0.contains(stored.offset) } }
    }

    // MARK: Topics that are deleted

    /// A record has been written to the input.
    func wrote(_ record: Record, to partition: PartitionName, at offset: Int64) {
        log[partition, default: []].append(StoredRecord(offset: offset, record: record))
    }

    /// The topic is about to be deleted.
    /// - Parameter isDrained: all that was in it is in what was committed, and has been looked at.
    func delete(_ topic: Plan.Remade.Topic, isDrained: Bool) {
        let partitions = all(topic.rawValue)
        compared = [:]
        for partition in partitions {
            positions[partition] = 0
            stableSince[partition] = nil
            stale[partition] = (offsets[partition]?.offset ?? 0, offsets[partition]?.note.time)
            net.journeys[partition]?.makeAnew()
        }
        if topic.rawValue == foldTopic { awaited = Set(partitions) }
        switch topic {
        case .input, .events:
            for partition in partitions {
                log[partition] = []
                letters[partition] = [:]
            }
            // What waits for the order over partitions is lost with the topic that it waits in.
            if !isDrained || !plan.isKeyed { hasLostInput = true }
        case .partials:
            for partition in partitions {
                partials[partition] = []
                totals[partition]?.next = [:]
            }
            if !isDrained || mayRepeatRevisions { hasLostPartials = true }
        case .devices, .totals: return
        }
    }

    /// Whether a partition of stage 1 that was made anew is read by whoever commits.
    private func isAdopted(_ fold: Truth.Fold, _ committed: CommittedOffset) -> Bool {
        guard awaited.contains(fold.name) else { return true }
        let journey = net.journeys[fold.name] ?? Journey()
        if journey.isBlind { hasLostInput = true }
        let end = (log[fold.name]?.last?.offset ?? -1) + 1
        // Committed of the log before.
        if committed.offset > end, !hasLostInput { return false }
        switch journey.start {
        case .fresh: truth.begin(fold, at: stale[fold.name]?.time)
        case .kept: truth.rewind(fold)
        case nil:
            // Where there was nothing before nobody has to go back.
            guard fold.next == 0 || hasLostInput else { return false }
            truth.rewind(fold)
        }
        awaited.remove(fold.name)
        return true
    }

    var rowCount: Int { rows.count }
    var letterCount: Int { letters.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

    /// What is committed of a partition for the group; nil where it cannot be told now.
    func committedInput() -> [PartitionName: Int64]? {
        let sources = plan.isKeyed ? truth.folds.map(\.name) : all("in")
        return try? committed(sources, stable: true).mapValues(\.offset)
    }
}
