import Kafka
import Lifecycle
import Testing

@testable import Worker

@Suite struct DeadLetterTests {
    private let origin = DeadLetter.Origin(
        partition: TopicPartition("in", 3), offset: 77, timestamp: 1234, worker: "host:1")

    private func letters(_ rejections: [Rejection], _ value: [UInt8]) -> [DeadLetter] {
        let key: [UInt8] = [7]
        return unsafe DeadLetter.letters(
            of: rejections, value: value.span.bytes, key: key.span.bytes, origin: origin)
    }

    private func headers(_ letter: DeadLetter) -> [String: String] {
        Dictionary(uniqueKeysWithValues: letter.headers.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) })
    }

    @Test func eachBadEventHasALetterWithAllHeaders() throws {
        let found = letters(
            [
                Rejection(record: 0, index: 1, code: .missing(field: "device_id")),
                Rejection(record: 0, index: nil, code: .invalidJSON),
            ], [1, 2, 3])
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.value == [1, 2, 3] && $0.key == [7] })
        #expect(
            headers(found[0]) == [
                "phasefold.error.code": "missing_device_id",
                "phasefold.error.message": "the required field device_id is missing",
                "phasefold.source.topic": "in", "phasefold.source.partition": "3", "phasefold.source.offset": "77",
                "phasefold.source.timestamp": "1234", "phasefold.batch.index": "1", "phasefold.worker": "host:1",
            ])
        #expect(headers(found[1])["phasefold.batch.index"] == "")
    }

    @Test func aLargeRecordIsNotCopiedForEachOfItsEvents() {
        let bad = (0..<1000).map { Rejection(record: 0, index: $0, code: .bad(field: "ts")) }
        let found = letters(bad, Array(repeating: 0x20, count: DeadLetter.copyLimit / 3))
        #expect(found.count == 2)
        #expect(headers(found[0])["phasefold.batch.index"] == "0")
        #expect(headers(found[1])["phasefold.batch.index"]?.split(separator: ",").count == 999)
        #expect(letters(bad, Array(repeating: 0x20, count: 2 * DeadLetter.copyLimit)).count == 1)
    }

    @Test func absentStaysAbsent() {
        let found = DeadLetter.letters(
            of: [Rejection(record: 0, index: nil, code: .invalidJSON)], value: nil, key: nil, origin: origin)
        #expect(found.first?.value == nil && found.first?.key == nil)
    }
}
