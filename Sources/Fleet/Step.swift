/// What a device does next, as its story knows it: each is one event, and says why it happens.
enum Step: UInt8, BitwiseCopyable, Sendable {
    /// The user opens an app that is not running.
    case launch
    /// The foreground edge that belongs to that launch.
    case launchForeground
    case launchActivate
    /// The system starts the process into the background.
    case wake
    /// The system starts the process ahead of use.
    case prewarm
    /// The background edge of a process that was started into it.
    case wakeSettle
    /// Something that a process does in the background, under a name that no vocabulary has.
    case work
    /// The user opens a process that was started in the background.
    case wakeForeground
    case wakeActivate
    /// The same by a source that sends no foreground edge.
    case wakeReopen
    case foreground
    case resume
    /// Back to the background without having become active.
    case abort
    /// Active again straight out of the background.
    case reopen
    case interrupt
    case reactivate
    case depart
    case enterBackground
    case terminate
    case heartbeat
    /// How the process before this one ended, as this one was told.
    case exitReport
    /// Never heard of again; no event.
    case vanish

    /// The name by which a source reports it.
    func name(_ source: FleetOptions.Source) -> StaticString {
        switch source {
        case .appDelegate: appDelegateName
        case .processLifecycle: processLifecycleName
        }
    }

    private var appDelegateName: StaticString {
        switch self {
        case .launch, .wake, .prewarm: "didFinishLaunching"
        case .launchForeground, .wakeForeground, .foreground: "willEnterForeground"
        case .launchActivate, .wakeActivate, .wakeReopen, .resume, .reopen, .reactivate: "didBecomeActive"
        case .wakeSettle, .enterBackground, .abort: "didEnterBackground"
        case .interrupt, .depart: "willResignActive"
        case .terminate: "willTerminate"
        case .work: "push_received"
        case .heartbeat: "heartbeat"
        case .exitReport: "app.crash"
        case .vanish: preconditionFailure("nothing tells that a device has vanished")
        }
    }

    private var processLifecycleName: StaticString {
        switch self {
        case .launch, .wake, .prewarm: "android.app.state=created"
        case .launchActivate, .wakeReopen, .reopen: "android.app.state=foreground"
        case .enterBackground: "android.app.state=background"
        case .work: "work_finished"
        case .heartbeat: "heartbeat"
        case .exitReport: "exit"
        case .launchForeground, .wakeForeground, .foreground, .wakeActivate, .resume, .abort, .reactivate,
            .wakeSettle, .interrupt, .depart, .terminate, .vanish:
            preconditionFailure("a process lifecycle has no such state")
        }
    }
}

/// How the process before this one ended.
enum FormerProcess: UInt8, BitwiseCopyable, Sendable {
    /// Never seen.
    case unseen
    /// Said so itself.
    case terminated
    /// Gone from the background without a word.
    case killed
    /// Gone from the foreground without a word.
    case died
}
