import Testing

/// Every pair of phase and edge, through the whole engine: five seconds in the phase, the edge, three seconds, and a
/// termination, which tells what phase the edge led to.
@Suite struct TransitionTests {
    /// How an installation comes into a phase, and what each edge makes of it.
    struct Way: Sendable, CustomTestStringConvertible {
        var phase: String
        var story: String
        var scopes: [String]
        /// A line for each edge: its letter, and the figures of the whole story but the one termination at its end.
        var lines: [String]

        init(_ phase: String, _ story: String, _ scopes: [String], _ lines: String) {
            self.phase = phase
            self.story = story
            self.scopes = scopes
            self.lines = lines.split(separator: "\n").map(String.init)
        }

        var testDescription: String { "\(phase), \(scopes.joined(separator: " and "))" }
    }

    static let names = [
        "L": "didFinishLaunching", "F": "willEnterForeground", "A": "didBecomeActive", "R": "willResignActive",
        "B": "didEnterBackground", "T": "willTerminate", "C": "willConnect",
    ]

    @Test(arguments: ways)
    func everyEdgeFromHere(_ way: Way) throws {
        #expect(way.lines.map { $0.prefix(1) } == ["F", "A", "R", "B", "T", "L"])
        for line in way.lines {
            for scope in way.scopes {
                let words = try Self.words(way.story, String(line.prefix(1)), scope: scope)
                #expect(words == line.dropFirst(2), "\(scope), edge \(line.prefix(1))")
            }
        }
    }

    private static func words(_ story: String, _ edge: String, scope: String) throws -> String {
        let events = (story.isEmpty ? [] : story.split(separator: ";").map(String.init)) + ["6000 \(edge)", "9000 T"]
        let text = events.map { event in
            let parts = event.split(separator: " ").map(String.init)
            let isOfApp = ["L", "T"].contains(parts[1])
            return "\(parts[0]) \(names[parts[1]] ?? "") scope=\(isOfApp ? "app" : scope)"
        }
        return try Story(text: text.joined(separator: "; ")).outcome().words.replacing("terminations=1 ", with: "")
    }

    static let ways: [Way] = [
        Way(
            "unknown", "", ["app", "scene"],
            """
            F aborted=3000
            A active=3000
            R departure=3000
            B background=3000
            T illegal_transition=1
            L background_launches=1 background=3000
            """),
        Way(
            "not running", "0 A; 1000 T", ["app", "scene"],
            """
            F foregrounds=1 terminations=2 active=1000 aborted=3000 illegal_transition=1
            A foregrounds=1 terminations=2 active=4000 illegal_transition=1
            R foregrounds=1 terminations=2 active=1000 departure=3000 illegal_transition=1
            B terminations=2 active=1000 background=3000 illegal_transition=1
            T active=1000 illegal_transition=2
            L background_launches=1 terminations=2 active=1000 background=3000
            """),
        Way(
            "inactive by resign", "0 A; 1000 R", ["app", "scene"],
            """
            F active=1000 aborted=3000 inferred.inactive=5000 illegal_transition=1
            A active=4000 interruption=5000
            R active=1000 departure=8000 illegal_transition=1
            B backgrounds=1 active=1000 background=3000 departure=5000
            T active=1000 departure=5000 illegal_transition=1
            L background_launches=1 active=1000 background=3000 unclean_exit=1
            """),
        Way(
            "inactive by entry", "0 B; 1000 F", ["app", "scene"],
            """
            F foregrounds=1 background=1000 aborted=8000 illegal_transition=1
            A foregrounds=1 resume=5000 active=3000 background=1000 arrival=5000 slow_resume=1
            R foregrounds=1 background=1000 departure=3000 inferred.inactive=5000 illegal_transition=1
            B foregrounds=1 backgrounds=1 background=4000 aborted=5000
            T foregrounds=1 background=1000 aborted=5000 illegal_transition=1
            L background_launches=1 foregrounds=1 background=4000 unclean_exit=1
            """),
        Way(
            "active", "0 R; 1000 A", ["app", "scene"],
            """
            F aborted=3000 interruption=1000 inferred.active=5000 illegal_transition=1
            A active=8000 interruption=1000 illegal_transition=1
            R active=5000 departure=3000 interruption=1000
            B backgrounds=1 background=3000 interruption=1000 inferred.active=5000 missing_event=1
            T active=5000 interruption=1000 illegal_transition=1
            L background_launches=1 background=3000 interruption=1000 unclean_exit=1
            """),
        Way(
            "background", "0 R; 1000 B", ["app", "scene"],
            """
            F foregrounds=1 backgrounds=1 background=5000 aborted=3000 departure=1000
            A foregrounds=1 backgrounds=1 active=3000 background=5000 departure=1000
            R foregrounds=1 backgrounds=1 departure=4000 inferred.background=5000 illegal_transition=1
            B backgrounds=1 background=8000 departure=1000 illegal_transition=1
            T backgrounds=1 background=5000 departure=1000 illegal_transition=1
            L background_launches=1 backgrounds=1 background_exits=1 background=3000 departure=1000
            """),
        Way(
            "background, announced", "0 F; 1000 B", ["app", "scene"],
            """
            F foregrounds=1 backgrounds=1 background=5000 aborted=4000
            A foregrounds=1 backgrounds=1 active=3000 aborted=1000 inferred.background=5000 missing_event=1
            R foregrounds=1 backgrounds=1 aborted=1000 departure=3000 inferred.background=5000 illegal_transition=1
            B backgrounds=1 background=8000 aborted=1000 illegal_transition=1
            T backgrounds=1 background=5000 aborted=1000 illegal_transition=1
            L background_launches=1 backgrounds=1 background_exits=1 background=3000 aborted=1000
            """),
        Way(
            "launched", "1000 L", ["app"],
            """
            F background_launches=1 foregrounds=1 aborted=3000
            A launches_cold=1 foregrounds=1 launch_cold=5000 active=3000 arrival=5000
            R background_launches=1 foregrounds=1 departure=3000 inferred.inactive=5000 illegal_transition=1
            B background_launches=1 background=8000
            T background_launches=1 background=5000 illegal_transition=1
            L background_launches=2 background_exits=1 background=3000
            """),
        Way(
            "launched", "1000 L", ["scene"],
            """
            F background_launches=1 foregrounds=1 aborted=3000
            A launches_cold=1 foregrounds=1 launch_cold=5000 active=3000 arrival=5000
            R background_launches=1 foregrounds=1 aborted=8000
            B background_launches=1 background=8000
            T background_launches=1 background=5000 illegal_transition=1
            L background_launches=2 background_exits=1 background=3000
            """),
        Way(
            "connected", "1000 C", ["scene"],
            """
            F aborted=3000
            A active=3000
            R departure=3000 illegal_transition=1
            B background=3000
            T illegal_transition=1
            L background_launches=1 background=3000
            """),
    ]
}
