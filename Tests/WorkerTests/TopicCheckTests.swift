import Testing

@testable import Worker

@Suite struct TopicCheckTests {
    @Test(arguments: [(1, 1, 0), (2, 1, 1), (1, 3, 1), (2, 3, 0), (1, 2, 0), (3, 3, 0)])
    func whatIsAcknowledgedMustLast(least: Int, replicas: Int, findings: Int) {
        #expect(TopicKeeper.insync("t", least, replicas: replicas).count == findings)
    }

    @Test func whatTheBrokersDoNotAllowIsSaid() {
        let good = [
            "transaction.max.timeout.ms": "900000", "transaction.state.log.replication.factor": "3",
            "transaction.state.log.min.isr": "2",
        ]
        #expect(TopicKeeper.transactions(good, brokers: 3, timeout: 10_000).isEmpty)
        #expect(TopicKeeper.transactions([:], brokers: 1, timeout: 10_000).isEmpty)
        let few = TopicKeeper.transactions(good, brokers: 1, timeout: 1_000_000).map(\.description)
        #expect(few.count == 3)
        #expect(few.first?.contains("lower that to 900000ms") == true)
        #expect(few.last?.contains("transaction.state.log.min.isr=2 and are 1") == true)
    }
}
