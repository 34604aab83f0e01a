import Settings
import Testing

@Suite struct SettingTableTests {
    @Test func everyFieldOfTheTableIsARow() {
        #expect(SettingTable.rows.count == Mirror(reflecting: SettingTable.shared).children.count)
        #expect(Set(SettingTable.rows.map(\.name)).count == SettingTable.rows.count)
        #expect(Set(SettingTable.rows.map(\.variable)).count == SettingTable.rows.count)
    }

    @Test(arguments: SettingTable.rows.map(\.name))
    func everyKeyTakesItsOwnDefault(name: String) throws {
        let row = try #require(SettingTable.rows.first { $0.name == name })
        #expect(name.allSatisfy { ($0.isLowercase && $0.isASCII) || $0.isNumber || $0 == "." || $0 == "_" })
        #expect(row.meaning.hasSuffix("."))
        #expect((row.fallback == nil) == !row.absence.isEmpty)
        guard let fallback = row.fallback else { return }
        #expect(row.parsedFallback != nil)
        _ = try Settings([name: fallback])
    }

    @Test func valuesHaveTheirOwnTypes() throws {
        let defaults = Settings()
        #expect(defaults.stuckInactiveAfter == 60_000)
        #expect(defaults.slowResumeAfter == 1500)
        #expect(defaults.inputMaxRecordBytes == 16 << 20)
        #expect(defaults.dlqMaxRatio == 0.5)
        #expect(defaults.groupBy == [.appID, .platform, .appVersion])
        #expect(defaults.windowSizes == [60_000])
        #expect(defaults.resourceBackground == ["network", "observer", "audio"])
        #expect(defaults.logcatYear == nil)
        #expect(defaults.topicsCreate)
        #expect(defaults.httpListen == ListenAddress(host: "127.0.0.1", port: 8088))
        let settings = try Settings([
            "window.sizes": "1m, 1h,1d", "group.by": "platform,app_id", "emit": "final", "dlq.max_ratio": "12.5%",
            "logcat.year": "2023", "topics.create": "false", "resource.background": "", "reorder.delay": "0",
            "slow_resume.after": "1.25 s", "http.listen": "[::1]:0",
        ])
        #expect(settings.windowSizes == [60_000, 3_600_000, 86_400_000])
        #expect(settings.groupBy == [.platform, .appID])
        #expect(settings.emit == .final)
        #expect(settings.dlqMaxRatio == 0.125)
        #expect(settings.logcatYear == 2023)
        #expect(!settings.topicsCreate)
        #expect(settings.resourceBackground.isEmpty)
        #expect(settings.reorderDelay == 0)
        #expect(settings.slowResumeAfter == 1250)
        #expect(settings.httpListen == ListenAddress(host: "::1", port: 0))
    }
}
