extension ModelCluster {
    package mutating func commitOffsets(
        _ offsets: [PartitionName: CommittedOffset], of group: String, member: MemberIdentity, now: Int64
    ) throws(BrokerError) {
        try begin(now)
        try check(offsets, of: group, member, isTransactional: false)
        change(group: group) { $0.offsets.commit(offsets) }
    }

    package mutating func commitOffsets(
        _ offsets: [PartitionName: CommittedOffset], of group: String, in id: String, _ producer: ProducerIdentity,
        member: MemberIdentity, now: Int64
    ) throws(BrokerError) {
        try begin(now)
        try checkCoordinator(of: .group(group))
        if options.verifiesTransactions, groupsByName[group]?.offsets.hasOpen(producer.id) != true {
            try verify(producer, writes: .group(group))
        }
        try check(offsets, of: group, member, isTransactional: true)
        try change(group: group) { group throws(BrokerError) in try group.offsets.commit(offsets, in: producer) }
    }

    private func check(
        _ offsets: [PartitionName: CommittedOffset], of group: String, _ member: MemberIdentity, isTransactional: Bool
    ) throws(BrokerError) {
        try checkCoordinator(of: .group(group))
        if offsets.keys.contains(where: { log(of: $0) == nil }) { throw .unknownTopicOrPartition }
        if let found = groupsByName[group] {
            try found.checkCommit(member, isTransactional: isTransactional)
        } else if member.generation >= 0 {
            throw .illegalGeneration
        }
        let limit = setting("offset.metadata.max.bytes") ?? .max
        if offsets.values.contains(where: { Int64($0.metadata.utf8.count) > limit }) { throw .offsetMetadataTooLarge }
    }

    package mutating func committedOffsets(
        _ partitions: [PartitionName], of group: String, stable: Bool, now: Int64
    ) throws(BrokerError) -> [PartitionName: CommittedOffset] {
        try begin(now)
        try checkCoordinator(of: .group(group))
        guard let offsets = groupsByName[group]?.offsets else { return [:] }
        if stable, partitions.contains(where: offsets.isPending) { throw .unstableOffsetCommit }
        var found: [PartitionName: CommittedOffset] = [:]
        for partition in partitions { found[partition] = offsets[partition] }
        return found
    }
}
