extension ModelCluster {
    package mutating func stop(now: Int64) {
        advance(to: now)
        isDown = true
    }

    package mutating func start(loading: Int64, now: Int64) {
        advance(to: now)
        if !isDown { return }
        isDown = false
        loaded = now + loading
        moves = [:]
        leaderless = [:]
        for topic in topicsByName.keys {
            for index in topicsByName[topic]?.logs.indices ?? 0..<0 { topicsByName[topic]?.logs[index].reload() }
        }
        for group in groupsByName.keys { groupsByName[group]?.reload(at: now + loading) }
    }

    package mutating func moveCoordinator(of whom: Coordinated, away: Int64, loading: Int64, now: Int64) {
        advance(to: now)
        moves[whom] = Move(away: now + away, loading: now + away + loading)
        let time = loaded(whom)
        if case .group(let name) = whom { groupsByName[name]?.reload(at: time) }
    }

    package mutating func moveLeader(of partition: PartitionName, away: Int64, now: Int64) {
        advance(to: now)
        leaderless[partition] = now + away
        change(partition) { $0.reload() }
    }

    package mutating func retain(_ partition: PartitionName, newest count: Int, now: Int64) {
        advance(to: now)
        change(partition) { $0.keep(newest: count) }
    }

    package mutating func retain(_ partition: PartitionName, since time: Int64, now: Int64) {
        advance(to: now)
        change(partition) { $0.keep(since: time) }
    }

    package mutating func compact(_ partition: PartitionName, now: Int64) {
        advance(to: now)
        change(partition) { $0.compact() }
    }

    @discardableResult
    package mutating func corrupt(
        _ partition: PartitionName, at offset: Int64, _ how: Corruption, now: Int64
    ) -> Bool {
        advance(to: now)
        return change(partition) { $0.corrupt(at: offset, how) } ?? false
    }

    /// What stands in the log of a partition, whether anybody can reach it or not.
    package func records(in partition: PartitionName, _ isolation: Isolation) -> [StoredRecord] {
        guard let log = log(of: partition) else { return [] }
        return (try? log.fetch(from: log.start, isolation, bytes: .max))?.records ?? []
    }
}
