import Kafka
import Settings
import Testing

@testable import Worker

/// What a member tells of its place in the group.
@Suite struct MembershipTests {
    /// A member that the group has just put out: its place is nobody's.
    private final class Outcast: GroupMember {
        let memberID: String

        init(_ name: String) {
            memberID = name
        }

        func subscribe(_ topics: [String], handler: any AssignmentHandler) {}
        func poll(timeout: Int32) -> KafkaError? { nil }
        func commit(_ offsets: [PartitionOffset]) {}
        func committed(_ partitions: [TopicPartition], limit: Int32) -> [PartitionOffset] { [] }
        func seek(_ partition: TopicPartition, to start: StartOffset, limit: Int32) {}
        func watermarks(of partition: TopicPartition, limit: Int32) -> Watermarks { Watermarks(low: 0, high: 0) }
        func cachedWatermarks(of partition: TopicPartition) -> Watermarks? { nil }
        func place() -> any GroupPlace { Place() }
        func close() {}
    }

    private final class Place: GroupPlace {}

    private func membership(named name: String) throws -> Membership {
        Membership(WorkerOptions(try Settings(["application.id": "app", "output.topic": "out"])), Outcast(name))
    }

    /// Offsets of nobody would be taken by the broker, whoever has the partitions by then.
    @Test func whoIsOutOfTheGroupHasNoPlace() throws {
        #expect(throws: KafkaError.self) { try membership(named: "").place() }
        _ = try membership(named: "w-1").place()
    }
}
