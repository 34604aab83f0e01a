import BrokerSupport
import Foundation
import Kafka
import Metering
import Settings
import Testing

@testable import Worker

/// States that are kept, on the real broker: by others for the case that a worker goes, and by itself over a
/// rebalance.
@Suite(.serialized, .enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct RealStandbyTests {
    /// Commits enough that reading them all cannot be mistaken for reading a tail.
    private static let commits = 30

    private func bench(_ more: [String: String]) throws -> WorkerBench {
        try WorkerBench(
            on: RealBroker.shared().bootstrap, name: "standby\(UInt32.random(in: 0...UInt32.max))", partitions: 2,
            ["checkpoint.pass": "1000"].merging(more) { _, new in new })
    }

    /// Many commits of few events each.
    private func write(_ bench: WorkerBench, from first: Int) throws {
        for number in first..<(first + Self.commits) {
            try bench.produce(users: 40, from: number, count: 1)
            Thread.sleep(forTimeInterval: 0.15)
        }
    }

    @Test func aTakeOverReadsTheTailAlone() throws {
        let bench = try bench(["standby.replicas": "1"])
        let first = bench.startMeasured()
        try write(bench, from: 0)
        #expect(bench.waits { $0.accounted >= 40 * Self.commits })
        let second = bench.startMeasured()
        // Each has one partition and keeps the other.
        #expect(bench.waits(seconds: 60) { _ in first.standbys == 1 && second.standbys == 1 })
        try write(bench, from: Self.commits)
        #expect(bench.waits { $0.accounted >= 80 * Self.commits })
        #expect(bench.waits { _ in second.standbyDevices(of: bench) > 0 && second.standbyLag(of: bench) == 0 })
        let before = second.restoredRecords
        try bench.stop()
        try write(bench, from: 2 * Self.commits)
        #expect(bench.waits(seconds: 60) { $0.accounted >= 120 * Self.commits })
        try bench.stop()
        // Its own partition and the other one: what came in the last moment, of sixty commits and more.
        #expect(second.restoredRecords - before <= 10)
        #expect(second.tails >= 2)
        #expect(second.anew == 0)
        #expect(second.standbys == 0)
        #expect(bench.rows.accounted == 120 * Self.commits)
        #expect(bench.rows.shrunk == [])
        #expect(bench.lostCheckpoints == 0)
    }

    /// An eager assignor takes all partitions at each rebalance; those that come back are gone on with.
    @Test func aPartitionThatComesBackIsNotReadAgain() throws {
        let bench = try bench([:])
        let first = bench.startMeasured()
        try write(bench, from: 0)
        #expect(bench.waits { $0.accounted >= 40 * Self.commits })
        bench.start()
        // One came back; the other is kept until the cluster tells that it went.
        #expect(bench.waits(seconds: 60) { _ in first.tails >= 1 && first.standbys == 0 })
        #expect(first.restoredRecords == 0)
        try write(bench, from: Self.commits)
        #expect(bench.waits { $0.accounted >= 80 * Self.commits })
        try bench.stop()
        try write(bench, from: 2 * Self.commits)
        #expect(bench.waits(seconds: 60) { $0.accounted >= 120 * Self.commits })
        try bench.stop()
        #expect(bench.rows.accounted == 120 * Self.commits)
        #expect(bench.rows.shrunk == [])
        #expect(bench.lostCheckpoints == 0)
    }

    /// What memory is not enough for is not followed, and all goes on.
    @Test func standbysKeepToTheirMemory() throws {
        let bench = try bench(["standby.replicas": "1", "standby.memory": "1MiB"])
        let first = bench.startMeasured()
        try write(bench, from: 0)
        let second = bench.startMeasured()
        try write(bench, from: Self.commits)
        #expect(bench.waits { $0.accounted >= 80 * Self.commits })
        // The least that a table takes is more.
        #expect(bench.waits(seconds: 30) { _ in first.refused > 0 && second.refused > 0 })
        #expect(first.standbys == 0)
        #expect(second.standbys == 0)
        try bench.stop()
        try bench.stop()
        #expect(bench.rows.accounted == 80 * Self.commits)
        #expect(bench.lostCheckpoints == 0)
    }
}

extension WorkerBench {
    /// Labels of the partitions of the input, of which there are two.
    fileprivate var inputLabels: [String] { (0..<2).map { "\(settings.inputTopics[0])-\($0)" } }

    /// Starts a worker; gives its metrics.
    func startMeasured() -> Metrics {
        start()
        return lastMetrics
    }
}

extension Metrics {
    fileprivate var standbys: Double { gauge(\.standbyPartitions).value }
    fileprivate var restoredRecords: Int { Int(counter(\.restoredRecords, "states").value) }
    fileprivate var tails: UInt64 { counter(\.standbyTakeOvers, "tail").value }
    fileprivate var anew: UInt64 { counter(\.standbyTakeOvers, "anew").value }
    fileprivate var refused: UInt64 { counter(\.standbyRefused).value }

    fileprivate func standbyLag(of bench: WorkerBench) -> Double {
        bench.inputLabels.reduce(0) { $0 + gauge(\.standbyLag, $1).value }
    }

    fileprivate func standbyDevices(of bench: WorkerBench) -> Double {
        bench.inputLabels.reduce(0) { $0 + gauge(\.standbyDevices, $1).value }
    }
}
