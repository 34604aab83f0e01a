import Serving
import Testing

@Suite struct PreconditionTests {
    @Test func aStoreHoldsSomething() async {
        _ = WindowStore(groupBy: [], mostRecords: 1, mostBytes: 1)
        await #expect(processExitsWith: .failure) { _ = WindowStore(groupBy: [], mostRecords: 0) }
        await #expect(processExitsWith: .failure) { _ = WindowStore(groupBy: [], mostBytes: 0) }
    }
}
