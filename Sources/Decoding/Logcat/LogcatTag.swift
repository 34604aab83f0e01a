import Lifecycle

/// The tags of the event log that tell something about an app's lifecycle.
enum LogcatTag: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case create
    case start
    case restart
    case resume
    case pause
    case stop
    case destroy
    case topResumed
    case topLost
    case processStart
    case processBound
    case processDied
    case kill
    case crash
    case notResponding
    case launchTime

    /// The tag's name; those of callbacks and of the launch time stand behind `wm_` or `am_`.
    var name: String {
        switch self {
        case .create: "on_create_called"
        case .start: "on_start_called"
        case .restart: "on_restart_called"
        case .resume: "on_resume_called"
        case .pause: "on_paused_called"
        case .stop: "on_stop_called"
        case .destroy: "on_destroy_called"
        case .topResumed: "on_top_resumed_gained_called"
        case .topLost: "on_top_resumed_lost_called"
        case .processStart: "am_proc_start"
        case .processBound: "am_proc_bound"
        case .processDied: "am_proc_died"
        case .kill: "am_kill"
        case .crash: "am_crash"
        case .notResponding: "am_anr"
        case .launchTime: "activity_launch_time"
        }
    }

    /// The edge of a callback's line; nil for lines that the system writes.
    var edge: Edge? {
        switch self {
        case .create: .activityCreate
        case .start: .activityStart
        case .restart: .activityRestart
        case .resume: .activityResume
        case .pause: .activityPause
        case .stop: .activityStop
        case .destroy: .activityDestroy
        case .topResumed: .activityTopResumed
        case .topLost: .activityTopLost
        case .processStart, .processBound, .processDied, .kill, .crash, .notResponding, .launchTime: nil
        }
    }

    /// Whether an older system writes the same under `am_`.
    var hasOlderName: Bool { edge != nil || self == .launchTime }
}

/// Finds a tag by its bytes: one hash and, as a rule, one place.
struct LogcatTagTable: Sendable {
    struct Match: BitwiseCopyable {
        var tag: LogcatTag
        /// Written by Android 10 or older, under `am_`.
        var isOlder: Bool
    }

    private struct Place: BitwiseCopyable {
        var hash: UInt64 = 0
        var match = Match(tag: .create, isOlder: false)
    }

    private static let size = 128
    private var places = ContiguousArray(repeating: Place(), count: size)

    init() {
        for tag in LogcatTag.allCases {
            guard tag.hasOlderName else {
                insert(tag.name, Match(tag: tag, isOlder: false))
                continue
            }
            insert("wm_" + tag.name, Match(tag: tag, isOlder: false))
            insert("am_" + tag.name, Match(tag: tag, isOlder: true))
        }
    }

    func match(_ name: RawSpan) -> Match? {
        guard name.byteCount >= 6, name[byte: 0] == UInt8(ascii: "w") || name[byte: 0] == UInt8(ascii: "a") else {
            return nil
        }
        let hash = StableHash.hash(name)
        var place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
        while places[place].hash != 0 {
            if places[place].hash == hash { return places[place].match }
            place = (place + 1) & (Self.size - 1)
        }
        return nil
    }

    private mutating func insert(_ name: String, _ match: Match) {
        let hash = StableHash.hash(name)
        var place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
        while places[place].hash != 0 { place = (place + 1) & (Self.size - 1) }
        places[place] = Place(hash: hash, match: match)
    }
}
