import Kafka
import Testing

@testable import Worker

/// Whose states whom: with one topic `in`, whose partitions the range assignor has given out.
@Suite struct StandbyPlanTests {
    private static func group(_ names: [String], partitions: Int) -> [GroupMembers.Member] {
        let names = names.sorted()
        let (each, more) = (partitions / names.count, partitions % names.count)
        var next = 0
        return names.enumerated().map { number, name in
            let count = each + (number < more ? 1 : 0)
            defer { next += count }
            return GroupMembers.Member(
                id: name, partitions: (next..<(next + count)).map { TopicPartition("in", Int32($0)) })
        }
    }

    private static func plan(_ members: [GroupMembers.Member], partitions: Int, replicas: Int) -> StandbyPlan {
        StandbyPlan(members: members, topics: [("in", partitions)], replicas: replicas)
    }

    @Test(arguments: [2, 3, 4, 7], [1, 4, 6, 12, 13])
    func whoeverGoesIsSucceededByWhoFollowed(count: Int, partitions: Int) {
        let names = (0..<count).map { "w\($0)" }
        let members = Self.group(names, partitions: partitions)
        let plan = Self.plan(members, partitions: partitions, replicas: 1)
        for gone in members {
            let after = Self.group(names.filter { $0 != gone.id }, partitions: partitions)
            for partition in gone.partitions {
                let heir = after.first { $0.partitions.contains(partition) }?.id ?? ""
                #expect(plan.followed(by: heir).contains(partition), "\(gone.id) of \(count), \(partition)")
            }
        }
    }

    @Test(arguments: [1, 2, 3])
    func everyPartitionIsFollowedBySoManyOthers(replicas: Int) {
        let members = Self.group(["a", "b", "c"], partitions: 8)
        let plan = Self.plan(members, partitions: 8, replicas: replicas)
        let followed = members.map { plan.followed(by: $0.id) }
        for (member, partitions) in zip(members, followed) {
            #expect(Set(partitions).isDisjoint(with: member.partitions))
        }
        for number in 0..<8 {
            #expect(followed.count { $0.contains(TopicPartition("in", Int32(number))) } == min(replicas, 2))
        }
    }

    @Test func whoIsAloneFollowsNothing() {
        let members = Self.group(["a"], partitions: 3)
        #expect(Self.plan(members, partitions: 3, replicas: 2).followed(by: "a") == [])
        #expect(Self.plan([], partitions: 3, replicas: 2).followed(by: "a") == [])
    }

    @Test func whoHasNothingFollowsWhatNobodyHas() {
        var members = Self.group(["a", "b"], partitions: 2)
        members[0].partitions = []
        let plan = Self.plan(members, partitions: 2, replicas: 1)
        #expect(plan.followed(by: "a").count + plan.followed(by: "b").count == 2)
    }
}
