import Testing

@testable import Kafka

@Suite struct ClientConfigurationTests {
    private func failure(_ properties: [String: String], role: ClientRole = .consumer) -> KafkaError? {
        do throws(KafkaError) {
            _ = try ClientConfiguration(role: role, properties: properties)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [ClientRole.consumer, .producer, .transactionalProducer, .admin])
    func theProgramsOwnPropertiesAreAccepted(role: ClientRole) {
        #expect(failure([:], role: role) == nil)
    }

    @Test func anUnknownPropertyIsNamed() throws {
        let error = try #require(failure(["bootstrap.server": "x"]))
        #expect(error.domain == .configuration)
        #expect(error.retry == .permanent)
        #expect(error.operation.contains("kafka.bootstrap.server"))
        #expect(error.remedy.contains("CONFIGURATION.md"))
    }

    @Test func aValueOutOfRangeIsNamed() throws {
        let error = try #require(failure(["session.timeout.ms": "-5"]))
        #expect(error.operation.contains("kafka.session.timeout.ms"))
        #expect(error.remedy.contains("kafka.session.timeout.ms"))
    }

    @Test func whatTheProgramDependsOnCannotBeChanged() throws {
        let error = try #require(failure(["enable.auto.commit": "true"]))
        #expect(error.remedy == "remove kafka.enable.auto.commit from the configuration")
        #expect(failure(["enable.auto.commit": "false"]) == nil)
        #expect(failure(["socket.nagle.disable": "false"]) == nil)
    }

    @Test func theReportIsReadOnlyWhereUsed() throws {
        let text = """
            {"type":"consumer","msg_cnt":3,"msg_size":40,"txmsgs":1,"txmsg_bytes":2,"rxmsgs":5,"rxmsg_bytes":6,"x":[1],
             "brokers":{"a":{"state":"UP","rtt":{"p99":700}},"b":{"state":"DOWN","rtt":{"p99":9000}}},
             "topics":{"t":{"partitions":{
                "0":{"fetchq_cnt":2,"fetchq_size":20},"-1":{"fetchq_cnt":9,"fetchq_size":9}}}},
             "cgrp":{"rebalance_cnt":4}}
            """
        let statistics = try unsafe #require(ClientStatistics(json: Array(text.utf8).span.bytes))
        #expect(statistics.prefetchedRecords == 2 && statistics.prefetchedBytes == 20)
        #expect(statistics.brokersUp == 1 && statistics.roundTrip == 700 && statistics.rebalances == 4)
        unsafe #expect(ClientStatistics(json: Array("{}".utf8).span.bytes) == nil)
    }
}
