import BrokerSupport
import Foundation
import Kafka
import Testing

@testable import Worker

@Suite(.enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct CheckpointInspectionTests {
    @Test func whatARestartWouldReadIsShown() throws {
        let (bootstrap, name) = (try RealBroker.shared().bootstrap, fresh("look"))
        let bench = try WorkerBench(on: bootstrap, name: name, partitions: 2)
        try bench.produce(users: 10, from: 0, count: 10)
        bench.start()
        #expect(bench.waits { $0.accounted >= 100 })
        try bench.stop()

        let looking = try CheckpointInspection(bench.settings)
        let (partitions, found) = try looking.read(wanted: ("u3", "a0"))
        #expect(partitions.count == 2)
        #expect(partitions.compactMap(\.offset).reduce(0, +) == 100)
        #expect(partitions.compactMap(\.devices).reduce(0, +) == 10)
        #expect(partitions.allSatisfy { $0.records > 0 && $0.bytes > 0 && $0.streamTime != nil })
        #expect(found.count == 1)
        #expect(found.first?.last == WorkerBench.begin + 9 * 1000 + 3)
        let (_, none) = try looking.read(wanted: ("u3", "a1"))
        #expect(none.isEmpty)

        // Looking changed nothing: a worker goes on with the same states.
        try bench.produce(users: 10, from: 10, count: 1)
        bench.start()
        #expect(bench.waits { $0.accounted >= 110 })
        try bench.stop()
        #expect(bench.rows.accounted == 110)
    }
}
