import BrokerModel
import Testing

/// Names that the tests use.
let input = PartitionName("input", 0)
let output = PartitionName("output", 0)
let other = PartitionName("output", 1)

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func record(_ value: String, key: String? = nil, at time: Int64 = 0) -> Record {
    Record(key: key.map(bytes), value: bytes(value), timestamp: time)
}

func text(_ record: StoredRecord) -> String { String(decoding: record.record.value ?? [], as: UTF8.self) }

/// A cluster with `input` (1 partition) and `output` (2 partitions), in which a group need not wait for more members.
func makeCluster(_ change: (inout ClusterOptions) -> Void = { _ in }) throws -> ModelCluster {
    var options = ClusterOptions()
    options.initialRebalanceDelay = 0
    change(&options)
    var cluster = ModelCluster(options: options)
    try cluster.createTopic("input", partitions: 1, settings: [:], now: 0)
    try cluster.createTopic("output", partitions: 2, settings: [:], now: 0)
    return cluster
}

extension ModelCluster {
    /// The values that a reader sees from `offset` on.
    mutating func values(
        of partition: PartitionName, from offset: Int64 = 0, _ isolation: Isolation = .readCommitted
    ) throws -> [String] {
        try fetch(partition, from: offset, isolation, bytes: .max, now: now).records.map(text)
    }

    /// Writes outside of any transaction.
    @discardableResult
    mutating func write(_ values: [String], to partition: PartitionName) throws -> Int64 {
        try produce(Batch(values.map { record($0) }), to: partition, now: now)
    }

    /// Writes one record within a transaction.
    @discardableResult
    mutating func write(
        _ value: String, by producer: ProducerIdentity, _ sequence: Int32, to partition: PartitionName
    ) throws -> Int64 {
        try produce(
            Batch([record(value)], producer: producer, sequence: sequence, isTransactional: true), to: partition,
            now: now)
    }

    /// Has a member in a generation of its own making, with its partitions assigned.
    mutating func enter(_ request: JoinRequest) throws -> MemberIdentity {
        var request = request
        var joining = try join(request, now: now)
        if case .memberIDRequired(let id) = joining {
            request.memberID = id
            joining = try join(request, now: now)
        }
        guard case .held(let ticket) = joining,
            case .joined(let id, let generation, _, let members) = try answer(to: ticket, now: now)
        else { throw NotIn() }
        let member = MemberIdentity(id: id, generation: generation, instance: request.instance)
        let assignment = rangeAssignment(members, partitions: ["input": 1, "output": 2])
        let synced = try sync(request.group, member, assignment: assignment, now: now)
        guard case .synced = try answer(to: synced, now: now) else { throw NotIn() }
        return member
    }
}

/// The group did not let a member in at once.
struct NotIn: Error {}
