/// Where an edge happened.
enum Scope: String {
    case app, scene, activity, view
}

/// An edge, or for `active`, `inactive` and `background` of a scene the state that it tells.
enum Edge: String {
    case launch, enterForeground, activate, resign, enterBackground, terminate, exit
    case connect, disconnect, stateActive, stateInactive, stateBackground
    case create, start, restart, resume, pause, stop, destroy, topResumed, topLost
    case loadView, didLoad, willAppear, isAppearing, didAppear, willDisappear, didDisappear, end
    case resourceStart, resourceStop, overlayShown, overlayHidden, heartbeat, unknown
}

/// Edges and the names that map to them.
enum Names {
    private static let byScope: [Scope: [String: Edge]] = [
        .app: [
            "launch": .launch, "didfinishlaunching": .launch, "created": .launch, "android.app.state=created": .launch,
            "enter_foreground": .enterForeground, "willenterforeground": .enterForeground,
            "ios.app.state=foreground": .enterForeground,
            "activate": .activate, "didbecomeactive": .activate, "ios.app.state=active": .activate,
            "android.app.state=foreground": .activate, "resumed": .activate,
            "resign": .resign, "willresignactive": .resign, "ios.app.state=inactive": .resign, "inactive": .resign,
            "enter_background": .enterBackground, "didenterbackground": .enterBackground,
            "ios.app.state=background": .enterBackground, "android.app.state=background": .enterBackground,
            "paused": .enterBackground, "hidden": .enterBackground,
            "terminate": .terminate, "willterminate": .terminate, "ios.app.state=terminate": .terminate,
            "detached": .terminate,
            "exit": .exit, "app.crash": .exit, "device.crash": .exit,
        ],
        .scene: [
            "connect": .connect, "willconnect": .connect,
            "enter_foreground": .enterForeground, "willenterforeground": .enterForeground,
            "activate": .activate, "didbecomeactive": .activate,
            "resign": .resign, "willresignactive": .resign,
            "enter_background": .enterBackground, "didenterbackground": .enterBackground,
            "disconnect": .disconnect, "diddisconnect": .disconnect,
            "active": .stateActive, "inactive": .stateInactive, "background": .stateBackground,
        ],
        .activity: [
            "create": .create, "oncreate": .create, "created": .create,
            "start": .start, "onstart": .start, "started": .start,
            "restart": .restart, "onrestart": .restart, "restarted": .restart,
            "resume": .resume, "onresume": .resume, "resumed": .resume,
            "pause": .pause, "onpause": .pause, "paused": .pause,
            "stop": .stop, "onstop": .stop, "stopped": .stop,
            "destroy": .destroy, "ondestroy": .destroy, "destroyed": .destroy,
            "top_resumed": .topResumed, "ontopresumedactivitychanged(true)": .topResumed,
            "top_lost": .topLost, "ontopresumedactivitychanged(false)": .topLost,
        ],
        .view: [
            "load_view": .loadView, "loadview": .loadView, "did_load": .didLoad, "viewdidload": .didLoad,
            "will_appear": .willAppear, "viewwillappear": .willAppear,
            "is_appearing": .isAppearing, "viewisappearing": .isAppearing,
            "did_appear": .didAppear, "viewdidappear": .didAppear,
            "will_disappear": .willDisappear, "viewwilldisappear": .willDisappear,
            "did_disappear": .didDisappear, "viewdiddisappear": .didDisappear, "deinit": .end,
        ],
    ]

    private static let anywhere: [String: Edge] = [
        "resource_start": .resourceStart, "resourcestart": .resourceStart,
        "resource_stop": .resourceStop, "resourcestop": .resourceStop,
        "overlay_shown": .overlayShown, "overlay_hidden": .overlayHidden, "heartbeat": .heartbeat,
    ]

    private static let prefixes = ["uiapplication", "uiscene", "application", "scene", "activity"]
    private static let suffixes = ["notification", "(_:)", "withoptions"]

    /// The edge of a name as sent, in the scope that the event names; without one in that where the name exists,
    /// the app's first. An unknown name is a heartbeat that counts apart.
    static func edge(_ name: String, scope: String?) -> (scope: Scope, edge: Edge) {
        let named = scope.map { Scope(rawValue: $0.lowercased()) }
        for spelling in spellings(of: name.lowercased()) {
            if let edge = anywhere[spelling] { return ((named ?? .app) ?? .app, edge) }
            if let named {
                if let named, let edge = byScope[named]?[spelling] { return (named, edge) }
                continue
            }
            if let edge = byScope[.app]?[spelling] { return (.app, edge) }
            let others = [Scope.scene, .activity, .view].compactMap { scope in
                byScope[scope]?[spelling].map { (scope, $0) }
            }
            if others.count == 1 { return others[0] }
        }
        return ((named ?? .app) ?? .app, .unknown)
    }

    /// The name as it is, then without its endings, then without its beginning either.
    private static func spellings(of name: String) -> [String] {
        var bare = Substring(name)
        while let suffix = suffixes.first(where: { bare.hasSuffix($0) }) { bare = bare.dropLast(suffix.count) }
        var found = [name, String(bare)]
        if let prefix = prefixes.first(where: { bare.hasPrefix($0) }) {
            bare = bare.dropFirst(prefix.count)
            if bare.hasPrefix(".") || bare.hasPrefix(":") { bare = bare.dropFirst() }
            found.append(String(bare))
        }
        return found
    }
}
