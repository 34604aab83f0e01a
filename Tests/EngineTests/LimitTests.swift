import Testing

/// Every limit that decides what is measured or anomalous: just below it, exactly at it, just over it; with its
/// default and with another value.
@Suite struct LimitTests {
    struct Limit: Sendable, CustomTestStringConvertible {
        var key: String
        /// The default, and another value that the key is set to, in the unit of the figure tried.
        var values: [Int]
        var unit = "ms"
        /// What is counted below, at and over the limit.
        var expected: [String: [Int]]
        var settings: [String: String] = [:]
        /// The story in which the quantity has a value.
        var story: @Sendable (Int) -> String

        var testDescription: String { "\(key): \(expected.keys.sorted().joined(separator: ", "))" }
    }

    @Test(arguments: durations + anomalies + order + kept)
    func exactlyTheLimitIsNotOverIt(_ limit: Limit) throws {
        for (index, value) in limit.values.enumerated() {
            for (place, tried) in [value - 1, value, value + 1].enumerated() {
                var story = Story(text: limit.story(tried), settings: limit.settings)
                if index > 0 { story.settings[limit.key] = "\(value)\(limit.unit)" }
                let outcome = try story.outcome()
                for (figure, counts) in limit.expected {
                    let found = outcome.figure(figure)
                    #expect(found == counts[place], "\(limit.key) = \(value), at \(tried): \(figure); \(outcome.words)")
                }
            }
        }
    }

    // MARK: What is measured

    static let durations: [Limit] = [
        Limit(
            key: "launch.background_gap", values: [10_000, 2000],
            expected: ["launches_cold": [1, 1, 0], "launches_warm": [0, 0, 1], "backgrounds": [0, 0, 0]]
        ) { "0 didFinishLaunching; \($0) willEnterForeground; \($0 + 100) didBecomeActive" },
        Limit(
            key: "resume.discard", values: [60_000, 5000],
            expected: ["resume.count": [1, 1, 0], "resume_discarded": [0, 0, 1], "anomalies.slow_resume": [1, 1, 0]]
        ) { "\(left); 100000 willEnterForeground; \(100_000 + $0) didBecomeActive" },
        Limit(
            key: "duration.max", values: [7 * 86_400_000, 60_000],
            expected: ["active.count": [1, 1, 0], "anomalies.clock_regression": [0, 0, 1]],
            settings: ["silence.timeout": "7d"]
        ) { "0 didBecomeActive; \($0 / 2) heartbeat; \($0) willResignActive" },
        Limit(
            key: "duration.max", values: [7 * 86_400_000, 60_000],
            expected: ["background.count": [1, 1, 0], "anomalies.clock_regression": [0, 0, 0]]
        ) { "\(left); \(2000 + $0) willEnterForeground" },
        Limit(
            key: "silence.timeout", values: [1_800_000, 20_000],
            expected: ["active.count": [1, 1, 0], "inferred.active.count": [0, 0, 1]]
        ) { "0 didBecomeActive; \($0) willResignActive" },
        Limit(key: "silence.timeout", values: [1_800_000, 20_000], expected: ["inferred.active.count": [0, 0, 1]]) {
            "0 didBecomeActive; \($0) heartbeat device_id=d2"
        },
        Limit(
            key: "echo.tolerance", values: [1000, 300], expected: ["anomalies.missing_event": [0, 0, 1]]
        ) {
            "0 willEnterForeground; 100 didBecomeActive; 1000 willResignActive; 2000 didEnterBackground; "
                + "\(2000 + $0) didBecomeActive"
        },
        Limit(key: "echo.tolerance", values: [1000, 300], expected: ["anomalies.illegal_transition": [0, 0, 1]]) {
            "0 sceneDidBecomeActive scope=scene; 5000 sceneWillResignActive scope=scene; "
                + "\(5000 + $0) didBecomeActive; 20000 heartbeat; 40000 heartbeat"
        },
        Limit(
            key: "android.background_grace", values: [700, 200],
            expected: ["handovers": [1, 1, 0], "inactive_by_class.interruption.count": [0, 0, 1]]
        ) {
            "0 onResume \(first); 5000 onPause \(first); \(5000 + $0) onResume \(second)"
        },
        Limit(
            key: "android.background_grace", values: [700, 200],
            expected: ["backgrounds": [0, 0, 1], "foregrounds": [0, 0, 1]]
        ) {
            "0 onResume \(first); 5000 onPause \(first); 5500 onStop \(first); \(5500 + $0) onStart \(second); "
                + "\(5500 + $0 + 50) onResume \(second)"
        },
    ]

    static let left = "0 didBecomeActive; 1000 willResignActive; 2000 didEnterBackground"
    static let first = "scope=activity instance=m class=M"
    static let second = "scope=activity instance=n class=N"

    // MARK: What is anomalous

    static let anomalies: [Limit] = [
        Limit(
            key: "stuck_inactive.after", values: [60_000, 15_000], expected: ["anomalies.stuck_inactive": [0, 0, 1]]
        ) { "0 didBecomeActive; 1000 willResignActive; \(1000 + $0) didBecomeActive" },
        Limit(
            key: "stuck_inactive.after", values: [60_000, 15_000], expected: ["anomalies.stuck_inactive": [0, 0, 1]]
        ) { "0 didBecomeActive; 1000 willResignActive; \(1000 + $0) heartbeat device_id=d2" },
        Limit(key: "slow_resume.after", values: [1500, 300], expected: ["anomalies.slow_resume": [0, 0, 1]]) {
            "\(left); 100000 willEnterForeground; \(100_000 + $0) didBecomeActive"
        },
        Limit(key: "slow_launch.cold.after", values: [5000, 700], expected: ["anomalies.slow_launch": [0, 0, 1]]) {
            "0 didFinishLaunching; \($0) didBecomeActive"
        },
        Limit(key: "slow_launch.warm.after", values: [2000, 700], expected: ["anomalies.slow_launch": [0, 0, 1]]) {
            "0 didFinishLaunching prewarm=true; 100000 willEnterForeground; \(100_000 + $0) didBecomeActive"
        },
        Limit(key: "slow_resign.after", values: [5000, 100], expected: ["anomalies.slow_resign": [0, 0, 1]]) {
            "0 didBecomeActive; 9000 willResignActive handler_ms=\($0)"
        },
        Limit(
            key: "inactive_flapping.count", values: [6, 3], unit: "",
            expected: ["anomalies.inactive_flapping": [0, 0, 1]]
        ) { flicker($0, over: ($0 - 1) * 100) },
        Limit(
            key: "inactive_flapping.within", values: [10_000, 2000],
            expected: ["anomalies.inactive_flapping": [1, 1, 0]]
        ) { flicker(7, over: $0) },
        Limit(key: "resource.grace", values: [2000, 300], expected: ["anomalies.resource_leak": [0, 0, 1]]) {
            "0 didBecomeActive; 500 resourceStart resource=camera; 1000 willResignActive; "
                + "\(1000 + $0) resourceStop resource=camera"
        },
        Limit(key: "overlay.grace", values: [1000, 300], expected: ["anomalies.overlay_leaked": [0, 0, 1]]) {
            "0 didBecomeActive; 1000 willResignActive; 1500 overlay_shown; 2000 didBecomeActive; "
                + "\(2000 + $0) overlay_hidden"
        },
        Limit(
            key: "clock_regression.after", values: [1000, 200], expected: ["anomalies.clock_regression": [0, 0, 1]]
        ) { "10000 heartbeat seq=1; \(10_000 - $0) heartbeat seq=2 rx=10100" },
        Limit(key: "future.tolerance", values: [300_000, 4000], expected: ["anomalies.future_clock": [0, 0, 1]]) {
            "\($0) heartbeat rx=0"
        },
    ]

    /// So many resigns that leave Active, from first to last within `span` ms.
    static func flicker(_ count: Int, over span: Int) -> String {
        var events: [String] = ["0 didBecomeActive"]
        for number in 0..<count {
            let time = 1000 + span * number / (count - 1)
            if number > 0 { events.append("\(time - 10) didBecomeActive") }
            events.append("\(time) willResignActive")
        }
        return events.joined(separator: "; ")
    }

    // MARK: Order and duplicates

    static let order: [Limit] = [
        Limit(
            key: "reorder.timeout", values: [10_000, 3000],
            expected: [
                "anomalies.sequence_gap": [0, 0, 1], "late_events": [0, 0, 1], "anomalies.out_of_order": [1, 1, 0],
            ]
        ) {
            "0 didBecomeActive seq=1; 2000 didEnterBackground seq=3; 1000 willResignActive seq=2 rx=\(2000 + $0)"
        },
        Limit(
            key: "reorder.buffer", values: [32, 4], unit: "",
            expected: ["anomalies.sequence_gap": [0, 0, 1], "late_events": [0, 0, 1]]
        ) { waiting in
            let held = (0..<waiting).map { "\(100 + $0) heartbeat seq=\($0 + 3)" }.joined(separator: "; ")
            return "0 heartbeat seq=1; \(held); 50 heartbeat seq=2 rx=900"
        },
        Limit(
            key: "dedupe.window", values: [7 * 86_400_000, 5000],
            expected: ["anomalies.duplicate_event": [1, 1, 0], "events": [1, 1, 2]]
        ) { "0 heartbeat event_id=x; \($0) didBecomeActive event_id=x" },
    ]

    // MARK: What is kept

    static let kept: [Limit] = [
        Limit(
            key: "state.ttl", values: [30 * 86_400_000, 3_600_000], expected: ["anomalies.missing_event": [1, 1, 0]]
        ) {
            "0 willEnterForeground; 1000 didBecomeActive; 2000 willResignActive; 3000 didEnterBackground; "
                + "\(3000 + $0) didBecomeActive"
        },
        Limit(
            key: "window.grace", values: [21_600_000, 5000],
            expected: ["late_events": [0, 0, 1], "events": [2, 2, 1]],
            settings: ["window.sizes": "1m"]
        ) { "0 heartbeat; 1000 heartbeat device_id=d3 rx=\(60_000 + $0)" },
    ]

    /// What waits goes on its way as the delay is over: an older event that comes then is late.
    @Test(arguments: [(1999, 0), (2000, 1), (2001, 1)])
    func eventsWithoutANumberWaitForTheDelay(later: Int, late: Int) throws {
        let text = "500 heartbeat; 400 willResignActive rx=\(500 + later)"
        let outcome = try Story(text: text, settings: ["reorder.delay": "2s"]).outcome()
        #expect(outcome.figure("late_events") == late)
        #expect(outcome.figure("anomalies.out_of_order") == 1 - late)
    }

    /// Ids are told apart exactly as far back as 64; numbers by a window of 64; content by the last 16 events.
    @Test(arguments: [(62, 1), (63, 1), (64, 0)])
    func theLast64IdsAreKnown(others: Int, duplicates: Int) throws {
        let between = (0..<others).map { "\(100 + $0) heartbeat event_id=o\($0)" }.joined(separator: "; ")
        let outcome = try Story(text: "0 heartbeat event_id=x; \(between); 5000 heartbeat event_id=x").outcome()
        #expect(outcome.figure("anomalies.duplicate_event") == duplicates)
    }

    @Test(arguments: [(63, 1, 0), (64, 1, 0), (65, 0, 1)])
    func numbersAreKnownInAWindowOf64(last: Int, duplicates: Int, late: Int) throws {
        let all = (1...last).map { "\(100 * $0) heartbeat seq=\($0)" }.joined(separator: "; ")
        let outcome = try Story(text: "\(all); 100 heartbeat seq=1 rx=9000").outcome()
        #expect(outcome.figure("anomalies.duplicate_event") == duplicates)
        #expect(outcome.figure("late_events") == late)
    }

    @Test(arguments: [(14, 1, 0), (15, 1, 0), (16, 0, 1)])
    func contentIsKnownInTheLast16(others: Int, duplicates: Int, late: Int) throws {
        let between = (0..<others).map { "\(100 + $0) heartbeat" }.joined(separator: "; ")
        let outcome = try Story(text: "0 heartbeat; \(between); 0 heartbeat rx=9000").outcome()
        #expect(outcome.figure("anomalies.duplicate_event") == duplicates)
        #expect(outcome.figure("late_events") == late)
    }

    /// Groups beyond the limit fold into one more of their app.
    @Test(arguments: [(2, 2), (3, 3), (4, 4), (9, 4)])
    func groupsBeyondTheLimitFoldIntoOne(groups: Int, rows: Int) throws {
        let events = (0..<groups).map { "\($0) heartbeat app_version=v\($0)" }.joined(separator: "; ")
        let settings = ["group.by": "app_id,app_version", "group.limit": "3"]
        let outcome = try Story(text: events, settings: settings).outcome()
        #expect(outcome.count == rows)
        #expect(outcome.figure("events") == groups)
    }

    /// A view that has appeared is known until so many others have been seen after it.
    @Test(arguments: [("64", 63, 1), ("64", 64, 0), ("3", 2, 1), ("3", 3, 0)])
    func theOldestInstanceGivesWay(limit: String, others: Int, unbalanced: Int) throws {
        let between = (0..<others).map { "\(100 + $0) viewWillAppear instance=o\($0)" }.joined(separator: "; ")
        let text = """
            0 didBecomeActive; 1 viewWillAppear instance=v; 2 viewDidAppear instance=v; \(between); \
            9000 viewDidAppear instance=v
            """
        let outcome = try Story(text: text, settings: ["instances.limit": limit]).outcome(isCompared: false)
        #expect(outcome.figure("anomalies.view_unbalanced") == unbalanced)
    }
}
