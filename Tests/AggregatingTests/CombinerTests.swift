import Lifecycle
import Testing

@testable import Aggregating

@Suite struct CombinerTests {
    /// Rows of the deeds folded by one task, as key → value.
    private func rows(_ deeds: [Deed], _ settings: AggregateSettings) -> [String: String] {
        var combiner = Combiner(settings)
        return rows(deeds, &combiner)
    }

    private func rows(_ deeds: [Deed], _ combiner: inout Combiner) -> [String: String] {
        var lexicon = Lexicon()
        let contributions = ContiguousArray(deeds.map { $0.contribution(&lexicon) })
        combiner.add(contributions.span, lexicon: lexicon)
        var totals = WindowTotals(combiner.settings, sources: [])
        totals.take(&combiner, lexicon: lexicon)
        let isEmpty = combiner.isEmpty
        #expect(isEmpty)
        return Dictionary(uniqueKeysWithValues: totals.finished().map { ($0.key, $0.value) })
    }

    private func settings(_ sizes: [Int64] = [60_000], grace: Int64 = 0, groupLimit: Int = 10) -> AggregateSettings {
        AggregateSettings(windows: WindowSettings(sizes: sizes, grace: grace), groupLimit: groupLimit)
    }

    private let group = "com.example.app/ios/1.0"

    @Test func aWindowIsOpenUntilItsEndAndGrace() {
        let settings = settings(grace: 5_000)
        for (stream, counts) in [(64_999, true), (65_000, true), (65_001, false)] as [(Int64, Bool)] {
            let rows = rows([Deed(kind: .count(.foregrounds), time: 59_999, stream: stream)], settings)
            #expect(rows.isEmpty == !counts, "stream time \(stream)")
        }
    }

    @Test func anEventOfAFinalWindowIsLateInThatOfItsReceiveTime() throws {
        var combiner = Combiner(settings())
        let rows = rows([Deed(kind: .event, value: 70_000, time: 59_999, stream: 70_000)], &combiner)
        let row = try #require(rows["1970-01-01T00:01:00Z/1m/\(group)"])
        #expect(rows.count == 1)
        #expect(row.contains("\"devices\":0,"))
        #expect(row.contains("\"events\":0,\"events_other\":0,\"late_events\":1,"))
        #expect(row.contains("\"anomalies\":{\"late_event\":1}"))
        let late = combiner.statistics.late
        #expect(late == 1)
        let expired = combiner.statistics.expired
        #expect(expired == 0)
    }

    /// The hour is open still: the event counts there, and in no minute.
    @Test func anEventIsLateOnlyWhereTheWindowsOfAllSizesAreFinal() {
        let rows = rows(
            [Deed(kind: .event, value: 70_000, time: 59_999, stream: 70_000)], settings([60_000, 3_600_000]))
        #expect(rows.keys.sorted() == ["1970-01-01T00:00:00Z/1h/\(group)"])
        #expect(rows.values.allSatisfy { $0.contains("\"events\":1,\"events_other\":0,\"late_events\":0,") })
    }

    @Test func aLateEventCountsInItsWindowWhereThatIsOpen() {
        let rows = rows(
            [Deed(kind: .lateEvent, value: 70_000, time: 59_999, stream: 70_000)], settings([60_000, 3_600_000]))
        #expect(
            rows.keys.sorted() == ["1970-01-01T00:00:00Z/1h/\(group)", "1970-01-01T00:01:00Z/1m/\(group)"])
        #expect(rows.values.allSatisfy { $0.contains("\"late_events\":1,") && $0.contains("\"devices\":0,") })
    }

    @Test func whatElseAFinalWindowGetsIsDropped() {
        var combiner = Combiner(settings())
        let deeds = [Contribution.Kind.exit, .count(.backgrounds), .interval(.active)].map {
            Deed(kind: $0, time: 59_999, stream: 60_001)
        }
        #expect(rows(deeds, &combiner).isEmpty)
        let expired = combiner.statistics.expired
        #expect(expired == 3)
    }

    @Test func withoutStreamTimeNothingIsLate() {
        let rows = rows([Deed(kind: .event, value: 0, time: 5, stream: .min)], settings())
        #expect(rows.count == 1)
    }

    @Test func windowsBeforeTheEpochAreAlignedToIt() {
        let deeds = [-1, -60_000, -60_001].map { Deed(kind: .event, value: $0, time: $0, stream: .min) }
        #expect(
            rows(deeds, settings()).keys.sorted()
                == ["1969-12-31T23:58:00Z/1m/\(group)", "1969-12-31T23:59:00Z/1m/\(group)"])
    }

    @Test func timesBeyondTheCalendarCountAtItsEnds() {
        let deeds = [Int64.min, .max].map { Deed(kind: .event, value: 0, time: $0, stream: .min) }
        #expect(
            rows(deeds, settings()).keys.sorted()
                == ["0100-01-01T00:00:00Z/1m/\(group)", "9998-01-01T00:00:00Z/1m/\(group)"])
    }

    @Test func whatCanMeanNothingIsCounted() {
        var combiner = Combiner(settings())
        let kinds: [Contribution.Kind] = [
            .inactive(.arrival), .latency(.resume), .interval(.active), .inferred(.active), .count(.handovers),
            .anomaly(.splitKey), .exit,
        ]
        let deeds = kinds.map { Deed(kind: $0, value: -1, time: 0, stream: .min) }
        #expect(rows(deeds, &combiner).isEmpty)
        #expect(rows([Deed(kind: .count(.handovers), value: 0, time: 0, stream: .min)], &combiner).isEmpty)
        let malformed = combiner.statistics.malformed
        #expect(malformed == 8)
    }

    /// Nine, ten and eleven groups where ten may live; the window after it has its own ten.
    @Test(arguments: [9, 10, 11, 14])
    func groupsOverTheLimitFoldIntoThoseOfTheirApp(groups: Int) {
        var combiner = Combiner(settings())
        var deeds: [Deed] = []
        for window in [Int64(0), 60_000] {
            for number in 0..<groups {
                var deed = Deed(kind: .event, value: 0, time: window, stream: .min)
                deed.group = [number % 2 == 0 ? "even" : "odd", "ios", "1.\(number)"]
                deeds += [deed, deed]
            }
        }
        let rows = rows(deeds, &combiner)
        let folded = max(0, groups - 10)
        let expected = min(groups, 10) + min(folded, 2)
        #expect(rows.count == 2 * expected)
        let overLimit = combiner.statistics.overLimit
        #expect(overLimit == 2 * folded)
        let others = rows.filter { $0.key.hasSuffix("/__other__/__other__") }
        #expect(others.count == 2 * min(folded, 2))
        if groups == 14 {
            #expect(others.allSatisfy { $0.value.contains("\"events\":4,") })
        }
    }

    @Test func groupsThatCameAsOtherDoNotCountForTheLimit() {
        var deed = Deed(kind: .event, value: 0, time: 0, stream: .min)
        deed.group = ["a", "__other__", "__other__"]
        let second = Deed(kind: .event, value: 0, time: 0, stream: .min)
        #expect(rows([deed, second], settings(groupLimit: 1)).count == 2)
    }

    @Test(arguments: [31, 32, 33, 70])
    func reasonsOverTheLimitAreOther(names: Int) throws {
        var deeds: [Deed] = []
        for number in (0..<names).reversed() {
            for kind in [Contribution.Kind.inactive(.interruption), .exit] {
                deeds.append(Deed(kind: kind, value: 7, time: 0, stream: .min, text: "r\(100 + number)"))
            }
        }
        deeds.append(Deed(kind: .inactive(.interruption), value: 5, time: 0, stream: .min))
        deeds.append(Deed(kind: .exit, time: 0, stream: .min))
        let row = try #require(rows(deeds, settings()).values.first)
        let over = max(0, names - 32)
        let other = over == 0 ? "" : "\"__other__\":{\"count\":\(over),\"sum_ms\":\(7 * over)},"
        #expect(row.contains("\"inactive_by_reason\":{\(other)\"r100\":{\"count\":1,\"sum_ms\":7},"))
        // `unknown` is the 33rd name where 32 were sent, and the largest.
        let otherExits = max(0, names + 1 - 32)
        #expect(row.contains("\"unknown\":1}") == (names < 32))
        #expect(row.contains("\"__other__\":\(otherExits),") == (names >= 32))
    }

    @Test func isFullAsksForTheEndOfTheEpoch() {
        var lexicon = Lexicon()
        var combiner = Combiner(settings())
        var batch: ContiguousArray<Contribution> = []
        for number in 0..<Combiner.cellLimit {
            let deed = Deed(kind: .count(.recreates), time: Int64(number) * 60_000, stream: .min)
            batch.append(deed.contribution(&lexicon))
        }
        combiner.add(batch.span.extracting(droppingLast: 1), lexicon: lexicon)
        var isFull = combiner.isFull
        #expect(!isFull)
        combiner.add(batch.span.extracting(last: 1), lexicon: lexicon)
        isFull = combiner.isFull
        #expect(isFull)
        let cells = combiner.statistics.cells
        #expect(cells == Combiner.cellLimit)
    }
}
