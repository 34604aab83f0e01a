import BrokerSupport
import Foundation
import Kafka
import Metering
import Settings
import Testing

@testable import Worker

/// Records that are gone before they are read, and topics that are deleted and made anew, on the real broker: what is
/// left counts once, what is not is told, and the worker goes on.
@Suite(.serialized, .enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct RealLossTests {
    fileprivate static let users = 10

    /// A worker's topics, with hands on them.
    private final class Place {
        let bench: WorkerBench
        let admin: Admin
        let name: String

        init(_ more: [String: String] = [:], partitions: Int = 1) throws {
            let broker = try RealBroker.shared()
            name = "loss\(UInt32.random(in: 0...UInt32.max))"
            bench = try WorkerBench(on: broker.bootstrap, name: name, partitions: partitions, more)
            admin = try Admin(local(broker.bootstrap))
        }

        var input: String { "\(name)in" }

        /// So many seconds' events of every device.
        func produce(from first: Int, count: Int) throws {
            try bench.produce(users: RealLossTests.users, from: first, count: count)
        }

        func waits(for seconds: Int) -> Bool {
            bench.waits(seconds: 60) { $0.accounted >= seconds * RealLossTests.users }
        }

        func delete(_ topic: String) throws {
            try admin.deleteTopic(topic, limit: 10_000)
            for _ in 0..<100 where try admin.topics(limit: 5000).contains(where: { $0.name == topic }) {
                Thread.sleep(forTimeInterval: 0.05)
            }
        }

        func make(_ topic: String, partitions: Int = 1) throws {
            try admin.create([NewTopic(topic, partitions: partitions)], limit: 10_000)
        }

        /// How many records the workers of the last start told as lost.
        var lost: UInt64 { bench.lastMetrics.counter(\.recordsLost, "\(input)-0").value }
    }

    @Test(arguments: ["earliest", "latest"])
    func whatRetentionTookFromAStoppedWorkerIsCounted(reset: String) throws {
        // Numbers that are missing are not waited for.
        let place = try Place(["kafka.auto.offset.reset": reset, "reorder.timeout": "0ms"])
        let bench = place.bench
        let first = bench.start()
        #expect(bench.waits { _ in first.readiness.isReady })
        try place.produce(from: 0, count: 10)
        #expect(place.waits(for: 10))
        try bench.stop()
        try place.produce(from: 10, count: 20)
        try place.admin.deleteRecords(before: [PartitionOffset(TopicPartition(place.input, 0), 250)], limit: 5000)
        bench.start()
        try place.produce(from: 30, count: 5)
        #expect(place.waits(for: 20))
        try bench.stop()
        #expect(bench.rows.accounted == 200)
        #expect(bench.rows.shrunk == [])
        #expect(place.lost == 150)
        #expect(bench.lostCheckpoints == 0)
    }

    /// What was read before it was deleted is no loss, nor are the offsets of transactions' marks.
    @Test func whatWasReadBeforeIsNoLoss() throws {
        let place = try Place()
        let bench = place.bench
        bench.start()
        try place.produce(from: 0, count: 10)
        #expect(place.waits(for: 10))
        for topic in [place.input, "\(place.name)-partials"] {
            let end = try place.admin.watermarks(of: TopicPartition(topic, 0), limit: 5000).high
            try place.admin.deleteRecords(before: [PartitionOffset(TopicPartition(topic, 0), end)], limit: 5000)
        }
        try place.produce(from: 10, count: 10)
        #expect(place.waits(for: 20))
        #expect(place.lost == 0)
        #expect(bench.lastMetrics.counter(\.recordsLost, "\(place.name)-partials-0").value == 0)
        try bench.stop()
        #expect(bench.rows.accounted == 200)
    }

    @Test func theInputIsMadeAnewWhileNobodyReads() throws {
        let place = try Place()
        let bench = place.bench
        bench.start()
        try place.produce(from: 0, count: 10)
        #expect(place.waits(for: 10))
        try bench.stop()
        try place.delete(place.input)
        try place.make(place.input)
        try place.produce(from: 10, count: 15)
        bench.start()
        #expect(place.waits(for: 25))
        try bench.stop()
        #expect(bench.rows.accounted == 250)
        #expect(bench.rows.shrunk == [])
        // Brokers forget the offsets of a topic with it, and what they stood for.
        #expect(bench.lostCheckpoints == 1)
    }

    @Test(arguments: [0, 3.0])
    func theInputIsMadeAnewUnderAWorker(pause: Double) throws {
        let place = try Place(["kafka.topic.metadata.refresh.interval.ms": "2000"])
        let bench = place.bench
        bench.start()
        try place.produce(from: 0, count: 10)
        #expect(place.waits(for: 10))
        try place.delete(place.input)
        Thread.sleep(forTimeInterval: pause)
        try place.make(place.input)
        try place.produce(from: 10, count: 4)
        #expect(place.waits(for: 14))
        try place.produce(from: 14, count: 6)
        #expect(place.waits(for: 20))
        try bench.stop()
        bench.start()
        try place.produce(from: 20, count: 5)
        #expect(place.waits(for: 25))
        try bench.stop()
        #expect(bench.rows.accounted == 250)
        #expect(bench.rows.shrunk == [])
    }

    /// The totals outlive the partials, which the worker makes again by itself.
    @Test func thePartialsAreDeletedUnderAWorker() throws {
        let place = try Place(["kafka.topic.metadata.refresh.interval.ms": "2000"])
        let bench = place.bench
        bench.start()
        try place.produce(from: 0, count: 10)
        #expect(place.waits(for: 10))
        try place.delete("\(place.name)-partials")
        try place.produce(from: 10, count: 5)
        #expect(place.waits(for: 15))
        try bench.stop()
        bench.start()
        try place.produce(from: 15, count: 5)
        #expect(place.waits(for: 20))
        try bench.stop()
        #expect(bench.rows.accounted == 200)
        #expect(bench.rows.shrunk == [])
    }

    /// One window is not touched any more when the totals are deleted: it is there all the same after a restart.
    @Test func theTotalsAreDeletedUnderAWorker() throws {
        let place = try Place()
        let bench = place.bench
        bench.start()
        try place.produce(from: 0, count: 10)
        #expect(place.waits(for: 10))
        try place.delete("\(place.name)-totals")
        try place.make("\(place.name)-totals")
        let later = WorkerBench.begin + 90_000
        try bench.produce("heartbeat", users: Self.users, number: 11, time: later)
        #expect(place.waits(for: 11))
        try bench.stop()
        bench.start()
        try bench.produce("heartbeat", users: Self.users, number: 12, time: WorkerBench.begin + 50_000)
        #expect(place.waits(for: 12))
        try bench.stop()
        #expect(bench.rows.accounted == 120)
        #expect(bench.rows.shrunk == [])
    }
}
