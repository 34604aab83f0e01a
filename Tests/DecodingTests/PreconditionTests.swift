import Testing

@testable import Decoding

@Suite struct PreconditionTests {
    @Test func aMemoHasAPowerOfTwoOfPlaces() async {
        _ = (Memo(places: 1, 0), Memo(places: 4096, 0))
        await #expect(processExitsWith: .failure) { _ = Memo(places: 0, 0) }
        await #expect(processExitsWith: .failure) { _ = Memo(places: 3, 0) }
    }

    @Test func aTableOfRecentValuesHoldsTwo() async {
        _ = RecentTable(limit: 2, blank: 0)
        await #expect(processExitsWith: .failure) { _ = RecentTable(limit: 1, blank: 0) }
    }

    /// What reads bytes does not read beyond them.
    @Test func rangesLieWithinTheBytes() async {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(unsafe bytes.span.bytes.index(of: 3, in: 0..<3) == 2)
        await #expect(processExitsWith: .failure) {
            let bytes: [UInt8] = [1, 2, 3]
            _ = unsafe bytes.span.bytes.index(of: 4, in: 0..<4)
        }
        await #expect(processExitsWith: .failure) {
            let bytes: [UInt8] = [1, 2, 3]
            _ = WireReader(0..<4, of: unsafe bytes.span.bytes)
        }
    }
}
