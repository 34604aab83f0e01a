import Lifecycle
import Testing

@Suite struct GroupTableTests {
    @Test func everyCombinationKeepsItsID() {
        var table = GroupTable()
        let all = (0..<2000).map { Dimensions(app: UInt32($0 % 37), platform: UInt32($0 / 37)) }
        let ids = all.map { table.intern($0) }
        #expect(Set(ids).count == all.count)
        #expect(all.map { table.intern($0) } == ids)
        #expect(ids.map { table[$0] } == all)
        #expect(table.count == all.count + 1)
        #expect(table.refused == 0)
    }

    @Test func beyondTheLimitAnAppsGroupsBecomeOne() {
        var table = GroupTable(limit: 10)
        let known = (0..<10).map { table.intern(Dimensions(app: 2, platform: UInt32($0))) }
        let more = (10..<20).map { table.intern(Dimensions(app: 2, platform: UInt32($0))) }
        #expect(Set(known).count == 10 && Set(more).count == 1)
        #expect(table[more[0]] == .other(app: 2))
        let apps = (3..<40).map { table.intern(Dimensions(app: UInt32($0), platform: 1)) }
        #expect(apps.contains(GroupTable.overflow))
        #expect(known == (0..<10).map { table.intern(Dimensions(app: 2, platform: UInt32($0))) })
        #expect(table.refused == 10 + apps.count)
    }
}
