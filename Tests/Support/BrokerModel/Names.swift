/// One partition of a topic.
package struct PartitionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var topic: String
    package var index: Int32

    package init(_ topic: String, _ index: Int32) {
        self.topic = topic
        self.index = index
    }

    package static func < (a: PartitionName, b: PartitionName) -> Bool {
        a.topic == b.topic ? a.index < b.index : a.topic < b.topic
    }

    package var description: String { "\(topic)[\(index)]" }
}

/// What an idempotent producer sends with its batches. A later epoch of the same id fences the earlier ones.
package struct ProducerIdentity: Hashable, Sendable, CustomStringConvertible {
    package var id: Int64
    package var epoch: Int16

    package init(id: Int64, epoch: Int16) {
        self.id = id
        self.epoch = epoch
    }

    package var description: String { "\(id)/\(epoch)" }
}

/// Who a member of a group says that it is.
package struct MemberIdentity: Hashable, Sendable {
    /// As the coordinator gave it; empty before the first join, and for offsets that no member commits.
    package var id: String
    /// -1 for offsets that no member commits.
    package var generation: Int
    /// `group.instance.id` of a static member.
    package var instance: String?

    package init(id: String, generation: Int, instance: String? = nil) {
        self.id = id
        self.generation = generation
        self.instance = instance
    }

    /// Nobody: the group has no members, or is not asked for them.
    package static let none = MemberIdentity(id: "", generation: -1)
}

/// Promise of an answer that the group's coordinator holds back: see ``BrokerCalls/answer(to:now:)``.
package struct Ticket: Hashable, Sendable {
    var group: String
    var number: Int
}
