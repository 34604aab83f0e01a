import Testing

/// Corners in which two readings of the specification once differed, each as small as it can be: what the text says
/// of them stands beside the figures. The naive fold must come to the same, in every figure.
@Suite struct CornerTests {
    struct Corner: Sendable, CustomTestStringConvertible {
        /// What the text says.
        var testDescription: String
        var story: String
        var figures: [String: Int]
        var settings: [String: String] = [:]

        init(_ text: String, _ story: String, _ figures: [String: Int], _ settings: [String: String] = [:]) {
            testDescription = text
            self.story = story
            self.figures = figures
            self.settings = settings
        }
    }

    @Test(arguments: launches + ends + scenes + activities + views + resources + order + timers)
    func figuresAreThoseOfTheText(_ corner: Corner) throws {
        let outcome = try Story(text: corner.story, settings: corner.settings).outcome()
        for (figure, expected) in corner.figures {
            #expect(outcome.figure(figure) == expected, "\(figure); \(outcome.words)")
        }
    }

    static let illegal = "anomalies.illegal_transition"
    static let missing = "anomalies.missing_event"
    static let leak = "anomalies.resource_leak"
    static let back = "anomalies.clock_regression"
    static let inBackground = "anomalies.view_in_background"
    static let unbalanced = "anomalies.view_unbalanced"

    // MARK: Timers

    /// Each story comes twice: time goes on at once, or in steps.
    static let timers = [
        "200000 heartbeat device_id=z", "2000 heartbeat device_id=z; 200000 heartbeat device_id=z",
    ].flatMap { time in
        [
            Corner(
                "silence that was over before the limit of the interval ends it first",
                "0 willResignActive; 1000 heartbeat rx=-7200000; \(time)",
                ["anomalies.stuck_inactive": 0, "inferred.inactive.count": 1], ["future.tolerance": "1d"]),
            Corner(
                "of what a receive time long past has made due, the first limit comes first",
                "0 willResignActive rx=-7200000; 1 heartbeat device_id=z; \(time)",
                ["anomalies.stuck_inactive": 1, "inferred.inactive.count": 1]),
        ]
    }

    // MARK: Launches and ends

    static let launches = [
        Corner(
            "stream time decides no launch: the edge that does may be on its way",
            "0 launch; 100 resourceStart resource=camera; 60000 heartbeat device_id=z; 1000 didBecomeActive rx=60100",
            ["launches_cold": 1, "launch_cold.sum_ms": 1000, leak: 1]),
        Corner(
            "a terminate decides that a launch led to the background",
            "0 launch; 1000 viewDidAppear instance=v; 2000 willTerminate",
            [inBackground: 1, "view_visible.count": 0, "background_launches": 1, "background.sum_ms": 2000]),
        Corner(
            "a bridged state that repeats the background of a launch is no edge",
            "0 launch; 61000 hidden bridged=true; 100000 didEnterBackground", [illegal: 0]),
        Corner(
            "an inactive after a seen launch is the way in, after a termination too",
            "0 launch; 1000 detached bridged=true; 2000 inactive bridged=true; 3000 resumed bridged=true",
            ["inactive_by_class.arrival.count": 1]),
        Corner(
            "a create in the gap of a launch that led to the background begins its warm launch",
            "0 launch; 1000 onCreate instance=m class=M; 61000 onResume instance=n class=N",
            ["launches_warm": 1, "launch_warm.sum_ms": 60_000]),
    ]

    static let ends = [
        Corner(
            "an exit is no edge of the clock: what is older than it is not late",
            "0 willResignActive; 2000 exit; 1000 willEnterForeground", ["events": 3, "late_events": 0]),
        Corner(
            "an exit stays behind what came before it, and what is older goes before both",
            "0 didBecomeActive; 9000 launch; 5000 exit; 7000 willResignActive rx=9100; 30000 heartbeat device_id=z",
            ["inactive_by_class.departure.count": 0, "anomalies.unclean_exit": 1, "inferred.inactive.count": 1],
            ["reorder.delay": "10s"]),
        Corner(
            "a process that went on after its termination has no explained end",
            "0 willTerminate boot_id=b1; 100 willResignActive boot_id=b1; 200 didBecomeActive boot_id=b2; 300 exit",
            ["inferred.active.count": 0, "exits_by_reason.unknown": 1, "anomalies.unclean_exit": 1]),
        Corner(
            "an exit decides a pending grace before it ends the process",
            "0 willResignActive; 60000 onStop instance=m; 60500 exit rx=60000", ["anomalies.stuck_inactive": 0]),
        Corner(
            "a step of the clock counts once for its pair of edges",
            "10000 didEnterBackground seq=1; 0 heartbeat seq=2; 60000 launch seq=3", [back: 1]),
        Corner(
            "the clock went back from a stamp far ahead, and the next one says so",
            "9000000 heartbeat rx=100 seq=1; 5000 heartbeat seq=2", [back: 1, "anomalies.future_clock": 1]),
        Corner(
            "a clock that goes ahead does not go back",
            "9000 heartbeat rx=100 seq=1; 9000000 heartbeat rx=200 seq=2",
            [back: 0, "anomalies.future_clock": 1]),
    ]

    // MARK: Scenes and activities

    static let scenes = [
        Corner(
            "an echo agrees with a phase near it in time, though its number comes after others",
            """
            0 sceneWillConnect instance=s seq=1; 5000 sceneWillEnterForeground instance=s seq=2; \
            10000 sceneDidBecomeActive instance=s seq=3; 11001 sceneDidEnterBackground instance=s seq=4; \
            10999 willResignActive seq=5 rx=11100; 20000 heartbeat seq=6
            """,
            [illegal: 0]),
        Corner(
            "an echo agrees with the phase just before the termination",
            "0 didEnterBackground scope=scene instance=s; 5000 willTerminate; 5700 didEnterBackground", [illegal: 0]),
        Corner(
            "an echo of the foreground contradicts a launch into the background",
            "0 launch; 5000 didEnterBackground scope=scene instance=s; 60000 willEnterForeground; "
                + "90000 heartbeat device_id=z",
            [illegal: 1]),
        Corner(
            "an activation is no echo of a launch that nothing else has told of",
            "0 launch; 700 willConnect scope=scene instance=s; 300000 didBecomeActive; 301001 heartbeat", [illegal: 1]),
        Corner(
            "an edge repeats what opened the phase of its scene, not that of the app",
            "0 willResignActive; 1 willEnterForeground scope=scene instance=s; 501 willEnterForeground scope=scene "
                + "instance=s; 1001 didBecomeActive scope=scene instance=s",
            [illegal: 1, "inferred.inactive.count": 0, "inactive_by_class.interruption.sum_ms": 1001]),
        Corner(
            "a repeated edge leaves the time since when a scene is in the background",
            "0 willEnterForeground scope=scene instance=t; 1000 didEnterBackground scope=scene instance=s; "
                + "2000 didEnterBackground scope=scene instance=s; 2500 didBecomeActive scope=scene instance=s",
            [illegal: 1, missing: 1]),
    ]

    static let activities = [
        Corner(
            "a stop that lacks its pause waits for the grace; a resume within it is a hand-over",
            "0 onResume instance=m; 5000 onStop instance=m; 5300 onResume instance=n; 9000 onPause instance=n; "
                + "10000 heartbeat",
            [missing: 1, "handovers": 1, "active.sum_ms": 9000]),
        Corner(
            "a stop that lacks its pause ends what was active, assumed, and inactive has no interval",
            "0 onResume instance=m; 5000 onStop instance=m; 6000 heartbeat",
            [missing: 1, "inferred.active.sum_ms": 5000, "inactive.count": 0, "backgrounds": 1]),
        Corner(
            "a stop after the termination is a phase edge like any other",
            "0 willTerminate; 5000 onStop instance=m; 6000 heartbeat", [illegal: 1, "backgrounds": 0]),
        Corner(
            "after a destroy the first create that is seen begins no process",
            "0 onDestroy instance=m class=M; 1000 onCreate instance=n class=N; 2000 onResume instance=n class=N",
            ["launches_cold": 0, "foregrounds": 0]),
        Corner(
            "another activity that is visible keeps the app from the background",
            "0 onResume instance=m; 100 onDestroy instance=m; 700 onPause instance=n; 2000 heartbeat",
            ["backgrounds": 0, "active.sum_ms": 700]),
        Corner(
            "an activity destroyed before it started and made anew is recreated",
            "0 launch; 100 onCreate instance=m class=M; 200 onDestroy instance=m class=M; "
                + "300 onCreate instance=n class=M",
            ["recreates": 1]),
    ]

    // MARK: Views and resources

    static let views = [
        Corner(
            "what appears while a launch is undecided is judged when it is decided",
            "0 launch; 500 loadView instance=v; 1000 viewDidAppear instance=v; 2000 didBecomeActive",
            [inBackground: 0, "view_load.sum_ms": 500]),
        Corner(
            "what appears when the gap of a launch is over appears in the background",
            "0 launch; 60000 viewDidAppear instance=v; 70000 viewDidDisappear instance=v",
            [inBackground: 1, "view_visible.count": 0]),
        Corner(
            "another process makes a view that was announced before no less announced",
            "0 viewWillAppear instance=v; 1000 launch; 2000 loadView instance=v; 3000 viewDidDisappear instance=v",
            [unbalanced: 1]),
        Corner(
            "a termination forgets no view", "0 viewDidLoad instance=v; 100 willTerminate; 200 viewDidLoad instance=v",
            ["anomalies.view_reloaded": 1]),
        Corner(
            "silence ends no visit: it goes on at the edge that leaves the background",
            "0 viewDidAppear instance=v; 1 didBecomeActive; 2000000 didEnterBackground; 2001000 willEnterForeground; "
                + "2003000 didEnterBackground",
            ["view_visible.sum_ms": 2000]),
    ]

    static let resources = [
        Corner(
            "a launch counts as background for the timers until it is decided",
            "0 launch; 100 resourceStart resource=bluetooth; 3000 heartbeat", [leak: 1]),
        Corner(
            "the grace of what starts in the background counts from its start",
            "0 didEnterBackground; 10000 resourceStart resource=bluetooth; 11000 resourceStart resource=camera; "
                + "12500 resourceStop resource=camera",
            [leak: 1]),
        Corner(
            "only a resignation marks what runs",
            "0 didBecomeActive; 1000 resourceStart resource=camera; 2000 willEnterForeground; 60000 heartbeat",
            [leak: 0, illegal: 1]),
        Corner(
            "what was counted is not counted again before the next activation, started anew or not",
            "0 didEnterBackground; 100 resourceStart resource=camera; 5000 resourceStop resource=camera; "
                + "6000 resourceStart resource=camera; 20000 heartbeat",
            [leak: 1]),
        Corner(
            "an overlay outlives the termination",
            "0 overlay_shown; 1000 willTerminate; 2000 didBecomeActive; 60000 heartbeat",
            ["anomalies.overlay_leaked": 1]),
        Corner(
            "another process takes the overlay along",
            "0 overlay_shown process_id=p1; 1000 willResignActive process_id=p2; 2000 didBecomeActive process_id=p2",
            ["anomalies.unprotected_inactive": 1]),
    ]

    // MARK: Order

    static let order = [
        Corner(
            "a number that a succeeded process has sent before is a duplicate",
            "0 heartbeat process_id=p1 seq=9; 1000 launch process_id=p2 seq=1; 0 heartbeat process_id=p1 seq=9 rx=2000",
            ["anomalies.duplicate_event": 1, "late_events": 0]),
        Corner(
            "the number of an exit at first sight is of its own process",
            "0 exit process_id=p1 seq=1; 9000 didBecomeActive process_id=p2 seq=3", ["anomalies.sequence_gap": 0]),
        Corner(
            "another boot begins another count",
            "0 heartbeat boot_id=b1 seq=9; 1000 heartbeat boot_id=b2 seq=42", ["anomalies.sequence_gap": 0]),
        Corner(
            "a copy of a launch begins no count, though the clock has gone back since",
            "9000 launch seq=3; 0 heartbeat seq=4; 9000 launch seq=3 rx=9500",
            ["events": 2, "anomalies.duplicate_event": 1]),
        Corner(
            "a launch that comes after what follows it begins its count before that",
            "0 heartbeat process_id=p1 seq=1; 1000 heartbeat process_id=p1 seq=3; "
                + "5000 didBecomeActive process_id=p2 seq=2; 4000 launch process_id=p2 seq=1 rx=5100",
            ["launches_cold": 1, "late_events": 0, "anomalies.out_of_order": 1]),
    ]
}
