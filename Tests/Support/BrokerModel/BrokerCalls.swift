/// All that a client may ask of a cluster. ``ModelCluster`` answers.
///
/// `now` is virtual time, ms; it never goes back. Before a call is answered all is done that was due until then.
/// A call that throws has changed nothing, but that a heartbeat is a sign of life even in a rebalance, that
/// ``initProducer(_:timeout:current:now:)`` begins the abort that it has its caller wait for, and that a partition does
/// not let a batch overtake one that was refused since its transaction could not be told to be open.
/// While the cluster is down every call throws `NETWORK_EXCEPTION`.
package protocol BrokerCalls {
    // MARK: Topics

    /// - Throws: `TOPIC_ALREADY_EXISTS`, `INVALID_PARTITIONS`.
    mutating func createTopic(
        _ name: String, partitions: Int32, settings: [String: String], now: Int64
    ) throws(BrokerError)
    /// Deletes records and, in every group, the offsets of the topic.
    /// - Throws: `UNKNOWN_TOPIC_OR_PARTITION`.
    mutating func deleteTopic(_ name: String, now: Int64) throws(BrokerError)
    /// - Parameter total: how many there are then.
    /// - Throws: `UNKNOWN_TOPIC_OR_PARTITION`, `INVALID_PARTITIONS`.
    mutating func addPartitions(to name: String, total: Int32, now: Int64) throws(BrokerError)
    /// All topics, by name.
    mutating func topics(now: Int64) throws(BrokerError) -> [DescribedTopic]
    /// All settings of the brokers.
    mutating func brokerSettings(now: Int64) throws(BrokerError) -> [String: String]

    // MARK: Records

    /// Writes a batch; one that was written before is not written again.
    /// - Returns: the offset of its first record.
    /// - Throws: `UNKNOWN_TOPIC_OR_PARTITION`, `NOT_LEADER_OR_FOLLOWER`, `MESSAGE_TOO_LARGE`,
    ///   `INVALID_PRODUCER_EPOCH`, `OUT_OF_ORDER_SEQUENCE_NUMBER`, `INVALID_TXN_STATE` (the partition is not in an open
    ///   transaction of the producer), `NOT_ENOUGH_REPLICAS` (whether it is cannot be told now).
    mutating func produce(_ batch: Batch, to partition: PartitionName, now: Int64) throws(BrokerError) -> Int64
    /// Never waits: nothing new is an empty answer.
    /// - Parameter bytes: limit of what is given; one record is given though it be larger.
    /// - Throws: `OFFSET_OUT_OF_RANGE`, `UNKNOWN_TOPIC_OR_PARTITION`, `NOT_LEADER_OR_FOLLOWER`.
    mutating func fetch(
        _ partition: PartitionName, from offset: Int64, _ isolation: Isolation, bytes: Int, now: Int64
    ) throws(BrokerError) -> Fetched
    /// - Returns: nil where no record is of that time or later.
    mutating func offset(
        _ spec: OffsetSpec, of partition: PartitionName, _ isolation: Isolation, now: Int64
    ) throws(BrokerError) -> Int64?
    /// Deletes the records before an offset; -1 is the high watermark.
    /// - Returns: the first offset that the partition still holds.
    /// - Throws: `POLICY_VIOLATION` (the topic is only compacted), and as ``fetch(_:from:_:bytes:now:)``.
    mutating func deleteRecords(
        of partition: PartitionName, before offset: Int64, now: Int64
    ) throws(BrokerError) -> Int64

    // MARK: Transactions

    /// Gives a producer its identity. With a transactional id it fences the earlier producer of that id, whose
    /// transaction is ended first.
    /// - Parameters:
    ///   - id: `transactional.id`; nil for a producer that is idempotent alone.
    ///   - timeout: after so long without an end the coordinator aborts a transaction, ms.
    ///   - current: the identity of a producer that wants a new epoch of its own; nil for a new producer.
    /// - Throws: `CONCURRENT_TRANSACTIONS` (an old transaction is being ended: ask again), `PRODUCER_FENCED`,
    ///   `INVALID_TRANSACTION_TIMEOUT`, `NOT_COORDINATOR`, `COORDINATOR_LOAD_IN_PROGRESS`; the last two all calls
    ///   below may throw.
    mutating func initProducer(
        _ id: String?, timeout: Int64, current: ProducerIdentity?, now: Int64
    ) throws(BrokerError) -> ProducerIdentity
    /// Makes partitions part of the transaction, which the first of them opens.
    /// - Throws: `PRODUCER_FENCED` (requests of old versions name it `INVALID_PRODUCER_EPOCH`),
    ///   `INVALID_PRODUCER_ID_MAPPING`, `CONCURRENT_TRANSACTIONS`, `UNKNOWN_TOPIC_OR_PARTITION`.
    mutating func addPartitions(
        _ partitions: [PartitionName], to id: String, _ producer: ProducerIdentity, now: Int64
    ) throws(BrokerError)
    /// Makes the offsets of a group part of the transaction.
    /// - Throws: as ``addPartitions(_:to:_:now:)``.
    mutating func addOffsets(
        of group: String, to id: String, _ producer: ProducerIdentity, now: Int64
    ) throws(BrokerError)
    /// Commits offsets that count when the transaction does.
    /// - Throws: `UNKNOWN_MEMBER_ID`, `ILLEGAL_GENERATION`, `FENCED_INSTANCE_ID`, `INVALID_PRODUCER_EPOCH`,
    ///   `INVALID_TXN_STATE` (the group is not in an open transaction of the producer), `OFFSET_METADATA_TOO_LARGE`,
    ///   `UNKNOWN_TOPIC_OR_PARTITION`.
    mutating func commitOffsets(
        _ offsets: [PartitionName: CommittedOffset], of group: String, in id: String, _ producer: ProducerIdentity,
        member: MemberIdentity, now: Int64
    ) throws(BrokerError)
    /// Decides the transaction. Once this has returned the decision stands, but it shows in each partition, and in
    /// the offsets, only when the marker is written there: one after another, ``ClusterOptions/markerDelay`` apart.
    /// - Throws: `PRODUCER_FENCED`, `INVALID_PRODUCER_ID_MAPPING`, `INVALID_TXN_STATE` (none is open, or it has been
    ///   decided otherwise), `CONCURRENT_TRANSACTIONS` (it has been decided so and markers are being written). Once
    ///   all markers stand a repetition succeeds.
    mutating func endTransaction(
        _ id: String, _ producer: ProducerIdentity, commit: Bool, now: Int64
    ) throws(BrokerError)

    // MARK: Groups

    /// - Throws: `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`, `INCONSISTENT_GROUP_PROTOCOL`; all of groups may throw
    ///   `NOT_COORDINATOR`, `COORDINATOR_LOAD_IN_PROGRESS`.
    mutating func join(_ request: JoinRequest, now: Int64) throws(BrokerError) -> Joining
    /// - Parameter assignment: partitions by member id, from the leader; empty from the others.
    /// - Returns: where the answer will be.
    /// - Throws: `UNKNOWN_MEMBER_ID`, `ILLEGAL_GENERATION`, `FENCED_INSTANCE_ID`, `REBALANCE_IN_PROGRESS`.
    mutating func sync(
        _ group: String, _ member: MemberIdentity, assignment: [String: [PartitionName]], now: Int64
    ) throws(BrokerError) -> Ticket
    /// The answer to a join or a sync, which can be taken once.
    /// - Returns: nil while it is held back.
    /// - Throws: what the coordinator answered: `UNKNOWN_MEMBER_ID` (taken out meanwhile), `FENCED_INSTANCE_ID` (a
    ///   twin came), `REBALANCE_IN_PROGRESS` (of a sync; of a join, that a later request of the member took its
    ///   place), `NOT_COORDINATOR` (moved or restarted: the request is gone).
    mutating func answer(to ticket: Ticket, now: Int64) throws(BrokerError) -> GroupAnswer?
    /// - Throws: `REBALANCE_IN_PROGRESS`, `UNKNOWN_MEMBER_ID`, `ILLEGAL_GENERATION`, `FENCED_INSTANCE_ID`.
    mutating func heartbeat(_ group: String, _ member: MemberIdentity, now: Int64) throws(BrokerError)
    /// - Throws: `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`.
    mutating func leave(_ group: String, _ member: MemberIdentity, now: Int64) throws(BrokerError)
    /// Commits offsets outside of transactions.
    /// - Throws: `UNKNOWN_MEMBER_ID`, `ILLEGAL_GENERATION`, `FENCED_INSTANCE_ID`, `REBALANCE_IN_PROGRESS`,
    ///   `OFFSET_METADATA_TOO_LARGE`, `UNKNOWN_TOPIC_OR_PARTITION`.
    mutating func commitOffsets(
        _ offsets: [PartitionName: CommittedOffset], of group: String, member: MemberIdentity, now: Int64
    ) throws(BrokerError)
    /// - Parameter stable: to be told where a transaction may yet change an offset.
    /// - Returns: of each partition that has one, the committed offset.
    /// - Throws: `UNSTABLE_OFFSET_COMMIT` where `stable` and a partition has offsets in an open transaction.
    mutating func committedOffsets(
        _ partitions: [PartitionName], of group: String, stable: Bool, now: Int64
    ) throws(BrokerError) -> [PartitionName: CommittedOffset]
    /// All groups, by name.
    mutating func groups(now: Int64) throws(BrokerError) -> [DescribedGroup]
    /// - Throws: `NON_EMPTY_GROUP`, `GROUP_ID_NOT_FOUND`.
    mutating func deleteGroup(_ name: String, now: Int64) throws(BrokerError)
}

/// What befalls a cluster, and how its time goes on. None of it throws.
package protocol BrokerFaults {
    /// Does all that is due until `now`: sessions and transactions that time out, joins that end, markers.
    mutating func advance(to now: Int64)
    /// When something is due next; nil where nothing is.
    var nextDeadline: Int64? { get }

    /// All brokers go down. Logs, committed offsets, decided and open transactions, and groups as they last were stable
    /// are kept; answers that were held back, members that had not yet been assigned, are gone.
    mutating func stop(now: Int64)
    /// - Parameter loading: how long coordinators answer `COORDINATOR_LOAD_IN_PROGRESS` then, ms. Sessions begin anew
    ///   when they are loaded.
    mutating func start(loading: Int64, now: Int64)
    /// Another broker becomes the coordinator: `NOT_COORDINATOR` for `away` ms, then
    /// `COORDINATOR_LOAD_IN_PROGRESS` for `loading` ms. What is lost is as with ``stop(now:)``.
    mutating func moveCoordinator(of whom: Coordinated, away: Int64, loading: Int64, now: Int64)
    /// Another broker leads the partition: `NOT_LEADER_OR_FOLLOWER` for `away` ms.
    mutating func moveLeader(of partition: PartitionName, away: Int64, now: Int64)

    /// Retention: the oldest records go until so many are left.
    mutating func retain(_ partition: PartitionName, newest count: Int, now: Int64)
    /// Retention: records older than `time` at the beginning of the partition go, ms since the epoch.
    mutating func retain(_ partition: PartitionName, since time: Int64, now: Int64)
    /// Compaction: of each key only the newest of the stable records stays.
    mutating func compact(_ partition: PartitionName, now: Int64)
    /// Spoils the value of the record at an offset.
    /// - Returns: whether there is such a record.
    @discardableResult
    mutating func corrupt(_ partition: PartitionName, at offset: Int64, _ how: Corruption, now: Int64) -> Bool
}

/// What has a coordinator.
package enum Coordinated: Hashable, Sendable {
    case group(String)
    /// A `transactional.id`.
    case transaction(String)
}

/// How a cluster behaves where clusters differ. May be changed at any time.
package struct ClusterOptions: Sendable {
    /// ms from the decision of a transaction to its first marker, and from each to the next; 0: all at once, before
    /// the call that ends it returns.
    package var markerDelay: Int64 = 0
    /// Which marker comes first: they are written in the order of partitions, then groups, beginning with this one.
    package var firstMarker = 0
    /// Whether a leader asks the coordinator if the partition is in the transaction that is written to (as brokers
    /// do since 3.6). Without it what a producer sends too late can hold up readers for ever.
    package var verifiesTransactions = true
    /// `group.initial.rebalance.delay.ms`: how long an empty group waits for more members.
    package var initialRebalanceDelay: Int64 = 3000
    /// Settings of brokers: defaults of topics, and what the model heeds: `transaction.max.timeout.ms`,
    /// `offset.metadata.max.bytes`, `message.max.bytes`.
    package var brokerSettings = [
        "transaction.max.timeout.ms": "900000", "offset.metadata.max.bytes": "4096", "message.max.bytes": "1048588",
        "transaction.state.log.replication.factor": "1", "transaction.state.log.min.isr": "1",
    ]

    package init() {}
}
