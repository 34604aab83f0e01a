/// The `range` assignor: of each topic every member gets a run of neighbouring partitions.
///
/// - Parameter partitions: how many each topic has; a topic that is missing has none.
/// - Returns: partitions by member id, with an entry for each member.
package func rangeAssignment(
    _ members: [Subscriber], partitions: [String: Int32]
) -> [String: [PartitionName]] {
    var assignment = Dictionary(uniqueKeysWithValues: members.map { ($0.memberID, [PartitionName]()) })
    // Static members first, by instance: their runs outlive a change of their ids.
    let ordered = members.sorted { a, b in
        switch (a.instance, b.instance) {
        case (let a?, let b?): a < b
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): a.memberID < b.memberID
        }
    }
    for topic in Set(members.flatMap(\.subscription)).sorted() {
        let readers = ordered.filter { $0.subscription.contains(topic) }
        let count = Int(partitions[topic] ?? 0)
        var next = 0
        for (place, reader) in readers.enumerated() {
            let share = count / readers.count + (place < count % readers.count ? 1 : 0)
            assignment[reader.memberID]? += (next..<next + share).map { PartitionName(topic, Int32($0)) }
            next += share
        }
    }
    return assignment
}
