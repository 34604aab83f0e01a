import BrokerModel
import Kafka
import Worker

/// A producer, transactional or not, as librdkafka's behaves towards its caller.
///
/// Records are sent in the background; what was lost on the way is sent again with its sequence. An error makes a
/// transaction one that can only be aborted, or the producer one that can only be dropped.
final class SimulatedProducer: Client, TransactionProducer, @unchecked Sendable {
    private let id: String?
    private let transactionTimeout: Int64
    private var identity: ProducerIdentity?
    private var isIdentifying = false
    private var partitions: [PartitionName] = []
    private var pending: [PartitionName: [Record]] = [:]
    private var inFlight: Set<PartitionName> = []
    private var sequences: [PartitionName: Int32] = [:]
    private var added: Set<PartitionName> = []
    private var isAdding = false
    private var isScheduled = false
    private var counts = DeliveryCount()
    private var whenSettled: [() -> Void] = []

    private var isOpen = false
    /// The coordinator may know of the transaction.
    private var isKnown = false
    private var began: Int64 = 0
    private var isPurging = false
    /// What became of some batch is not known.
    private var needsEpoch = false
    private var abortable: KafkaError?
    private var fatal: KafkaError?
    private var operation: Operation?

    /// A call that goes on while its caller has given up waiting for it.
    private final class Operation {
        var result: Result<Void, KafkaError>?
        var waiter: Pause?
    }

    /// Records of one batch.
    private static let batchLimit = 64

    init(_ net: Net, _ actor: Actor, _ properties: [String: String], identity: String?, timeout: Int) {
        id = identity
        transactionTimeout = Int64(timeout)
        super.init(net, actor, properties)
        if let identity { net.identities[actor.number, default: []].insert(identity) } else { identify() }
    }

    private var goesOn: Bool { fatal == nil }

    private func identify() {
        isIdentifying = true
        persist(.initProducer, while: { [weak self] in self?.goesOn ?? false }) { cluster, now throws(BrokerError) in
            try cluster.initProducer(nil, timeout: 0, current: nil, now: now)
        } _: { [weak self] result in
            self?.isIdentifying = false
            self?.identity = try? result.get()
            self?.pump()
        }
    }

    // MARK: Records

    /// The model has no topic to look up.
    func expect(_ topics: [String]) {}

    func produce(
        topic: String, partition: Int32?, key: RawSpan?, value: RawSpan?, headers: [RecordHeader]
    ) throws(KafkaError) -> ProduceResult {
        if let fatal { throw fatal }
        if id != nil, !isOpen { throw .state("produce to \(topic)") }
        if let abortable { throw abortable }
        let count = net.partitions(of: topic)
        guard count > 0, partition ?? 0 < count else { throw KafkaError(code: -190, operation: "produce to \(topic)") }
        let keyBytes = Self.bytes(key)
        let name = PartitionName(topic, partition ?? Self.partition(keyBytes, count))
        let record = Record(
            key: keyBytes, value: Self.bytes(value), headers: headers.map { .init($0.name, $0.value) },
            timestamp: SimulatedScheduler.epoch + world.now + actor.clockOffset)
        if pending[name] == nil { partitions.append(name) }
        pending[name, default: []].append(record)
        if !isScheduled {
            isScheduled = true
            world.after(5, for: actor) { [weak self] in
                self?.isScheduled = false
                self?.pump()
            }
        }
        return .queued
    }

    private static func bytes(_ span: RawSpan?) -> [UInt8]? {
        guard let span else { return nil }
        return unsafe span.withUnsafeBytes { unsafe Array($0) }
    }

    private static func partition(_ key: [UInt8]?, _ count: Int32) -> Int32 {
        var hash: UInt32 = 2_166_136_261
        for byte in key ?? [] { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int32(hash >> 8) % count
    }

    private var isSettled: Bool { pending.isEmpty && inFlight.isEmpty && !isAdding && !isIdentifying }

    private func settle() {
        guard isSettled else { return }
        let waiting = whenSettled
        whenSettled = []
        for work in waiting { work() }
    }

    /// Sends what can be sent.
    private func pump() {
        guard goesOn, let identity else { return settle() }
        if let id, !isPurging {
            let new = partitions.filter { pending[$0] != nil && !added.contains($0) }
            if !new.isEmpty, !isAdding { add(new, to: id, identity) }
        }
        for partition in partitions
        where pending[partition] != nil && !inFlight.contains(partition) && (id == nil || added.contains(partition)) {
            sendBatch(to: partition, identity)
        }
        partitions.removeAll { pending[$0] == nil }
        settle()
    }

    private func add(_ new: [PartitionName], to id: String, _ identity: ProducerIdentity) {
        isAdding = true
        isKnown = true
        persist(.addPartitions, while: { [weak self] in self?.mayWait ?? false }) { cluster, now throws(BrokerError) in
            try cluster.addPartitions(new, to: id, identity, now: now)
        } _: { [weak self] result in
            guard let self else { return }
            isAdding = false
            switch result {
            case .success: added.formUnion(new)
            case .failure(let failure): fail(failure, "add partitions to the transaction")
            }
            pump()
        }
    }

    /// Records are not waited for longer than the transaction lasts.
    private var mayWait: Bool {
        goesOn && !isPurging && (id == nil || world.now - began < transactionTimeout)
    }

    private func sendBatch(to partition: PartitionName, _ identity: ProducerIdentity) {
        let records = Array((pending[partition] ?? []).prefix(Self.batchLimit))
        pending[partition]?.removeFirst(records.count)
        if pending[partition]?.isEmpty == true { pending[partition] = nil }
        inFlight.insert(partition)
        let sequence = sequences[partition] ?? 0
        let batch = Batch(records, producer: identity, sequence: sequence, isTransactional: id != nil)
        let (net, actor) = (net, actor)
        persist(.produce, while: { [weak self] in self?.mayWait ?? false }) { cluster, now throws(BrokerError) in
            let offset = try cluster.produce(batch, to: partition, now: now)
            if !batch.isTransactional { net.wrote(records.count, to: partition, at: offset, by: actor) }
            return offset
        } _: { [weak self] result in
            guard let self else { return }
            inFlight.remove(partition)
            switch result {
            case .success:
                sequences[partition] = sequence + Int32(records.count)
                counts.delivered += records.count
            case .failure(let failure):
                needsEpoch = true
                counts.failed += records.count
                fail(failure, "produce to \(partition.topic)")
                counts.firstFailure = counts.firstFailure ?? fatal ?? abortable
            }
            pump()
        }
    }

    private func fail(_ failure: Failure, _ operation: String) {
        var error: KafkaError
        switch failure {
        case .abandoned: error = KafkaError(code: -192, operation: operation)
        case .refused(let refusal): error = KafkaError(refusal, operation)
        }
        if error.retry == .fatal {
            fatal = error
            inFlight = []
        } else if id != nil {
            error.retry = .abortable
            abortable = abortable ?? error
        }
        counts.failed += pending.values.reduce(0) { $0 + $1.count }
        pending = [:]
    }

    func poll(timeout: Int32) {
        world.step()
        pump()
        if timeout > 0 { world.sleep(Int64(timeout)) }
    }

    func flush(limit: Int32) -> Bool {
        world.step()
        pump()
        if !isSettled, fatal == nil {
            let pause = world.pause()
            whenSettled.append { [world] in world.resume(pause) }
            world.wait(pause, until: world.now + Int64(limit))
        }
        world.step()
        return isSettled || fatal != nil
    }

    func takeDeliveries() -> DeliveryCount {
        let taken = counts
        counts = DeliveryCount()
        return taken
    }

    var fatalError: KafkaError? { fatal }

    // MARK: Transactions

    private func perform(_ name: String, limit: Int32, _ start: (Operation) -> Void) throws(KafkaError) {
        world.step()
        if let fatal { throw fatal }
        let current = operation ?? Operation()
        if operation == nil {
            operation = current
            start(current)
        }
        if current.result == nil {
            let pause = world.pause()
            current.waiter = pause
            world.wait(pause, until: world.now + Int64(limit))
            current.waiter = nil
        }
        world.step()
        guard let result = current.result else { throw .timedOut(name) }
        operation = nil
        try result.get()
    }

    private func end(_ operation: Operation, _ result: Result<Void, KafkaError>) {
        operation.result = result
        if let waiter = operation.waiter { world.resume(waiter) }
    }

    private func end(_ operation: Operation, _ failure: Failure, _ name: String) {
        var error = KafkaError.timedOut(name)
        if case .refused(let refusal) = failure { error = KafkaError(refusal, name) }
        switch error.retry {
        case .fatal: fatal = error
        default:
            error.retry = .abortable
            if isOpen { abortable = abortable ?? error }
        }
        end(operation, .failure(error))
    }

    func initialize(limit: Int32) throws(KafkaError) {
        let name = "claim the identity"
        try perform(name, limit: limit) { operation in
            claim(current: nil) { [weak self] result in
                switch result {
                case .success(let identity):
                    self?.identity = identity
                    self?.end(operation, .success(()))
                case .failure(let failure): self?.end(operation, failure, name)
                }
            }
        }
    }

    private func claim(
        current: ProducerIdentity?, _ done: @escaping (Result<ProducerIdentity, Failure>) -> Void
    ) {
        let (id, transactionTimeout) = (id, transactionTimeout)
        persist(.initProducer, while: { [weak self] in self?.goesOn ?? false }) { cluster, now throws(BrokerError) in
            try cluster.initProducer(id, timeout: transactionTimeout, current: current, now: now)
        } _: {
            done($0)
        }
    }

    func begin() throws(KafkaError) {
        world.step()
        if let fatal { throw fatal }
        if isOpen || identity == nil { throw .state("begin a transaction") }
        isOpen = true
        began = world.now
    }

    func send(_ offsets: [PartitionOffset], of place: any GroupPlace, limit: Int32) throws(KafkaError) {
        let name = "send offsets to the transaction"
        if let abortable { throw abortable }
        guard let place = place as? SimulatedPlace, let id, let identity, isOpen else { throw .state(name) }
        var committed: [PartitionName: CommittedOffset] = [:]
        for entry in offsets {
            committed[PartitionName(entry.partition)] = CommittedOffset(entry.offset ?? 0, metadata: entry.metadata)
        }
        let sent = committed
        try perform(name, limit: limit) { operation in
            isKnown = true
            let goesOn = { [weak self] in self?.goesOn ?? false }
            persist(.addOffsets, while: goesOn) { cluster, now throws(BrokerError) in
                try cluster.addOffsets(of: place.group, to: id, identity, now: now)
            } _: { [weak self] result in
                if case .failure(let failure) = result { self?.end(operation, failure, name) }
                guard let self, case .success = result else { return }
                persist(.transactionOffsets, while: goesOn) { cluster, now throws(BrokerError) in
                    try cluster.commitOffsets(
                        sent, of: place.group, in: id, identity, member: place.member, now: now)
                } _: { [weak self] result in
                    switch result {
                    case .success: self?.end(operation, .success(()))
                    case .failure(let failure): self?.end(operation, failure, name)
                    }
                }
            }
        }
    }

    func commit(limit: Int32) throws(KafkaError) {
        let name = "commit the transaction"
        if operation == nil {
            if let abortable { throw abortable }
            if !isOpen { throw .state(name) }
        }
        try perform(name, limit: limit) { operation in
            pump()
            afterSettling { [weak self] in
                guard let self else { return }
                if let failure = fatal ?? abortable { return end(operation, .failure(failure)) }
                finish(commit: true, operation, name)
            }
        }
    }

    func abort(limit: Int32) throws(KafkaError) {
        let name = "abort the transaction"
        if operation == nil, !isOpen { throw .state(name) }
        try perform(name, limit: limit) { operation in
            isPurging = true
            pending = [:]
            partitions = []
            afterSettling { [weak self] in
                guard let self else { return }
                if let fatal { return end(operation, .failure(fatal)) }
                finish(commit: false, operation, name)
            }
        }
    }

    private func afterSettling(_ work: @escaping () -> Void) {
        if isSettled { work() } else { whenSettled.append(work) }
    }

    private func finish(commit: Bool, _ operation: Operation, _ name: String) {
        guard isKnown, let id, let identity else { return closed(operation) }
        persist(.endTransaction, while: { [weak self] in self?.goesOn ?? false }) { cluster, now throws(BrokerError) in
            try cluster.endTransaction(id, identity, commit: commit, now: now)
        } _: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: needsEpoch ? renew(operation, name) : closed(operation)
            // Nothing of it had come to the coordinator.
            case .failure(.refused(.invalidTxnState)) where !commit: renew(operation, name)
            case .failure(let failure): end(operation, failure, name)
            }
        }
    }

    /// A new epoch, whose sequences begin anew.
    private func renew(_ operation: Operation, _ name: String) {
        claim(current: identity) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let identity):
                self.identity = identity
                sequences = [:]
                closed(operation)
            case .failure(let failure): end(operation, failure, name)
            }
        }
    }

    private func closed(_ operation: Operation) {
        (isOpen, isKnown, isPurging, needsEpoch) = (false, false, false, false)
        abortable = nil
        added = []
        end(operation, .success(()))
    }
}
