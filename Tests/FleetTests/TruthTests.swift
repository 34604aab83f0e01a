import Lifecycle
import Testing

@testable import Fleet

/// Figures of one truth that must agree with each other, whatever the fleet.
@Suite struct TruthTests {
    private static func sum(_ options: FleetOptions) -> (TruthRow, lines: Int) {
        let run = FleetTests.run(options, truth: Truth.Shape())
        guard let truth = run.truth else { preconditionFailure("a truth was asked for") }
        return (truth.sum(), run.received.count)
    }

    @Test(arguments: [1, 20, 300] as [UInt64])
    func figuresAgree(seed: UInt64) {
        var options = FleetTests.small(seed)
        options.devices = 200
        options.duration = 2 * 3_600_000
        let (row, lines) = Self.sum(options)
        #expect(row.events + row.eventsOther == lines)
        let classes = row.inactiveByClass.reduce(into: Tally()) { $0.add($1) }
        #expect(classes.count == row.inactive.values.count)
        #expect(classes.sum == row.inactive.values.reduce(0) { $0 + Int64($1) })
        #expect(row.counter(.launchesCold) == row.latencies[Int(Latency.launchCold.rawValue)].values.count)
        #expect(row.counter(.foregrounds) + 200 >= row.counter(.backgrounds))
        #expect(row.counter(.foregrounds) - row.counter(.backgrounds) <= 200 + row.counter(.terminations))
        #expect(row.anomalies[Int(Anomaly.uncleanExit.rawValue)] == 0)
        #expect(row.anomalies[Int(Anomaly.illegalTransition.rawValue)] == 0)
    }

    /// Each kind of thing happens: a fleet that is always well proves little.
    @Test func everythingHappens() {
        var options = FleetTests.small(11)
        options.devices = 700
        options.duration = 4 * 3_600_000
        let (row, _) = Self.sum(options)
        for counter in Counter.allCases {
            #expect(row.counter(counter) > 0, "\(counter.name)")
        }
        for latency in Latency.allCases {
            #expect(!row.latencies[Int(latency.rawValue)].values.isEmpty, "\(latency.name)")
        }
        for way in InactiveClass.allCases {
            #expect(row.inactiveByClass[Int(way.rawValue)].count > 0, "\(way.name)")
        }
        let anomalies: [Anomaly] = [
            .stuckInactive, .slowResume, .slowLaunch, .slowResign, .inactiveFlapping, .resourceLeak, .viewReloaded,
            .viewUnbalanced, .overlayLeaked, .unprotectedInactive,
        ]
        for anomaly in anomalies {
            #expect(row.anomalies[Int(anomaly.rawValue)] > 0, "\(anomaly.code)")
        }
    }

    /// The same with everything that can go wrong: what was given is either an event, a duplicate or late.
    @Test(arguments: [4, 5] as [UInt64])
    func faultsAreAccountedFor(seed: UInt64) {
        var options = FleetTests.small(seed)
        options.devices = 300
        options.duration = 24 * 3_600_000
        options.faults = .all
        options.fields.insert(.sent)
        var fleet = Fleet(options, truth: Truth.Shape())
        var batch = LineBatch()
        while fleet.fill(&batch) { batch.removeAll() }
        fleet.finish()
        guard let row = fleet.truth?.sum() else { preconditionFailure("a truth was asked for") }
        #expect(row.events + row.eventsOther + row.lateEvents + fleet.duplicates == fleet.count)
        let anomalies: [Anomaly] = [
            .duplicateEvent, .illegalTransition, .inactiveFlapping, .lateEvent, .missingEvent, .outOfOrder,
            .sequenceGap, .slowLaunch, .slowResign, .slowResume, .stuckInactive, .uncleanExit,
        ]
        for anomaly in anomalies { #expect(row.anomalies[Int(anomaly.rawValue)] > 0, "\(anomaly.code)") }
        #expect(row.anomalies[Int(Anomaly.duplicateEvent.rawValue)] <= fleet.duplicates)
        #expect(row.anomalies[Int(Anomaly.sequenceGap.rawValue)] <= fleet.lost)
        #expect(row.inferred[Int(Phase.active.rawValue)].count > 0)
        #expect(row.exits.count == 4)
    }

    @Test func windowsAreDividedAlike() {
        var shape = Truth.Shape()
        shape.windows = [60_000, 3_600_000]
        let rows = FleetTests.run(FleetTests.small(9), truth: shape).truth?.rows ?? []
        let minutes = rows.filter { $0.size == 60_000 }
        let hours = rows.filter { $0.size == 3_600_000 }
        #expect(minutes.count > hours.count && !hours.isEmpty)
        #expect(minutes.reduce(0) { $0 + $1.events } == hours.reduce(0) { $0 + $1.events })
        #expect(minutes.reduce(0) { $0 + $1.devices } > hours.reduce(0) { $0 + $1.devices })
    }

    @Test func summariesAreExact() {
        var durations = Durations()
        for value in [0, 100, 100, 200, 400] as [Int64] { durations.add(value) }
        #expect(
            durations.summary()
                == #"{"count":5,"sum_ms":800,"min_ms":0,"max_ms":400,"p50_ms":99.776,"p90_ms":399.105,"#
                + #""p95_ms":399.105,"p99_ms":399.105,"histogram":{"scale":5,"zero_count":1,"offset":212,"counts":["#
                + (["2"] + Array(repeating: "0", count: 31) + ["1"] + Array(repeating: "0", count: 31) + ["1"])
                .joined(separator: ",") + "]}}")
        #expect(Durations().summary().contains(#""p50_ms":null"#))
    }

    @Test func keysAreThoseOfTheOutput() {
        let row = TruthRow(start: 1_709_164_800_000, size: 3_600_000, group: 0)
        #expect(Truth.key(row, ["a/b", "50%"]) == "2024-02-29T00:00:00Z/1h/a%2Fb/50%25")
    }
}

extension TruthRow {
    func counter(_ counter: Counter) -> Int { Int(counters[Int(counter.rawValue)]) }
}

extension Tally {
    fileprivate mutating func add(_ other: Tally) {
        count += other.count
        sum += other.sum
    }
}
