import Metering
import Testing

@Suite struct PreconditionTests {
    @Test func aMetricIsNamedWithAllOfItsLabels() async {
        _ = Metrics().counter(\.deadLetters, "invalid_json")
        await #expect(processExitsWith: .failure) { _ = Metrics().counter(\.deadLetters) }
        await #expect(processExitsWith: .failure) { _ = Metrics().counter(\.deadLetters, "a", "b") }
    }
}
