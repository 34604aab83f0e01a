/// Which records a reader sees.
package enum Isolation: Sendable {
    case readCommitted
    case readUncommitted
}

/// A record as it stands in its partition.
package struct StoredRecord: Hashable, Sendable {
    package var offset: Int64
    package var record: Record
    package var producer: ProducerIdentity?
    /// -1 where the producer is not idempotent.
    package var sequence: Int32
    package var isTransactional: Bool

    package init(
        offset: Int64, record: Record, producer: ProducerIdentity? = nil, sequence: Int32 = -1,
        isTransactional: Bool = false
    ) {
        self.offset = offset
        self.record = record
        self.producer = producer
        self.sequence = sequence
        self.isTransactional = isTransactional
    }
}

/// What a fetch gives.
package struct Fetched: Hashable, Sendable {
    /// Control markers and, for a reader of committed records, aborted ones are left out.
    package var records: [StoredRecord]
    /// Where the next fetch begins: past what was left out, too.
    package var next: Int64
    package var highWatermark: Int64
    /// The first offset of which it is not decided whether it is committed; else the high watermark.
    package var lastStableOffset: Int64
    package var logStart: Int64
}

/// A place of a partition to be looked up.
package enum OffsetSpec: Hashable, Sendable {
    case earliest
    /// The last stable offset for a reader of committed records, else the high watermark.
    case latest
    /// The first record of this time or later, ms since the epoch.
    case timestamp(Int64)
}

/// A topic as it is described.
package struct DescribedTopic: Hashable, Sendable {
    package var name: String
    /// Another one where the topic was deleted and made anew.
    package var id: Int
    package var partitions: Int32
    /// All settings, defaults included.
    package var settings: [String: String]
}

/// A committed offset.
package struct CommittedOffset: Hashable, Sendable {
    package var offset: Int64
    package var metadata: String

    package init(_ offset: Int64, metadata: String = "") {
        self.offset = offset
        self.metadata = metadata
    }
}

/// What a member asks when it joins.
package struct JoinRequest: Hashable, Sendable {
    package var group: String
    /// Empty where it is the first time.
    package var memberID: String
    package var instance: String?
    /// Names of topics.
    package var subscription: [String]
    /// Name of the assignor; all members have to have the same.
    package var assignor: String
    /// Without a sign of life for so long the member is taken out, ms.
    package var sessionTimeout: Int64
    /// So long the others wait for it to join again, ms.
    package var rebalanceTimeout: Int64

    package init(
        group: String, memberID: String = "", instance: String? = nil, subscription: [String],
        assignor: String = "range", sessionTimeout: Int64 = 45_000, rebalanceTimeout: Int64 = 300_000
    ) {
        self.group = group
        self.memberID = memberID
        self.instance = instance
        self.subscription = subscription
        self.assignor = assignor
        self.sessionTimeout = sessionTimeout
        self.rebalanceTimeout = rebalanceTimeout
    }
}

/// How the coordinator takes a wish to join.
package enum Joining: Hashable, Sendable {
    /// `MEMBER_ID_REQUIRED`: the same request again, with this id. A dynamic member's first request gets it.
    case memberIDRequired(String)
    /// The answer comes when all have joined, or their time is over.
    case held(Ticket)
}

/// A member and what it reads, for the leader's assignor.
package struct Subscriber: Hashable, Sendable {
    package var memberID: String
    package var instance: String?
    package var subscription: [String]

    package init(memberID: String, instance: String?, subscription: [String]) {
        self.memberID = memberID
        self.instance = instance
        self.subscription = subscription
    }
}

/// What the coordinator had held back.
package enum GroupAnswer: Hashable, Sendable {
    /// The member is in this generation. `members` is empty unless it leads: then it is for it to assign.
    case joined(memberID: String, generation: Int, leader: String, members: [Subscriber])
    /// Its partitions.
    case synced([PartitionName])
}

/// A group as it is listed.
package struct DescribedGroup: Hashable, Sendable {
    package var name: String
    /// `Empty`, `PreparingRebalance`, `CompletingRebalance`, `Stable`.
    package var state: String
    package var generation: Int
    package var members: [String]
}
