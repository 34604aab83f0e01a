import BrokerModel
import Kafka
import Worker

/// Fetches one partition ahead of whoever takes its records.
final class Fetcher: Client {
    enum Item {
        case record(StoredRecord)
        case end(Int64)
        case failure(KafkaError)
    }

    let partition: PartitionName
    private(set) var items: [Item] = []
    /// What ends a fetch as soon as it comes.
    var whenFilled: () -> Void = {}
    private(set) var ends: Watermarks?
    private let isolation: Isolation
    /// Where it goes on when what it wants is not there.
    private let reset: OffsetSpec
    private var next: Int64?
    private var lastEnd: Int64 = -1
    private var isStopped = false
    private var life = 0
    private var seen = -1
    /// A member's: where it goes is part of the journey.
    private let isMember: Bool
    /// Which one of the topics of this name is read.
    private var generation = 0
    private var task = 0
    /// Whoever takes the records knows where it is.
    private var isPlaced = false
    private var isUnknown = false
    /// The cluster has no such topic.
    var whenUnknown: () -> Void = {}

    /// Records that wait to be taken, beyond which nothing is fetched.
    private static let limit = 256
    private static let bytes = 16 << 10

    init(
        _ net: Net, _ actor: Actor, _ properties: [String: String], _ partition: PartitionName, isMember: Bool = false
    ) {
        self.partition = partition
        self.isMember = isMember
        isolation = properties["isolation.level"] == "read_uncommitted" ? .readUncommitted : .readCommitted
        reset = properties["auto.offset.reset"] == "latest" ? .latest : .earliest
        super.init(net, actor, properties)
    }

    var hasBegun: Bool { life > 0 }

    func stop() {
        isStopped = true
        items = []
    }

    /// From another place on; what was fetched is dropped.
    func begin(at start: StartOffset) {
        life += 1
        items = []
        lastEnd = -1
        seen = -1
        generation = net.generations[partition.topic] ?? 0
        // The group gave no answer: there is no task, and nobody takes what is fetched.
        if start == .committed { return }
        if case .at(let offset) = start {
            next = offset
            isPlaced = true
            beginTask(at: offset)
            fetch(life)
        } else {
            isPlaced = false
            beginTask(at: nil)
            find(start == .end ? .latest : .earliest, life)
        }
    }

    private func beginTask(at offset: Int64?) {
        note {
            $0.begin(at: offset)
            task = $0.task
        }
    }

    private func note(_ body: (inout Journey) -> Void) {
        guard isMember else { return }
        body(&net.journeys[partition, default: Journey()])
    }

    /// There is a record, or the end, at an offset where the reader is not.
    private func landed(at offset: Int64) {
        generation = net.generations[partition.topic] ?? 0
        note { journey in
            if isPlaced, let next {
                journey.jump(from: next, to: offset, task)
            } else {
                journey.land(at: offset, task)
            }
        }
        next = offset
    }

    private func find(_ place: OffsetSpec, _ life: Int) {
        let (partition, isolation) = (partition, isolation)
        persist(.listOffsets, while: { [weak self] in self?.isCurrent(life) ?? false }) {
            cluster, now throws(BrokerError) in
            try cluster.offset(place, of: partition, isolation, now: now)
        } _: { [weak self] result in
            guard let self, isCurrent(life) else { return }
            guard case .success(let offset) = result else { return again(life, after: 500) }
            landed(at: offset ?? 0)
            fetch(life)
        }
    }

    private func isCurrent(_ life: Int) -> Bool { !isStopped && life == self.life }

    private func again(_ life: Int, after delay: Int64) {
        world.after(delay, for: actor) { [weak self] in self?.fetch(life) }
    }

    private func fetch(_ life: Int) {
        guard isCurrent(life), let next else { return }
        if items.count >= Self.limit { return again(life, after: 50) }
        // A broker holds the request back until there is something.
        if seen == net.version {
            return net.whenChanged { [weak self] in self?.again(life, after: 5) }
        }
        let (partition, isolation) = (partition, isolation)
        var asked = generation
        net.send(.fetch, for: actor, timeout: timeout) { [net] cluster, now throws(BrokerError) in
            asked = net.generations[partition.topic] ?? 0
            return try cluster.fetch(partition, from: next, isolation, bytes: Self.bytes, now: now)
        } _: { [weak self] outcome in
            guard let self, isCurrent(life) else { return }
            switch outcome {
            case .answer(let fetched):
                isUnknown = false
                if asked != generation, next > 0 { note { $0.goBlind() } }
                generation = asked
                take(fetched, from: next, life)
            case .refused(.offsetOutOfRange):
                find(reset, life)
            case .refused(.unknownTopicOrPartition):
                lose()
                again(life, after: 200)
            case .refused, .lost:
                again(life, after: 200)
            }
        }
        seen = net.version
    }

    private func lose() {
        if isUnknown { return }
        isUnknown = true
        items.append(.failure(KafkaError(.unknownTopicOrPartition, "fetch")))
        whenFilled()
        whenUnknown()
    }

    private func take(_ fetched: Fetched, from: Int64, _ life: Int) {
        ends = Watermarks(low: fetched.logStart, high: fetched.highWatermark)
        items += fetched.records.map { .record($0) }
        next = fetched.next
        note { $0.reach(fetched.next) }
        let last = isolation == .readCommitted ? fetched.lastStableOffset : fetched.highWatermark
        let isAtEnd = fetched.next >= last
        if isAtEnd, fetched.next != lastEnd {
            lastEnd = fetched.next
            items.append(.end(fetched.next))
        }
        if !isAtEnd { seen = -1 }
        if !items.isEmpty {
            isPlaced = true
            whenFilled()
        }
        again(life, after: 1)
    }

    func takeFirst() -> Item? { items.isEmpty ? nil : items.removeFirst() }

    func take(_ limit: Int) -> ArraySlice<Item> {
        let taken = items.prefix(limit)
        items = Array(items.dropFirst(limit))
        return taken
    }
}

extension StoredRecord {
    /// Lends key and value.
    func lend(_ body: (_ key: RawSpan?, _ value: RawSpan?) -> Void) {
        let (key, value) = (record.key, record.value)
        unsafe body(key?.span.bytes, value?.span.bytes)
    }
}

/// What is prefetched of an assigned partition.
final class SimulatedFeed: PartitionFeed, @unchecked Sendable {
    let fetcher: Fetcher

    init(_ fetcher: Fetcher) {
        self.fetcher = fetcher
    }

    deinit { fetcher.whenFilled = {} }

    func wake(on queue: any SerialQueue, _ handler: @escaping @Sendable () -> Void) {
        fetcher.whenFilled = { queue.async(handler) }
        queue.async(handler)
    }

    var isEmpty: Bool { fetcher.items.isEmpty }

    func drain(limit: Int, into sink: any PartitionSink) {
        for item in fetcher.take(limit) {
            switch item {
            case .record(let stored):
                stored.lend { key, value in
                    sink.take(value: value, key: key, offset: stored.offset, timestamp: stored.record.timestamp)
                }
            case .end(let offset): sink.reachedEnd(offset: offset)
            case .failure(let error): sink.failed(error)
            }
        }
    }
}

/// Reads one partition outside of any group.
final class SimulatedReader: PartitionReader {
    private let fetcher: Fetcher
    private let world: World

    init(
        _ net: Net, _ actor: Actor, _ properties: [String: String], _ partition: PartitionName,
        from start: StartOffset
    ) {
        fetcher = Fetcher(net, actor, properties, partition)
        world = net.world
        fetcher.begin(at: start)
    }

    deinit { fetcher.stop() }

    func read(
        timeout: Int32, _ body: (_ key: RawSpan?, _ value: RawSpan?, _ offset: Int64) -> Void
    ) throws(KafkaError) -> LogReader.Outcome {
        if fetcher.items.isEmpty {
            world.step()
            let pause = world.pause()
            fetcher.whenFilled = { [world] in world.resume(pause) }
            world.wait(pause, until: world.now + Int64(timeout))
            fetcher.whenFilled = {}
        }
        switch fetcher.takeFirst() {
        case .record(let stored):
            stored.lend { key, value in body(key, value, stored.offset) }
            return .record
        case .end(let offset): return .end(offset: offset)
        case .failure(let error): throw error
        case nil: return .nothing
        }
    }

    func watermarks(limit: Int32) throws(KafkaError) -> Watermarks {
        try fetcher.watermarks(of: fetcher.partition, limit: limit)
    }
}

extension Client {
    func watermarks(of partition: PartitionName, limit: Int32) throws(KafkaError) -> Watermarks {
        try ask(.listOffsets, "ask for the ends of \(partition)", limit: limit) { cluster, now throws(BrokerError) in
            let low = try cluster.offset(.earliest, of: partition, .readUncommitted, now: now)
            let high = try cluster.offset(.latest, of: partition, .readUncommitted, now: now)
            return Watermarks(low: low ?? 0, high: high ?? 0)
        }
    }
}
