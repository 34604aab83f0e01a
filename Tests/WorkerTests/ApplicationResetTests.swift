import BrokerSupport
import Foundation
import Kafka
import Testing

@testable import Worker

@Suite(.serialized, .enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct ApplicationResetTests {
    @Test func afterAResetAllIsFoldedAgain() throws {
        let (bootstrap, name) = (try RealBroker.shared().bootstrap, fresh("reset"))
        let bench = try WorkerBench(on: bootstrap, name: name, partitions: 2)
        try bench.produce(users: 10, from: 0, count: 10)
        bench.start()
        #expect(bench.waits { $0.accounted >= 100 })
        let reset = try ApplicationReset(bench.settings, to: .beginning)
        let refusal = #expect(throws: WorkerFailure.self) { try reset.plan() }
        #expect(refusal?.kind == .configuration && refusal?.description.contains("it has a member") == true)
        #expect(throws: WorkerFailure.self) { try reset.execute() }
        try bench.stop()

        let steps = try reset.plan()
        #expect(steps.contains("forget the committed offsets of the group \(name)"))
        #expect(steps.contains { $0.hasPrefix("empty the topic \(name)-partials: ") })
        #expect(!steps.contains { $0.contains("\(name)out") })
        let partials = try partitions(of: "\(name)-partials", bootstrap)
        #expect(partials.contains { $0.low < $0.high })
        // Looking changes nothing.
        #expect(try partitions(of: "\(name)-partials", bootstrap) == partials)

        try reset.execute()
        #expect(try partitions(of: "\(name)-partials", bootstrap).allSatisfy { $0.low == $0.high })
        #expect(try !Admin(local(bootstrap)).groups(limit: 10_000).contains { $0.name == name })
        try reset.execute()

        let again = try WorkerBench(on: bootstrap, continuing: bench)
        again.start()
        #expect(again.waits { $0.accounted >= 100 })
        try again.stop()
        #expect(again.rows.accounted == 100)
    }

    @Test func aTimeIsAPlaceInEveryPartition() throws {
        let (bootstrap, name) = (try RealBroker.shared().bootstrap, fresh("since"))
        let bench = try WorkerBench(on: bootstrap, name: name, partitions: 1)
        try bench.produce(users: 1, from: 0, count: 5)
        Thread.sleep(forTimeInterval: 0.05)
        let time = DispatchScheduler().wallClock
        Thread.sleep(forTimeInterval: 0.05)
        try bench.produce(users: 1, from: 5, count: 5)
        let input = TopicPartition("\(name)in", 0)
        for (start, offset) in [(time, Int64(5)), (0, 0), (time + 3_600_000, 10)] {
            let reset = try ApplicationReset(bench.settings, to: .time(start))
            #expect(try reset.plan().contains("begin \(input) at offset \(offset)"))
            try reset.execute()
            let group = try Consumer(group: name, local(bootstrap))
            #expect(try group.committed([input], limit: 10_000).map(\.offset) == [offset])
        }
    }

    private func partitions(of topic: String, _ bootstrap: String) throws -> [Watermarks] {
        let admin = try Admin(local(bootstrap))
        let found = try admin.topics(limit: 10_000).first { $0.name == topic }
        return try (0..<Int32(found?.partitions ?? 0)).map { number in
            try admin.watermarks(of: TopicPartition(topic, number), limit: 10_000)
        }
    }
}
