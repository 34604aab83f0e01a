/// What an edge is about: the whole app, or one of its parts.
@usableFromInline package enum Scope: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case app
    case scene
    case activity
    case view

    package var name: String {
        switch self {
        case .app: "app"
        case .scene: "scene"
        case .activity: "activity"
        case .view: "view"
        }
    }
}

/// One canonical lifecycle event, after the vocabulary of the source has been mapped.
///
/// The names that map to each edge stand in ``Vocabulary``. Edges of every scope share one enumeration so that an
/// event carries its meaning in one byte.
@usableFromInline package enum Edge: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    // App
    case launch
    case enterForeground
    case activate
    case resign
    case enterBackground
    case terminate
    case exit
    /// In front, told by a source that watches the whole process and knows no inactive (`android.app.state`).
    case processForeground
    /// In the background, told by such a source, late by the background grace.
    case processBackground

    // Scene
    case sceneConnect
    case sceneEnterForeground
    case sceneActivate
    case sceneResign
    case sceneEnterBackground
    case sceneDisconnect
    /// A SwiftUI scenePhase value; the edge follows from it and the scene's previous phase.
    case sceneIsActive
    case sceneIsInactive
    case sceneIsBackground

    // Activity
    case activityCreate
    case activityStart
    case activityRestart
    case activityResume
    case activityPause
    case activityStop
    case activityDestroy
    case activityTopResumed
    case activityTopLost

    // View
    case viewLoadView
    case viewDidLoad
    case viewWillAppear
    case viewIsAppearing
    case viewDidAppear
    case viewWillDisappear
    case viewDidDisappear
    case viewDeinit

    // Any scope
    case resourceStart
    case resourceStop
    case overlayShown
    case overlayHidden
    case heartbeat
    /// A name that means nothing here: it proves that the process lives and decides no phase.
    case unknown
    /// No event at all: it only moves stream time. Made by the program, never by a source.
    case tick
}

extension Edge {
    /// One byte against another; spelled out, so that it is inlined where events are folded.
    @inlinable
    package static func == (first: Edge, second: Edge) -> Bool {
        unsafe unsafeBitCast(first, to: UInt8.self) == unsafeBitCast(second, to: UInt8.self)
    }

    @inlinable
    package static func != (first: Edge, second: Edge) -> Bool { !(first == second) }
}

extension Edge {
    /// The scope that the edge belongs to; nil for those of any scope.
    @usableFromInline package var scope: Scope? {
        switch self {
        case .launch, .enterForeground, .activate, .resign, .enterBackground, .terminate, .exit,
            .processForeground, .processBackground:
            .app
        case .sceneConnect, .sceneEnterForeground, .sceneActivate, .sceneResign, .sceneEnterBackground,
            .sceneDisconnect, .sceneIsActive, .sceneIsInactive, .sceneIsBackground:
            .scene
        case .activityCreate, .activityStart, .activityRestart, .activityResume, .activityPause, .activityStop,
            .activityDestroy, .activityTopResumed, .activityTopLost:
            .activity
        case .viewLoadView, .viewDidLoad, .viewWillAppear, .viewIsAppearing, .viewDidAppear, .viewWillDisappear,
            .viewDidDisappear, .viewDeinit:
            .view
        case .resourceStart, .resourceStop, .overlayShown, .overlayHidden, .heartbeat, .unknown, .tick:
            nil
        }
    }

    /// The canonical name within the scope, as the specification spells it.
    package var name: String {
        switch self {
        case .launch: "launch"
        case .enterForeground, .sceneEnterForeground: "enter_foreground"
        case .activate, .sceneActivate: "activate"
        case .resign, .sceneResign: "resign"
        case .enterBackground, .sceneEnterBackground: "enter_background"
        case .terminate: "terminate"
        case .exit: "exit"
        case .processForeground: "android.app.state=foreground"
        case .processBackground: "android.app.state=background"
        case .sceneConnect: "connect"
        case .sceneDisconnect: "disconnect"
        case .sceneIsActive: "active"
        case .sceneIsInactive: "inactive"
        case .sceneIsBackground: "background"
        case .activityCreate: "create"
        case .activityStart: "start"
        case .activityRestart: "restart"
        case .activityResume: "resume"
        case .activityPause: "pause"
        case .activityStop: "stop"
        case .activityDestroy: "destroy"
        case .activityTopResumed: "top_resumed"
        case .activityTopLost: "top_lost"
        case .viewLoadView: "load_view"
        case .viewDidLoad: "did_load"
        case .viewWillAppear: "will_appear"
        case .viewIsAppearing: "is_appearing"
        case .viewDidAppear: "did_appear"
        case .viewWillDisappear: "will_disappear"
        case .viewDidDisappear: "did_disappear"
        case .viewDeinit: "deinit"
        case .resourceStart: "resource_start"
        case .resourceStop: "resource_stop"
        case .overlayShown: "overlay_shown"
        case .overlayHidden: "overlay_hidden"
        case .heartbeat: "heartbeat"
        case .unknown: "unknown"
        case .tick: "tick"
        }
    }
}
