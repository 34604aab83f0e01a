import Lifecycle
import Testing

@Suite struct VocabularyTests {
    static let spellings: [(String, Scope?, Bool, Edge)] = [
        ("didFinishLaunchingWithOptions", nil, false, .launch),
        ("application.didFinishLaunching(_:)", nil, false, .launch),
        ("UIApplicationDidBecomeActiveNotification", nil, false, .activate),
        ("DIDENTERBACKGROUND", nil, false, .enterBackground),
        ("enter_background", .app, false, .enterBackground),
        ("sceneDidBecomeActive", .scene, false, .sceneActivate),
        ("UIScene.willConnectNotification", nil, false, .sceneConnect),
        ("active", .scene, false, .sceneIsActive),
        ("active", nil, true, .activate),
        ("inactive", nil, false, .resign),
        ("created", nil, false, .launch),
        ("created", .activity, false, .activityCreate),
        ("ActivityResumed", .activity, false, .activityResume),
        ("Activity:Paused", .activity, false, .activityPause),
        ("onTopResumedActivityChanged(true)", .activity, false, .activityTopResumed),
        ("viewDidAppear", nil, false, .viewDidAppear),
        ("viewWillDisappear(_:)", .view, false, .viewWillDisappear),
        ("resourceStart", .view, false, .resourceStart),
        ("android.app.state=background", nil, false, .processBackground),
        ("ios.app.state=terminate", nil, false, .terminate),
        ("purchase", nil, false, .unknown),
        ("", nil, false, .unknown),
        ("tick", nil, false, .unknown),
        ("didBecomeActiveé", nil, false, .unknown),
    ]

    @Test(arguments: spellings)
    func edgeOf(name: String, scope: Scope?, bridged: Bool, expected: Edge) {
        var vocabulary = Vocabulary()
        for _ in 0..<2 {  // the second time from the spellings met
            var name = name
            let edge = name.withUTF8 { buffer in
                vocabulary.edge(unsafe RawSpan(_unsafeElements: buffer), scope: scope, bridged: bridged)
            }
            #expect(edge == expected)
        }
    }

    @Test func aNameMeansOneThingInAScope() {
        var seen: [String: Edge] = [:]
        for entry in Vocabulary.entries {
            let place = "\(entry.edge.scope.map(\.name) ?? "any")/\(entry.name)"
            #expect(seen[place] == nil || seen[place] == entry.edge, "\(place)")
            seen[place] = entry.edge
        }
    }
}
