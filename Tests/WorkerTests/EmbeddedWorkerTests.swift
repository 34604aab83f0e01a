import Aggregating
import BrokerSupport
import Dispatch
import Foundation
import Kafka
import Metering
import Settings
import Synchronization
import Testing

@testable import Worker

/// A worker in this process, on the embedded cluster.
@Suite(.serialized) struct EmbeddedWorkerTests {
    @Test func eventsBecomeRowsAndBadOnesDeadLetters() throws {
        let bench = try WorkerBench(partitions: 3)
        try bench.produce(users: 30, from: 0, count: 20)
        try bench.writer.send("in", "k1", "{\"device_id\":\"d\",\"app_id\":\"a\"}", partition: 1)
        try bench.writer.send(
            "in", "k2", "[{\"device_id\":\"d\",\"app_id\":\"a\",\"event\":\"heartbeat\"},7]", partition: 1)
        #expect(bench.writer.flush(limit: 10_000) as Bool)
        let worker = bench.start()
        #expect(bench.waits { $0.accounted >= 601 })
        // It looks at itself once a second.
        #expect(bench.waits { _ in worker.readiness.isReady })
        try bench.stop()
        #expect(bench.rows.accounted == 601)

        let letters = try bench.readAll("app-dead-letter")
        #expect(Set(letters.compactMap(\.key)) == ["k1", "k2"])
        #expect(letters.first { $0.key == "k1" }?.value == "{\"device_id\":\"d\",\"app_id\":\"a\"}")
    }

    @Test func aRestartGoesOnWhereItWas() throws {
        let bench = try WorkerBench(partitions: 2)
        try bench.produce(users: 10, from: 0, count: 10)
        bench.start()
        #expect(bench.waits { $0.accounted >= 100 })
        try bench.stop()
        #expect(bench.rows.accounted == 100)
        try bench.produce(users: 10, from: 10, count: 10)
        bench.start()
        #expect(bench.waits { $0.accounted >= 200 })
        try bench.stop()
        // Exactly: what was counted before the restart was read again from the partials, and nothing twice.
        #expect(bench.rows.accounted == 200)
        #expect(bench.rows.shrunk == [])
    }

    @Test func whatIsOpenSurvivesARestart() throws {
        let bench = try WorkerBench(partitions: 3)
        let begin = DispatchScheduler().wallClock
        try bench.produce("launch", users: 20, number: 1, time: begin)
        try bench.produce("activate", users: 20, number: 2, time: begin + 1000)
        bench.start()
        #expect(bench.waits { $0.accounted >= 40 })
        try bench.stop()
        // The same again is known; what was open ends.
        try bench.produce("activate", users: 20, number: 2, time: begin + 1000)
        try bench.produce("resign", users: 20, number: 3, time: begin + 31_000)
        bench.start()
        #expect(bench.waits { $0.accounted >= 80 })
        try bench.stop()
        #expect(bench.rows.accounted == 80)
        #expect(bench.rows.activeIntervals == (20, 20 * 30_000))
        #expect(bench.lostCheckpoints == 0)
    }

    @Test func aMissingInputTopicIsWaitedFor() throws {
        let bench = try WorkerBench(partitions: 2, makesInput: false)
        let worker = bench.start()
        #expect(bench.waits { _ in worker.readiness.reason.contains("waiting for the input topic in") })
        try bench.cluster?.createTopic("in", partitions: 2)
        try bench.produce(users: 5, from: 0, count: 4)
        #expect(bench.waits { $0.accounted >= 20 })
        try bench.stop()
        #expect(bench.rows.accounted == 20)
    }

    @Test func aClusterThatIsAwayIsWaitedFor() throws {
        let bench = try WorkerBench(partitions: 2)
        try bench.produce(users: 10, from: 0, count: 10)
        bench.start()
        #expect(bench.waits { $0.accounted >= 100 })
        try bench.cluster?.setDown(true)
        Thread.sleep(forTimeInterval: 2)
        try bench.cluster?.setDown(false)
        try bench.produce(users: 10, from: 10, count: 10)
        #expect(bench.waits(seconds: 60) { $0.accounted >= 200 })
        try bench.stop()
        #expect(bench.rows.accounted >= 200)
        #expect(bench.rows.shrunk == [])
    }

    @Test func nobodyThereIsUnreachable() throws {
        let settings = try Settings([
            "application.id": "app", "input.topic": "in", "output.topic": "out",
            "kafka.bootstrap.servers": "127.0.0.1:1",
        ])
        let metrics = Metrics()
        let worker = Worker(settings, metrics: metrics, log: WorkerBench.silentLog(metrics))
        let failure = #expect(throws: WorkerFailure.self) { try worker.run() }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.description.contains("check kafka.bootstrap.servers") == true)
    }

    @Test func aPropertyThatIsNoneIsConfiguration() throws {
        let settings = try Settings([
            "application.id": "app", "input.topic": "in", "output.topic": "out",
            "kafka.bootstrap.servers": "127.0.0.1:1", "kafka.sesion.timeout.ms": "1",
        ])
        let metrics = Metrics()
        let worker = Worker(settings, metrics: metrics, log: WorkerBench.silentLog(metrics))
        let failure = #expect(throws: WorkerFailure.self) { try worker.run() }
        #expect(failure?.kind == .configuration)
        #expect(failure?.description.contains("kafka.sesion.timeout.ms") == true)
    }
}
