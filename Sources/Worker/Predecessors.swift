internal import Kafka
internal import Metering
internal import Settings
internal import Synchronization

/// Ends at once what workers that died have left open: else whoever comes after them, and every reader, waits until
/// the transaction's time is over and the broker has looked for such.
///
/// A worker writes its transactions under a name made of its member's name in the group, and that beside every offset.
/// The group gives such a name once and never again: who is not among its members holds no partition, and will hold
/// none under that name, however long it was frozen. So whoever is given a partition may fence whom it finds beside
/// the partition's offset and not in the group, and fences nobody who is entitled to write.
final class Predecessors: Sendable {
    private let options: WorkerOptions
    private let platform: Platform
    private let membership: Membership
    private let observer: any ClientObserver
    private let log: Log
    /// Those that were ended before: their names may stand beside offsets for long.
    private let ended = Mutex<Set<String>>([])
    /// Longest wait of one call, ms; and of all calls for one predecessor.
    private static let limit: Int32 = 1000
    private static let patience = 5000

    init(
        _ options: WorkerOptions, _ platform: Platform, membership: Membership, observer: any ClientObserver, log: Log
    ) {
        self.options = options
        self.platform = platform
        self.membership = membership
        self.observer = observer
        self.log = log
    }

    /// Called when the group has given partitions, before their offsets are read. What cannot be done in time is left
    /// to the broker.
    func end(_ partitions: [TopicPartition]) {
        guard options.guarantee == .exactlyOnce, !partitions.isEmpty else { return }
        do throws(KafkaError) {
            for name in try gone(partitions) {
                try end(name)
                ended.withLock { _ = $0.insert(name) }
            }
        } catch {
            log.info(
                "group", "what a worker left open that is gone is left to the broker",
                ["error": .text(error.description)])
        }
    }

    /// Names beside the offsets that are not those of members.
    private func gone(_ partitions: [TopicPartition]) throws(KafkaError) -> [String] {
        // Offsets that are in an open transaction hide nothing from a reader of the uncommitted.
        let properties = options.consumer.merging(["isolation.level": "read_uncommitted"]) { _, ours in ours }
        let reader = try platform.cluster.member(of: options.applicationID, properties, observer: observer)
        let own = membership.consumer.memberID
        let found = try reader.committed(partitions, limit: Self.limit)
        let known = ended.withLock { $0 }
        let names = Set(found.compactMap { CommitMark.member(in: $0.metadata) }).subtracting(known).subtracting([own])
        if names.isEmpty { return [] }
        let members = try membership.consumer.members(limit: Self.limit).members.map(\.id)
        // An answer that does not know this member is an old one.
        guard members.contains(own) else { return [] }
        return names.subtracting(members).sorted()
    }

    private func end(_ name: String) throws(KafkaError) {
        let begin = platform.scheduler.now
        let producer = try platform.cluster.transactionProducer(
            options.transactional, identity: options.transactionalID(of: name), timeout: options.transactionTimeout,
            observer: observer)
        while true {
            do throws(KafkaError) {
                try producer.initialize(limit: Self.limit)
                return log.info("group", "ended what a worker left open that is gone", ["member": .text(name)])
            } catch {
                let isInTime = platform.scheduler.now.milliseconds(since: begin) < Self.patience
                guard error.retry == .retriable, isInTime else { throw error }
            }
        }
    }
}
