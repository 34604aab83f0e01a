/// What a coordinator keeps of one `transactional.id`.
struct Transaction: Sendable {
    enum State: String, Sendable {
        case empty = "Empty"
        case ongoing = "Ongoing"
        case prepareCommit = "PrepareCommit"
        case prepareAbort = "PrepareAbort"
        case completeCommit = "CompleteCommit"
        case completeAbort = "CompleteAbort"
    }

    /// Where a marker has to be written.
    enum Target: Hashable, Comparable, Sendable, CustomStringConvertible {
        case partition(PartitionName)
        case group(String)

        var description: String {
            switch self {
            case .partition(let partition): partition.description
            case .group(let group): "offsets of \(group)"
            }
        }
    }

    /// Fencing raises the epoch: requests of earlier ones are refused.
    private(set) var producer: ProducerIdentity
    /// The epoch before the last raise: a producer that has this one may go on with the raised one, as long as no
    /// other has claimed the id since; -1 for none.
    private(set) var lastEpoch: Int16 = -1
    /// ms.
    private(set) var timeout: Int64
    private(set) var state = State.empty
    /// What has to get a marker, in the order in which they are written.
    private(set) var targets: [Target] = []
    /// When an open transaction times out, and when the next marker of a decided one is due, ms.
    private(set) var deadline: Int64?

    init(producer: ProducerIdentity, timeout: Int64) {
        self.producer = producer
        self.timeout = timeout
    }

    var isDecided: Bool { state == .prepareCommit || state == .prepareAbort }

    /// No epoch may be the last one: it could not be fenced.
    static let epochLimit = Int16.max - 1

    // MARK: Epochs

    enum Claim: Sendable {
        case granted(ProducerIdentity)
        /// The open transaction has to be aborted first.
        case abortFirst
    }

    /// A producer wants to be the one of this id.
    mutating func claim(
        timeout: Int64, current: ProducerIdentity?, fresh: () -> Int64
    ) throws(BrokerError) -> Claim {
        if let current, current.id != producer.id { throw .producerFenced }
        if isDecided { throw .concurrentTransactions }
        if state == .ongoing { return .abortFirst }
        if let current, current.epoch != producer.epoch {
            // The answer to the same request was lost, or the epoch was raised by the abort of its own transaction.
            guard current.epoch == lastEpoch else { throw .producerFenced }
            (self.timeout, state) = (timeout, .empty)
            return .granted(producer)
        }
        lastEpoch = current?.epoch ?? -1
        producer =
            producer.epoch < Self.epochLimit
            ? ProducerIdentity(id: producer.id, epoch: producer.epoch + 1) : ProducerIdentity(id: fresh(), epoch: 0)
        (self.timeout, state) = (timeout, .empty)
        return .granted(producer)
    }

    /// Refuses everybody but the producer of the newest epoch.
    func check(_ producer: ProducerIdentity) throws(BrokerError) {
        if producer.id != self.producer.id { throw .invalidProducerIDMapping }
        if producer.epoch != self.producer.epoch { throw .producerFenced }
    }

    // MARK: Its course

    mutating func add(_ added: [Target], by producer: ProducerIdentity, now: Int64) throws(BrokerError) {
        try check(producer)
        if isDecided { throw .concurrentTransactions }
        if state != .ongoing {
            state = .ongoing
            targets = []
            deadline = now + timeout
        }
        for target in added where !targets.contains(target) { targets.append(target) }
    }

    mutating func end(
        by producer: ProducerIdentity, commit: Bool, first: Int, markerAt: Int64
    ) throws(BrokerError) {
        try check(producer)
        switch (state, commit) {
        case (.ongoing, _): decide(commit: commit, first: first, markerAt: markerAt)
        case (.prepareCommit, true), (.prepareAbort, false): throw .concurrentTransactions
        case (.completeCommit, true), (.completeAbort, false): return
        default: throw .invalidTxnState
        }
    }

    /// The coordinator ends what a producer left open, which is fenced by it.
    mutating func fence(first: Int, markerAt: Int64) {
        lastEpoch = producer.epoch
        producer.epoch += 1
        decide(commit: false, first: first, markerAt: markerAt)
    }

    private mutating func decide(commit: Bool, first: Int, markerAt: Int64) {
        state = commit ? .prepareCommit : .prepareAbort
        targets.sort()
        let rotation = targets.isEmpty ? 0 : first % targets.count
        targets = Array(targets[rotation...] + targets[..<rotation])
        deadline = markerAt
        if targets.isEmpty { complete() }
    }

    /// A marker stands.
    mutating func marked(_ target: Target, nextAt: Int64) {
        targets.removeAll { $0 == target }
        deadline = nextAt
        if targets.isEmpty { complete() }
    }

    private mutating func complete() {
        state = state == .prepareCommit ? .completeCommit : .completeAbort
        deadline = nil
    }
}
