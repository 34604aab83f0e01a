/// The app-level state. `undetermined` is that of a launch until the next phase edge tells where it led.
enum Phase: String {
    case unknown, notRunning, undetermined, inactive, active, background

    var isForeground: Bool { self == .active || self == .inactive }
}

/// One run of the app.
final class Process {
    enum Launch {
        /// None seen, or no longer open: it was activated, aborted or resynchronised.
        case closed
        /// Led to the foreground, or may still.
        case open
        /// Led to the background first.
        case background
    }

    var id: String?
    var boot: String?
    /// The edge that launched it, where that was seen.
    var launchEdge: Event?
    var launch = Launch.closed
    var prewarmed = false
    var everActive = false
    /// It ended without ever having been active, and that was counted.
    var launchCounted = false
    /// A terminate or an exit told of its end.
    var explained = false
    var terminated = false
    var exitSeen = false
    /// An edge told of a phase: it lives, and a create is not its beginning.
    var hadPhase = false
    var reportedScenes = false
    var reportedActivities = false
    /// Edges of app, scene or activity other than launch and exit, by no bridge.
    var reportedNative = false
}

/// Everything known of one app on one device.
final class Installation {
    static let processesRemembered = 15
    let identity: String
    let limits: Limits
    let ledger: Ledger

    // Arrival: clock, duplicates, order.
    var clock = DeviceClock()
    var arrivals = 0
    var recent: [Event] = []
    var recentIDs: [(id: String, receive: Int)] = []
    /// By process and boot, empty where no id was sent.
    var sequences: [[String]: SequenceCount] = [:]
    var sequenceOfRunning = ["", ""]
    var held: [Event] = []
    /// The last two with a number, by which a copy of one is known.
    var launches: [Event] = []
    var lastStream = 0

    // Processes.
    var process = Process()
    var previous: [Process] = []

    // The app machine.
    var last: Event?
    var folded = 0
    var phase = Phase.unknown
    /// Edge that began the interval of the phase; none where its beginning is not known.
    var opened: Event?
    var openedBy = Edge.unknown
    var stuckCounted = false
    /// Silence ended a foreground phase, and no edge has told of another since.
    var foregroundRemembered = false
    var sentEnterForeground = false
    var backgroundSince: Event?
    var enteredBackground: Event?
    var resumeFrom: Event?
    var foregroundFrom: Event?
    var resigns: [Event] = []
    var inBurst = false
    /// The last phases, each with the edge that began it; nothing where that is of no matter.
    var phases: [(phase: Phase, since: Event?)] = [(.unknown, nil)]
    var echoes: [(edge: Event, phase: Phase)] = []
    /// What waits for a launch to tell whether it led to the foreground.
    var undecided: [(Bool) -> Void] = []
    /// Starts of the pairs of edges that a regression was counted for, at the edge being folded.
    var regressed: Set<[Int]> = []

    var scenes: [String: SceneState] = [:]
    var activities: [String: ActivityState] = [:]
    var destroyed: [String: (stop: Event, key: String)] = [:]
    var creates: [(key: String, edge: Event)] = []
    var pendingPause: (edge: Event, key: String, missing: Bool)?
    var pendingStop: (edge: Event, key: String)?

    var views: [String: ViewState] = [:]
    var announcedViews: Set<String> = []
    var resources: [ResourceKey: Event] = [:]
    var leaked: Set<ResourceKey> = []
    var runningAtResign: (resign: Event, resources: [ResourceKey: Event])?
    var overlays: [(shown: Int, hidden: Int?)] = []
    var overlayAtActivate: Event?

    init(identity: String, limits: Limits, ledger: Ledger) {
        self.identity = identity
        self.limits = limits
        self.ledger = ledger
    }

    // MARK: Contributions

    func count(_ count: Tally.Count, at edge: Event, _ amount: Int = 1) {
        ledger.add(at: edge.time, edge.group) { $0.counts[count, default: 0] += amount }
    }

    func anomaly(_ anomaly: Tally.Anomaly, at edge: Event, _ amount: Int = 1) {
        ledger.add(at: edge.time, edge.group) { $0.anomalies[anomaly, default: 0] += amount }
    }

    /// What a timer counts belongs to the time start + limit and the group of the edge that started it.
    func timed(_ anomaly: Tally.Anomaly, _ start: Event, _ limit: Int) {
        ledger.add(at: start.time + limit, start.group) { $0.anomalies[anomaly, default: 0] += 1 }
    }

    func regression(from start: Event, to end: Event, at edge: Event) {
        guard regressed.insert([start.arrival, end.arrival]).inserted else { return }
        regressed = regressed.filter { $0[1] + 64 > arrivals }
        anomaly(.clockRegression, at: edge)
    }

    /// A duration that may be measured: not negative and, where it is limited, not over the limit of the absurd.
    func measured(_ start: Event, _ end: Event, at edge: Event, limited: Bool) -> Int? {
        let duration = clock.duration(start, end)
        if duration < 0 || (limited && duration > limits.durationMax) {
            regression(from: start, to: end, at: edge)
            return nil
        }
        return duration
    }
}
