@testable import Decoding
import Testing

@Suite struct RecentTableTests {
    @Test func theMostRecentAreKept() {
        var table = RecentTable<Int>(limit: 100, blank: 0)
        for hash in 1...1000 {
            table.set(UInt64(hash), hash)
            table.set(7, -hash)
            #expect(table[UInt64(hash)] == (hash == 7 ? -7 : hash))
        }
        #expect((951...1000).allSatisfy { table[UInt64($0)] == $0 })
        #expect(table[7] == -1000)
        #expect((8...900).allSatisfy { table[UInt64($0)] == nil })
        #expect(table.forgotten > 850)
    }

    @Test func keysThatShareAPlace() {
        var table = RecentTable<UInt64>(limit: 1 << 12, blank: 0)
        for step in 1...500 { table.set(UInt64(step) << 20, UInt64(step)) }
        #expect((1...500).allSatisfy { table[UInt64($0) << 20] == UInt64($0) })
    }
}
