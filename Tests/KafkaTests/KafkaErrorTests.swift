import CRDKafka
import Testing

@testable import Kafka

@Suite struct KafkaErrorTests {
    @Test func everyCodeStandsOnceWithARemedy() {
        var seen: Set<Int32> = []
        for known in KafkaError.known {
            #expect(seen.insert(known.code.rawValue).inserted, "\(known.code.rawValue) twice")
            #expect(!known.remedy.isEmpty)
        }
    }

    @Test func anUnknownCodeKeepsTheLibrarysWords() {
        let error = KafkaError(rd_kafka_resp_err_t(rawValue: 97), "try")
        #expect(error.name == "PRINCIPAL_DESERIALIZATION_FAILURE")
        #expect(error.domain == .broker)
        #expect(error.retry == .permanent)
        #expect(error.text.contains("principal"))
        let strange = KafkaError(rd_kafka_resp_err_t(rawValue: 31000), "try")
        #expect(!strange.text.isEmpty && !strange.remedy.isEmpty)
    }

    @Test func anErrorObjectKeepsItsOwnWords() throws {
        let object = unsafe try #require(crdkafka_error(RD_KAFKA_RESP_ERR__TRANSPORT, "lost"))
        let error = unsafe KafkaError(consuming: object, "try")
        #expect(error.retry == .retriable && error.domain == .transport)
        #expect(error.text == "lost")
        #expect(error.description.contains("check kafka.bootstrap.servers"))
    }
}
