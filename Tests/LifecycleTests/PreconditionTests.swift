import Lifecycle
import Testing

/// A table without a limit would be one without a bound.
@Suite struct PreconditionTests {
    @Test func tablesHaveALimit() async {
        _ = (GroupTable(limit: 1), GroupTable(limit: 1 << 30), TextTable(limit: 1), TextTable(limit: 1 << 30))
        await #expect(processExitsWith: .failure) { _ = GroupTable(limit: 0) }
        await #expect(processExitsWith: .failure) { _ = GroupTable(limit: 1 << 30 + 1) }
        await #expect(processExitsWith: .failure) { _ = TextTable(limit: 0) }
        await #expect(processExitsWith: .failure) { _ = TextTable(limit: 1 << 30 + 1) }
    }
}
