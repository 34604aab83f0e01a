import Aggregating
import BrokerSupport
import Dispatch
import Kafka
import Metering
import Settings
import Synchronization
import Testing

@testable import Worker

/// Error paths of a delivery. The embedded cluster does no transactions: every record that is sent can be read.
@Suite(.serialized) struct ExactlyOnceDeliveryTests {
    /// A member of a group that has committed what the test says.
    private final class Group: GroupOffsets {
        let member: any GroupMember
        let metadata = Mutex<String>("")
        let asked = Atomic(0)

        init(_ bootstrap: String) throws {
            member = try KafkaCluster().member(of: "app", local(bootstrap), observer: nil)
        }

        func commit(_ offsets: [PartitionOffset]) throws(KafkaError) {}

        func committed(_ partitions: [TopicPartition], limit: Int32) throws(KafkaError) -> [PartitionOffset] {
            asked.wrappingAdd(1, ordering: .relaxed)
            let text = metadata.withLock { $0 }
            return partitions.map { PartitionOffset($0, 7, metadata: text) }
        }

        func place() throws(KafkaError) -> any GroupPlace { try member.place() }

        func memberID() throws(KafkaError) -> String { "w-1" }
    }

    private final class Bench {
        let cluster: MockCluster
        let group: Group
        let metrics = Metrics()
        let delivery: ExactlyOnceDelivery
        let published = Published()

        init() throws {
            cluster = try MockCluster()
            for topic in ["app-partials", "app-dead-letter", "out", "in"] {
                try cluster.createTopic(topic, partitions: 1)
            }
            let settings = try Settings([
                "application.id": "app", "input.topic": "in", "output.topic": "out", "worker.name": "w",
                "kafka.bootstrap.servers": cluster.bootstrapServers, "transaction.timeout": "30s",
                "kafka.retry.backoff.ms": "200",
            ])
            group = try Group(cluster.bootstrapServers)
            let published = published
            delivery = ExactlyOnceDelivery(
                WorkerOptions(settings), Platform(),
                targets: DeliveryTargets(partialsPartitions: 1) { published.add($0.count) }, group: group,
                observer: WorkerObserver(metrics, WorkerBench.silentLog(metrics)), metrics: metrics,
                log: WorkerBench.silentLog(metrics))
            try delivery.prepare(while: { true })
        }

        /// Rows with these values, from one partition.
        func epoch(_ values: String..., lease: Lease = Lease()) -> ClosedEpoch {
            var epoch = ClosedEpoch(lease: lease, offset: PartitionOffset(TopicPartition("in", 0), 7))
            for value in values { epoch.rows.append(value: ContiguousArray(value.utf8), route: 0) }
            return epoch
        }

        func sent() throws -> [String] {
            let reader = try Reader(
                cluster.bootstrapServers, group: fresh("check"), topics: ["out"], startAt: .beginning)
            _ = reader.poll { $0.ends.count == 1 }
            let values = reader.state.withLock { $0.received.compactMap(\.value) }
            try reader.consumer.close()
            return values
        }

        var drops: UInt64 { metrics.counter(\.producersDropped).value }
        var aborts: UInt64 { metrics.counter(\.transactionsAborted).value }
        var commits: UInt64 { metrics.counter(\.commits).value }
    }

    final class Published: Sendable {
        private let rows = Atomic(0)
        func add(_ count: Int) { rows.wrappingAdd(count, ordering: .relaxed) }
        var count: Int { rows.load(ordering: .relaxed) }
    }

    @Test func allGoesOut() throws {
        let bench = try Bench()
        bench.delivery.deliver([bench.epoch("a"), bench.epoch("b", "c")])
        #expect(try bench.sent() == ["a", "b", "c"])
        #expect(bench.commits == 1 && bench.aborts == 0 && bench.drops == 0 && bench.published.count == 3)
        #expect(bench.delivery.openTransactionAge == 0)
    }

    @Test func whatIsRefusedIsAbortedAndSentAgain() throws {
        let bench = try Bench()
        bench.cluster.fail(.produce, with: [.messageTooLarge])
        bench.delivery.deliver([bench.epoch("a")])
        #expect(bench.commits == 1 && bench.aborts > 0 && bench.drops == 0)
        #expect(bench.published.count == 1)
        #expect(try bench.sent().last == "a")
    }

    @Test func offsetsOfASucceededMemberAbort() throws {
        let bench = try Bench()
        bench.cluster.fail(.transactionalOffsetCommit, with: [.illegalGeneration])
        bench.delivery.deliver([bench.epoch("a")])
        #expect(bench.commits == 1 && bench.aborts == 1 && bench.published.count == 1)
    }

    @Test func afterAnEndInDoubtThatFailedTheWorkIsDoneAgain() throws {
        let bench = try Bench()
        bench.cluster.fail(.endTransaction, with: [.invalidProducerEpoch])
        bench.delivery.deliver([bench.epoch("a")])
        #expect(try bench.sent() == ["a", "a"])
        #expect(bench.group.asked.load(ordering: .relaxed) == 1)
        #expect(bench.commits == 1 && bench.drops == 1 && bench.published.count == 1)
    }

    @Test func afterAnEndInDoubtThatWentThroughItIsNot() throws {
        let bench = try Bench()
        bench.cluster.fail(.endTransaction, with: [.invalidProducerEpoch])
        // The first commit of this delivery.
        var mark = bench.delivery.mark
        mark.number += 1
        bench.group.metadata.withLock { $0 = mark.marking("v1 5", by: "w-1") }
        bench.delivery.deliver([bench.epoch("a")])
        #expect(try bench.sent() == ["a"])
        #expect(bench.commits == 1 && bench.drops == 1 && bench.published.count == 1)

        bench.delivery.deliver([bench.epoch("b")])
        #expect(try bench.sent() == ["a", "b"])
    }

    /// The first copy of a request that was sent twice may arrive later, within the next transaction.
    @Test func afterABrokenConnectionTheProducerIsMadeAnew() throws {
        let bench = try Bench()
        bench.cluster.fail(.endTransaction, with: [.disconnect])
        bench.delivery.deliver([bench.epoch("a")])
        #expect(bench.commits == 1 && bench.drops == 1)
        bench.delivery.deliver([bench.epoch("b")])
        #expect(try bench.sent() == ["a", "b"])
        #expect(bench.commits == 2 && bench.drops == 1)
    }

    @Test func aBusyCoordinatorIsAskedAgain() throws {
        let bench = try Bench()
        bench.cluster.fail(.endTransaction, with: [.coordinatorLoadInProgress, .concurrentTransactions])
        bench.delivery.deliver([bench.epoch("a")])
        #expect(bench.commits == 1 && bench.published.count == 1)
        #expect(try bench.sent().last == "a")
    }

    @Test func withoutALeaseNothingGoesOut() throws {
        let bench = try Bench()
        let gone = Lease()
        gone.release()
        bench.delivery.deliver([bench.epoch("a", lease: gone), bench.epoch("b")])
        #expect(try bench.sent() == ["b"])
        bench.delivery.deliver([bench.epoch("c", lease: gone)])
        #expect(bench.commits == 1 && bench.published.count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func whoeverWaitsForTheClusterStopsWhenItsLeaseIsGone() throws {
        let bench = try Bench()
        try bench.cluster.setDown(true)
        let lease = Lease()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) { lease.release() }
        bench.delivery.deliver([bench.epoch("a", lease: lease)])
        #expect(bench.commits == 0 && bench.published.count == 0)
        try bench.cluster.setDown(false)
        bench.delivery.deliver([bench.epoch("b")])
        #expect(bench.commits == 1 && bench.published.count == 1)
    }

    @Test func aMarkStandsBesideANote() {
        let mark = CommitMark(run: 77, number: 3)
        #expect(CommitNote(mark.marking(CommitNote(time: 5).text, by: "w-1")) == CommitNote(time: 5))
        #expect(CommitMark.member(in: mark.marking("v1 5", by: "w-1")) == "w-1" && CommitMark.member(in: "v1 5") == nil)
        #expect(mark.stands(in: mark.marking("", by: "w-1")) && mark.stands(in: mark.marking("v1 5", by: "w-1")))
        #expect(!CommitMark(run: 77, number: 33).stands(in: mark.marking("v1 5", by: "w-1")))
        #expect(!mark.stands(in: CommitMark(run: 77, number: 33).marking("v1 5", by: "w-1")))
    }
}
