extension ModelCluster {
    package mutating func initProducer(
        _ id: String?, timeout: Int64, current: ProducerIdentity?, now: Int64
    ) throws(BrokerError) -> ProducerIdentity {
        try begin(now)
        guard let id else { return ProducerIdentity(id: freshProducer(), epoch: 0) }
        try checkCoordinator(of: .transaction(id))
        if timeout > setting("transaction.max.timeout.ms") ?? .max { throw .invalidTransactionTimeout }
        guard var transaction = transactions[id] else {
            let producer = ProducerIdentity(id: freshProducer(), epoch: 0)
            transactions[id] = Transaction(producer: producer, timeout: timeout)
            return producer
        }
        switch try transaction.claim(timeout: timeout, current: current, fresh: { freshProducer() }) {
        case .granted(let producer):
            transactions[id] = transaction
            return producer
        case .abortFirst:
            fence(id)
            advance(to: now)
            throw .concurrentTransactions
        }
    }

    package mutating func addPartitions(
        _ partitions: [PartitionName], to id: String, _ producer: ProducerIdentity, now: Int64
    ) throws(BrokerError) {
        try begin(now)
        if partitions.contains(where: { log(of: $0) == nil }) { throw .unknownTopicOrPartition }
        try add(partitions.map { .partition($0) }, to: id, producer)
    }

    package mutating func addOffsets(
        of group: String, to id: String, _ producer: ProducerIdentity, now: Int64
    ) throws(BrokerError) {
        try begin(now)
        try add([.group(group)], to: id, producer)
    }

    private mutating func add(
        _ targets: [Transaction.Target], to id: String, _ producer: ProducerIdentity
    ) throws(BrokerError) {
        var transaction = try transaction(id)
        try transaction.add(targets, by: producer, now: now)
        transactions[id] = transaction
    }

    package mutating func endTransaction(
        _ id: String, _ producer: ProducerIdentity, commit: Bool, now: Int64
    ) throws(BrokerError) {
        try begin(now)
        var transaction = try transaction(id)
        try transaction.end(by: producer, commit: commit, first: options.firstMarker, markerAt: markerTime)
        transactions[id] = transaction
        advance(to: now)
    }

    private func transaction(_ id: String) throws(BrokerError) -> Transaction {
        try checkCoordinator(of: .transaction(id))
        guard let transaction = transactions[id] else { throw .invalidProducerIDMapping }
        return transaction
    }

    /// Asks the coordinator whether a producer may write to `target`: only within an open transaction that has it.
    func verify(_ producer: ProducerIdentity, writes target: Transaction.Target) throws(BrokerError) {
        guard let (id, transaction) = transactions.first(where: { $0.value.producer.id == producer.id }) else {
            throw .invalidTxnState
        }
        if (try? checkCoordinator(of: .transaction(id))) == nil { throw .notEnoughReplicas }
        if transaction.producer.epoch != producer.epoch { throw .invalidProducerEpoch }
        if transaction.isDecided { throw .notEnoughReplicas }
        guard transaction.state == .ongoing, transaction.targets.contains(target) else { throw .invalidTxnState }
    }

    // MARK: What the coordinator does by itself

    private var markerTime: Int64 { now + options.markerDelay }

    func deadline(of id: String, _ transaction: Transaction) -> Int64? {
        guard var time = transaction.deadline else { return nil }
        if transaction.isDecided { time = max(time, transaction.targets.map(reachable).min() ?? 0) }
        return max(time, loaded(.transaction(id)))
    }

    /// From when on a marker can be written there.
    private func reachable(_ target: Transaction.Target) -> Int64 {
        switch target {
        case .partition(let partition): leaderless[partition] ?? 0
        case .group(let group): loaded(.group(group))
        }
    }

    /// Aborts the open transaction of a producer that is given up.
    private mutating func fence(_ id: String) {
        let (first, time) = (options.firstMarker, markerTime)
        transactions[id]?.fence(first: first, markerAt: time)
    }

    /// Its deadline is reached: an open one has timed out, a decided one gets its next marker.
    mutating func advanceTransaction(_ id: String) {
        guard let transaction = transactions[id] else { return }
        guard transaction.isDecided else {
            fence(id)
            return
        }
        guard let target = transaction.targets.first(where: { reachable($0) <= now }) else { return }
        let (isCommit, time) = (transaction.state == .prepareCommit, self.now)
        switch target {
        case .partition(let partition):
            // A topic that was deleted meanwhile needs no marker.
            change(partition) { $0.mark(transaction.producer, isCommit: isCommit, time: time) }
        case .group(let group):
            change(group: group) { $0.offsets.mark(transaction.producer, isCommit: isCommit) }
        }
        let next = markerTime
        transactions[id]?.marked(target, nextAt: next)
    }

    /// How a `transactional.id` stands: the state as brokers name it, and what has no marker yet.
    package func transaction(of id: String) -> (state: String, producer: ProducerIdentity, targets: [String])? {
        transactions[id].map { ($0.state.rawValue, $0.producer, $0.targets.map(\.description)) }
    }
}
