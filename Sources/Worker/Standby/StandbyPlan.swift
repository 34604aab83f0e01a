internal import Kafka

/// Who keeps the states of which partitions ready, beside the worker that folds them: every member of the group
/// comes to the same answer by itself.
///
/// The members of a group are asked of its coordinator; their protocol has no place for a word of the worker's own in
/// librdkafka. So a worker follows what it would be given if another member went: for each other member the
/// assignment without it is made, as the range assignor makes it, and whoever comes by a partition is its heir. Those
/// who inherit it from most come first, then by the order of their names. Under another assignor the answer is as
/// deterministic, only the heir may be another.
struct StandbyPlan {
    /// Ordered as ``GroupMembers`` are.
    let members: [GroupMembers.Member]
    /// The partitions whose states are kept, all of them, by topic.
    let topics: [(name: String, partitions: Int)]
    /// Workers that keep each of them beside the one that folds it.
    let replicas: Int

    /// What one member follows.
    func followed(by member: String) -> [TopicPartition] {
        var found: [TopicPartition] = []
        for topic in topics {
            for partition in 0..<topic.partitions {
                let place = TopicPartition(topic.name, Int32(partition))
                if heirs(of: place, among: topic.partitions).contains(member) { found.append(place) }
            }
        }
        return found
    }

    private func heirs(of place: TopicPartition, among count: Int) -> [String] {
        let owner = members.firstIndex { $0.partitions.contains(place) }
        var votes = [Int](repeating: 0, count: members.count)
        for gone in members.indices {
            let left = members.indices.filter { $0 != gone }
            guard !left.isEmpty else { continue }
            let heir = left[Self.range(of: Int(place.partition), among: count, members: left.count)]
            // The owner's own going counts before that of any other.
            if heir != owner { votes[heir] += gone == owner ? members.count : 1 }
        }
        let order = members.indices.filter { $0 != owner }.sorted { (-votes[$0], $0) < (-votes[$1], $1) }
        return order.prefix(replicas).map { members[$0].id }
    }

    /// The member, by its place in the order, to which the range assignor gives a partition.
    private static func range(of partition: Int, among count: Int, members: Int) -> Int {
        let (each, more) = (count / members, count % members)
        let ofLarger = more * (each + 1)
        return partition < ofLarger ? partition / (each + 1) : more + (partition - ofLarger) / each
    }
}
