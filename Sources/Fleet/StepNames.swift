/// How a source reports a step.
extension Step {
    func name(_ source: FleetOptions.Source) -> StaticString {
        switch source {
        case .appDelegate: appDelegateName
        case .processLifecycle: processLifecycleName
        case .scenes: sceneName
        case .activities: activityName
        }
    }

    /// Empty: the application's.
    func scope(_ source: FleetOptions.Source) -> StaticString {
        switch (source, self) {
        case (.scenes, .launch), (.scenes, .wake), (.scenes, .prewarm), (.scenes, .wakeSettle): ""
        case (.scenes, .terminate): ""
        case (.activities, .wake): ""
        case (_, .work), (_, .heartbeat), (_, .exitReport), (_, .echo): ""
        case (.scenes, _): "scene"
        case (.activities, _): "activity"
        case (.appDelegate, _), (.processLifecycle, _): ""
        }
    }

    var appDelegateName: StaticString {
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
        case .vanish, .connect, .disconnect, .echo, .followStart, .wakeCreate, .finish, .episode:
            preconditionFailure("an application has no such notification")
        }
    }

    private var sceneName: StaticString {
        switch self {
        case .launchForeground, .wakeForeground, .foreground: "sceneWillEnterForeground"
        case .launchActivate, .wakeActivate, .resume, .reopen, .reactivate: "sceneDidBecomeActive"
        case .enterBackground, .abort: "sceneDidEnterBackground"
        case .interrupt, .depart: "sceneWillResignActive"
        case .connect: "sceneWillConnect"
        case .disconnect: "sceneDidDisconnect"
        default: appDelegateName
        }
    }

    private var processLifecycleName: StaticString {
        switch self {
        case .launch, .wake: "android.app.state=created"
        case .launchActivate, .wakeReopen, .reopen: "android.app.state=foreground"
        case .enterBackground: "android.app.state=background"
        case .work: "work_finished"
        case .heartbeat: "heartbeat"
        case .exitReport: "exit"
        default: preconditionFailure("a process lifecycle has no such state")
        }
    }

    private var activityName: StaticString {
        switch self {
        case .launch, .wakeCreate: "onCreate"
        case .launchForeground, .wakeForeground, .followStart: "onStart"
        case .launchActivate, .wakeActivate, .resume, .reactivate: "onResume"
        case .interrupt, .depart: "onPause"
        case .enterBackground: "onStop"
        case .foreground: "onRestart"
        case .finish: "onDestroy"
        case .wake: "android.app.state=created"
        case .work: "work_finished"
        case .heartbeat: "heartbeat"
        case .exitReport: "exit"
        default: preconditionFailure("an activity has no such callback")
        }
    }
}
