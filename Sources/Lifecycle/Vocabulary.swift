/// The names that sources give to edges, and the edge that each means in its scope.
///
/// Names match without regard to case; what is said before (`UIApplication`, `Activity.` …) or after
/// (`Notification`, `(_:)`, `WithOptions`) is ignored. A name that exists in one scope only needs no scope.
@usableFromInline package struct Vocabulary: Sendable {
    /// One name in one scope.
    @usableFromInline package struct Entry: Sendable, Equatable {
        /// Lower case, without prefix and suffix.
        package let name: String
        package let edge: Edge
        /// Only a bridge (Flutter, React Native) calls it so.
        package let bridgedOnly: Bool

        init(_ name: String, _ edge: Edge, bridgedOnly: Bool = false) {
            self.name = name
            self.edge = edge
            self.bridgedOnly = bridgedOnly
        }
    }

    /// Longer names have no meaning here; the longest known one has 36 bytes.
    static let longestName = 96

    private var byName: [String: [Entry]] = [:]
    /// Spellings met so far; bounded by ``spellingLimit``.
    private var spellings: [UInt64: Edge] = [:]
    private static let spellingLimit = 4096

    package init() {
        for entry in Self.entries { byName[entry.name, default: []].append(entry) }
    }

    /// The edge that a name means.
    ///
    /// - Parameters:
    ///   - name: as the source spelt it, UTF-8.
    ///   - scope: as the source named it; nil where it named none.
    ///   - bridged: whether the event comes from a bridge.
    /// - Returns: ``Edge/unknown`` where the name means nothing here.
    package mutating func edge(_ name: RawSpan, scope: Scope?, bridged: Bool) -> Edge {
        guard name.byteCount <= Self.longestName else { return .unknown }
        let aspect = UInt64(scope.map { $0.rawValue + 1 } ?? 0) << 1 | (bridged ? 1 : 0)
        let key = StableHash.hash(name) &+ aspect
        if let edge = spellings[key] { return edge }
        let edge = find(name, scope: scope, bridged: bridged)
        if spellings.count < Self.spellingLimit { spellings[key] = edge }
        return edge
    }

    private func find(_ name: RawSpan, scope: Scope?, bridged: Bool) -> Edge {
        var text = ""
        for index in 0..<name.byteCount {
            text.unicodeScalars.append(Unicode.Scalar(name.unsafeByte(index)))
        }
        for candidate in Self.readings(of: text.lowercased()) {
            if let edge = edge(named: candidate, scope: scope, bridged: bridged) { return edge }
        }
        return .unknown
    }

    private func edge(named name: String, scope: Scope?, bridged: Bool) -> Edge? {
        guard let all = byName[name] else { return nil }
        let entries = all.filter { bridged || !$0.bridgedOnly }
        func first(in scope: Scope?) -> Edge? { entries.first { $0.edge.scope == scope }?.edge }
        if let edge = first(in: nil) ?? first(in: scope ?? .app) { return edge }
        let scopes = Set(entries.map(\.edge.scope))
        return scopes.count == 1 ? entries.first?.edge : nil
    }

    /// The name as it stands, then without what may be ignored at its end, then at its beginning too.
    private static func readings(of name: String) -> [String] {
        var readings = [name]
        var rest = Substring(name)
        while let suffix = suffixes.first(where: { rest.hasSuffix($0) }) {
            rest = rest.dropLast(suffix.count)
            readings.append(String(rest))
        }
        for reading in readings {
            guard let prefix = prefixes.first(where: { reading.hasPrefix($0) }) else { continue }
            let bare = reading.dropFirst(prefix.count)
            readings.append(String(bare.first == "." || bare.first == ":" ? bare.dropFirst() : bare))
        }
        return readings
    }

    private static let suffixes = ["notification", "(_:)", "withoptions"]
    private static let prefixes = ["uiapplication", "application", "uiscene", "scene", "activity"]
}

extension Vocabulary {
    /// Every name that means something, lower case, without what may be ignored.
    package static let entries: [Entry] = canonical + app + scene + activity + view + any

    /// An edge's own name is always a name in its scope.
    private static let canonical: [Entry] =
        Edge.allCases
        .filter { ![.unknown, .tick].contains($0) }
        .map { Entry($0.name, $0) }

    private static let app: [Entry] = [
        Entry("didfinishlaunching", .launch),
        Entry("created", .launch),
        Entry("android.app.state=created", .launch),
        Entry("willenterforeground", .enterForeground),
        Entry("ios.app.state=foreground", .enterForeground),
        Entry("didbecomeactive", .activate),
        Entry("ios.app.state=active", .activate),
        Entry("resumed", .activate),
        Entry("active", .activate, bridgedOnly: true),
        Entry("willresignactive", .resign),
        Entry("ios.app.state=inactive", .resign),
        Entry("inactive", .resign),
        Entry("didenterbackground", .enterBackground),
        Entry("ios.app.state=background", .enterBackground),
        Entry("paused", .enterBackground),
        Entry("hidden", .enterBackground),
        Entry("background", .enterBackground, bridgedOnly: true),
        Entry("willterminate", .terminate),
        Entry("ios.app.state=terminate", .terminate),
        Entry("detached", .terminate),
        Entry("app.crash", .exit),
        Entry("device.crash", .exit),
    ]

    private static let scene: [Entry] = [
        Entry("willconnect", .sceneConnect),
        Entry("willenterforeground", .sceneEnterForeground),
        Entry("didbecomeactive", .sceneActivate),
        Entry("willresignactive", .sceneResign),
        Entry("didenterbackground", .sceneEnterBackground),
        Entry("diddisconnect", .sceneDisconnect),
    ]

    private static let activity: [Entry] = [
        Entry("oncreate", .activityCreate), Entry("created", .activityCreate),
        Entry("onstart", .activityStart), Entry("started", .activityStart),
        Entry("onrestart", .activityRestart), Entry("restarted", .activityRestart),
        Entry("onresume", .activityResume), Entry("resumed", .activityResume),
        Entry("onpause", .activityPause), Entry("paused", .activityPause),
        Entry("onstop", .activityStop), Entry("stopped", .activityStop),
        Entry("ondestroy", .activityDestroy), Entry("destroyed", .activityDestroy),
        Entry("ontopresumedactivitychanged(true)", .activityTopResumed),
        Entry("ontopresumedactivitychanged(false)", .activityTopLost),
    ]

    private static let view: [Entry] = [
        Entry("loadview", .viewLoadView),
        Entry("viewdidload", .viewDidLoad),
        Entry("viewwillappear", .viewWillAppear),
        Entry("viewisappearing", .viewIsAppearing),
        Entry("viewdidappear", .viewDidAppear),
        Entry("viewwilldisappear", .viewWillDisappear),
        Entry("viewdiddisappear", .viewDidDisappear),
    ]

    private static let any: [Entry] = [
        Entry("resourcestart", .resourceStart),
        Entry("resourcestop", .resourceStop),
        Entry("overlayshown", .overlayShown),
        Entry("overlayhidden", .overlayHidden),
    ]
}
