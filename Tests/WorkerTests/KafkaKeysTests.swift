import Settings
import Testing

@testable import Worker

/// What librdkafka refuses of `kafka.*` is told before any client is made, with the key as it was given.
@Suite struct KafkaKeysTests {
    private func problems(_ given: [String: String]) throws -> [SettingProblem] {
        let values = given.merging(["kafka.bootstrap.servers": "127.0.0.1:1"]) { ours, _ in ours }
        let overrides = values.map { SettingOverride(key: $0.key, value: $0.value, option: "--set") }
        return KafkaKeys.problems(try Settings(file: nil, environment: [:], overrides: overrides))
    }

    @Test func whatTheLibraryTakesIsNoProblem() throws {
        #expect(try problems([:]) == [])
        let taken = ["kafka.consumer.queued.max.messages.kbytes": "2048", "kafka.producer.linger.ms": "7"]
        #expect(try problems(taken) == [])
    }

    @Test(arguments: [
        ("kafka.bootstrap.server", "kafka.bootstrap.servers"), ("kafka.producer.linger.sm", "kafka.producer.linger.ms"),
        ("kafka.consumer.fetch.wait.max", "kafka.consumer.fetch.wait.max.ms"),
    ])
    func aMisspeltNameIsMatched(key: String, near: String) throws {
        let found = try problems([key: "1"])
        #expect(found.map(\.key) == [key] && found.first?.remedy == "did you mean \(near)?")
    }

    /// What the library holds a producer's limits to is the transaction's own time.
    @Test(arguments: [("10s", "9000", true), ("10s", "20000", false), ("2m", "90000", true)])
    func limitsAreHeldToTheTransactionsTime(transaction: String, delivery: String, isTaken: Bool) throws {
        let key = "kafka.producer.message.timeout.ms"
        let found = try problems(["transaction.timeout": transaction, key: delivery])
        #expect(found.map(\.key) == (isTaken ? [] : [key]))
    }

    @Test func anUnknownNameIsSaidToBeOne() throws {
        let found = try problems(["kafka.entirely.else": "1"])
        #expect(found.count == 1 && found.first?.remedy.contains("CONFIGURATION.md") == true)
    }

    @Test func everyBadValueIsNamedAsItWasGiven() throws {
        let keys = ["kafka.consumer.queued.max.messages.kbytes", "kafka.producer.linger.ms", "kafka.log_level"]
        let found = try problems(Dictionary(uniqueKeysWithValues: keys.map { ($0, "abc") }))
        #expect(found.map(\.key) == keys.sorted())
        for problem in found { #expect(problem.remedy.contains(problem.key)) }
    }

    @Test func whatTheProgramDependsOnCannotBeChanged() throws {
        let found = try problems(["kafka.consumer.enable.auto.commit": "true"])
        #expect(found.map(\.key) == ["kafka.consumer.enable.auto.commit"])
    }

    @Test(arguments: [
        ("kafka.producer.acks", "1"), ("kafka.session.timeout.ms", "900000"),
    ])
    func whatContradictsAnotherIsFound(key: String, value: String) throws {
        #expect(try problems([key: value]).map(\.key) == [key])
    }
}
