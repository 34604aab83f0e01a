internal import Glibc
internal import Kafka
package import Settings

/// Sets an application back: its group begins at another place of the input, and what it keeps is forgotten.
///
/// The input and the output are not touched: windows are written again under their keys.
package final class ApplicationReset {
    /// Where the input is read from then.
    package enum Start: Sendable, Equatable {
        case beginning
        /// The first record at this time or later, ms since the epoch.
        case time(Int64)
    }

    private let options: WorkerOptions
    private let admin: Admin
    private let start: Start
    private static let limit: Int32 = 10_000

    package init(_ settings: Settings, to start: Start) throws(WorkerFailure) {
        options = WorkerOptions(settings)
        self.start = start
        do {
            admin = try Admin(options.admin)
        } catch {
            throw WorkerFailure(error)
        }
    }

    /// What ``execute()`` would do, one line a step, after it has looked whether it may.
    /// - Throws: while the group has members, and where the cluster does not answer.
    package func plan() throws(WorkerFailure) -> [String] {
        do throws(KafkaError) {
            try refuseMembers()
            let topics = try internalTopics().map { topic throws(KafkaError) in
                let count = try records(of: topic)
                return "empty the topic \(topic.name): \(count) records in \(topic.partitions) partitions"
            }
            return ["forget the committed offsets of the group \(options.applicationID)"] + topics
                + (try inputOffsets().map { "begin \($0.partition) at offset \($0.offset ?? 0)" })
                + (start == .beginning ? ["begin every partition of the input at its first record"] : [])
        } catch {
            throw WorkerFailure(error)
        }
    }

    /// Does it. Where it fails on the way it can be done again.
    package func execute() throws(WorkerFailure) {
        do throws(KafkaError) {
            try refuseMembers()
            do throws(KafkaError) {
                try admin.deleteGroup(options.applicationID, limit: Self.limit)
            } catch {
                if error.name != "GROUP_ID_NOT_FOUND" { throw error }
            }
            for topic in try internalTopics() { try empty(topic) }
            let offsets = try inputOffsets()
            if offsets.isEmpty { return }
            try Consumer(group: options.applicationID, options.consumer).commit(offsets)
        } catch {
            throw WorkerFailure(error)
        }
    }

    private func refuseMembers() throws(KafkaError) {
        let group = try admin.groups(limit: Self.limit).first { $0.name == options.applicationID }
        if let group, group.members > 0 { throw KafkaError.alive(group: group.name, members: group.members) }
    }

    private func internalTopics() throws(KafkaError) -> [TopicDescription] {
        let names = TopicPlan(options, inputPartitions: 1).internalTopics
        return try admin.topics(limit: Self.limit).filter { names.contains($0.name) }.sorted { $0.name < $1.name }
    }

    private func partitions(of topic: TopicDescription) -> [TopicPartition] {
        (0..<Int32(topic.partitions)).map { TopicPartition(topic.name, $0) }
    }

    private func records(of topic: TopicDescription) throws(KafkaError) -> Int64 {
        var count: Int64 = 0
        for partition in partitions(of: topic) {
            let ends = try admin.watermarks(of: partition, limit: Self.limit)
            count += ends.high - ends.low
        }
        return count
    }

    /// Records are deleted up to the end where the topic's policy lets them be, else the topic is made anew.
    private func empty(_ topic: TopicDescription) throws(KafkaError) {
        let policy = try admin.configuration(ofTopic: topic.name, limit: Self.limit)["cleanup.policy"] ?? ""
        if policy.contains("delete") {
            let ends = try partitions(of: topic).map { partition throws(KafkaError) in
                PartitionOffset(partition, try admin.watermarks(of: partition, limit: Self.limit).high)
            }
            return try admin.deleteRecords(before: ends, limit: Self.limit)
        }
        let plan = TopicPlan(options, inputPartitions: topic.partitions).topics
        var anew = plan.first { $0.name == topic.name } ?? NewTopic(topic.name, partitions: topic.partitions)
        anew.partitions = topic.partitions
        anew.replicas = topic.replicas
        try admin.deleteTopic(topic.name, limit: Self.limit)
        // The name is free again when the brokers are done with deleting.
        for _ in 0..<100 {
            if try !admin.topics(limit: Self.limit).contains(where: { $0.name == topic.name }) { break }
            _ = usleep(100_000)
        }
        try admin.create([anew], limit: Self.limit)
    }

    /// Offsets to be committed; none where the group begins at the beginning.
    private func inputOffsets() throws(KafkaError) -> [PartitionOffset] {
        guard case .time(let time) = start else { return [] }
        let inputs = try admin.topics(limit: Self.limit).filter { options.inputTopics.contains($0.name) }
        let consumer = try Consumer(group: options.applicationID, options.consumer)
        let found = try consumer.offsets(
            at: time, in: inputs.flatMap { partitions(of: $0) }, limit: Self.limit)
        return try found.sorted { $0.partition < $1.partition }.map { entry throws(KafkaError) in
            if entry.offset != nil { return entry }
            // Nothing so young: the next record to come.
            let end = try admin.watermarks(of: entry.partition, limit: Self.limit).high
            return PartitionOffset(entry.partition, end)
        }
    }
}
