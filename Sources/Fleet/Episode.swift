/// Something that happens in front, after which the app is in front as before: a fixed row of events.
enum Episode: UInt8, BitwiseCopyable, Sendable {
    case none
    /// One activity opens another.
    case open
    /// The other one is closed, and the first comes back.
    case back
    /// The screen is turned: the activity is made anew.
    case rotation
    /// A second scene is opened and closed again.
    case sideScene
    /// A view is opened, looked at, and closed.
    case visit
    /// The same, with a gesture back that is given up halfway.
    case cancelledVisit
    /// The same by an app that loads its view twice and tells twice that it has appeared.
    case faultyVisit
    /// The camera is used and runs on for a while when a panel is pulled over the app.
    case camera
    /// A panel is pulled over an app that covers what is confidential meanwhile.
    case cover

    enum Role: Sendable {
        /// What was on top when the episode began.
        case old
        /// What comes instead.
        case new
    }

    struct Stage: Sendable {
        let name: StaticString
        var scope: StaticString?
        var role = Role.new
        var resource: StaticString = ""
        /// ms after the stage before it.
        let delay: ClosedRange<Int64>
    }

    /// The first event comes when the episode is due.
    var stages: [Stage] {
        switch self {
        case .none: []
        case .open: Self.openStages
        case .back: Self.backStages
        case .rotation: Self.rotationStages
        case .sideScene: Self.sideStages
        case .visit: Self.visitStages
        case .cancelledVisit: Self.cancelledStages
        case .faultyVisit: Self.faultyStages
        case .camera: Self.cameraStages
        case .cover: Self.coverStages
        }
    }

    private static let openStages = [
        Stage(name: "onPause", role: .old, delay: 0...0), Stage(name: "onCreate", role: .new, delay: 10...120),
        Stage(name: "onStart", role: .new, delay: 0...15), Stage(name: "onResume", role: .new, delay: 20...400),
        Stage(name: "onStop", role: .old, delay: 10...350),
    ]

    private static let backStages = [
        Stage(name: "onPause", role: .old, delay: 0...0), Stage(name: "onRestart", role: .new, delay: 10...100),
        Stage(name: "onStart", role: .new, delay: 0...5), Stage(name: "onResume", role: .new, delay: 10...300),
        Stage(name: "onStop", role: .old, delay: 10...350), Stage(name: "onDestroy", role: .old, delay: 1...40),
    ]

    private static let rotationStages = [
        Stage(name: "onPause", role: .old, delay: 0...0), Stage(name: "onStop", role: .old, delay: 5...80),
        Stage(name: "onDestroy", role: .old, delay: 1...60), Stage(name: "onCreate", role: .new, delay: 5...80),
        Stage(name: "onStart", role: .new, delay: 0...20), Stage(name: "onResume", role: .new, delay: 20...200),
    ]

    private static let sideStages = [
        Stage(name: "sceneWillConnect", role: .new, delay: 0...0),
        Stage(name: "sceneWillEnterForeground", role: .new, delay: 5...60),
        Stage(name: "sceneDidBecomeActive", role: .new, delay: 50...700),
        Stage(name: "sceneWillResignActive", role: .new, delay: 2_000...30_000),
        Stage(name: "sceneDidEnterBackground", role: .new, delay: 200...900),
        Stage(name: "sceneDidDisconnect", role: .new, delay: 100...9_000),
    ]

    private static func view(_ name: StaticString, _ delay: ClosedRange<Int64>) -> Stage {
        Stage(name: name, scope: "view", delay: delay)
    }

    private static let visitStages =
        [view("loadView", 0...0), view("viewDidLoad", 1...30)] + appearance + disappearance

    private static let cancelledStages =
        [view("loadView", 0...0), view("viewDidLoad", 1...30)] + appearance
        + [
            view("viewWillDisappear", 800...4_000), view("viewWillAppear", 100...900),
            view("viewIsAppearing", 1...20), view("viewDidAppear", 50...400),
        ] + disappearance

    private static let faultyStages =
        [view("loadView", 0...0), view("viewDidLoad", 1...30), view("viewDidLoad", 1...30)] + appearance
        + [view("viewDidAppear", 5...90)] + disappearance

    private static let appearance = [
        view("viewWillAppear", 1...20), view("viewIsAppearing", 1...20), view("viewDidAppear", 50...600),
    ]

    private static let disappearance = [
        view("viewWillDisappear", 1_000...12_000), view("viewDidDisappear", 100...500), view("deinit", 1...50),
    ]

    private static let cameraStages = [
        Stage(name: "resourceStart", scope: "", resource: "camera", delay: 0...0),
        Stage(name: "willResignActive", scope: "", delay: 1_000...9_000),
        Stage(name: "resourceStop", scope: "", resource: "camera", delay: 300...5_000),
        Stage(name: "didBecomeActive", scope: "", delay: 200...4_000),
    ]

    private static let coverStages = [
        Stage(name: "willResignActive", scope: "", delay: 0...0),
        Stage(name: "overlay_shown", scope: "", delay: 1...40),
        Stage(name: "didBecomeActive", scope: "", delay: 400...8_000),
        Stage(name: "overlay_hidden", scope: "", delay: 50...2_000),
    ]

    /// Its events are of activities, the last of which is on top then.
    var isOfActivities: Bool {
        switch self {
        case .open, .back, .rotation: true
        case .none, .sideScene, .visit, .cancelledVisit, .faultyVisit, .camera, .cover: false
        }
    }

    var isOfViews: Bool { self == .visit || self == .cancelledVisit || self == .faultyVisit }

    /// Longer than it lasts, ms: begun only where so much time is left.
    static let longest: Int64 = 60_000
}

extension Device {
    /// The stage of the episode that is the event to come.
    var episodeStage: Episode.Stage { episode.stages[Int(stage)] }

    /// Begins an episode at the time of the change.
    mutating func beginEpisode() {
        stage = 0
        old = top
        switch episode {
        case .none: preconditionFailure("there is no episode to begin")
        case .open:
            below = top
            made &+= 1
            new = made
        case .back:
            new = below
            below = 0
        case .rotation:
            made &+= 1
            new = made
        case .sideScene: new = Self.sideScene
        case .visit, .cancelledVisit, .faultyVisit:
            made &+= 1
            new = Self.sideScene + made
        case .camera, .cover: break
        }
        plan(.episode, at: change)
        if episode.isOfActivities { uploadTogether() } else if episode != .sideScene { uploadTogether(within: 24_000) }
    }

    /// The events of one episode, and those of a way out of activities, are received together: what decides about them
    /// is there in time, and no other limit passes while they wait.
    ///
    /// - Parameter span: longer than they last, ms.
    mutating func uploadTogether(within span: Int64 = 4_000) {
        guard due + span > sent else { return }
        sent = due + span + random.below(1_500)
        received = sent + Int64(lag)
    }

    /// The next event of the episode; after the last one the app goes on in front.
    mutating func continueEpisode(_ world: World) {
        let stages = episode.stages
        guard Int(stage) + 1 < stages.count else {
            if episode.isOfActivities { top = new }
            episode = .none
            nextBeat = due + world.heartbeat
            choosePiece(after: Habits.shortestPiece, world)
            return untilChange(world)
        }
        stage += 1
        plan(.episode, after: random.within(stages[Int(stage)].delay))
    }

    static let mainScene: UInt16 = 1
    static let sideScene: UInt16 = 2

    /// The scope of the event to come; empty: the application's.
    func scope(_ source: FleetOptions.Source) -> StaticString {
        (step == .episode ? episodeStage.scope : nil) ?? step.scope(source)
    }

    /// What the event to come is about: an activity, a scene or a view by number; 0: the application.
    func subject(_ source: FleetOptions.Source) -> UInt16 {
        guard scope(source).utf8CodeUnitCount > 0 else { return 0 }
        if step == .episode { return episodeStage.role == .old ? old : new }
        return source == .scenes ? Self.mainScene : top
    }

    /// The class of a view, or of an activity: the one that a process begins with, or one that it opens.
    func className(_ source: FleetOptions.Source) -> StaticString {
        if step == .episode, episode.isOfViews { return "DetailViewController" }
        guard source == .activities, step.scope(source).utf8CodeUnitCount > 0 else { return "" }
        let isOpened = step == .episode ? isOpened(episodeStage.role) : below != 0
        return isOpened ? "DetailActivity" : "MainActivity"
    }

    private func isOpened(_ role: Episode.Role) -> Bool {
        switch episode {
        case .open: role == .new
        case .back: role == .old
        case .rotation: below != 0
        case .none, .sideScene, .visit, .cancelledVisit, .faultyVisit, .camera, .cover: false
        }
    }
}
