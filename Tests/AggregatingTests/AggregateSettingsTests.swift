import Lifecycle
import Testing

@testable import Aggregating

@Suite struct AggregateSettingsTests {
    @Test func sizesAreSortedAndDistinct() {
        #expect(WindowSettings(sizes: [3_600_000, 60_000, 3_600_000]).sizes == [60_000, 3_600_000])
    }

    @Test func impossibleSettingsStopTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = WindowSettings(sizes: []) }
        await #expect(processExitsWith: .failure) { _ = WindowSettings(sizes: [1_500]) }
        await #expect(processExitsWith: .failure) { _ = WindowSettings(grace: -1) }
        await #expect(processExitsWith: .failure) { _ = AggregateSettings(groupLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = AggregateSettings(maxBuckets: 1) }
        await #expect(processExitsWith: .failure) { _ = AggregateSettings(groupBy: [.app, .app]) }
    }
}
