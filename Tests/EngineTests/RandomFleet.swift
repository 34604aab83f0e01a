import Lifecycle

/// Records of a few installations whose edges are drawn at random, legal or not, with faults on their way.
///
/// What is drawn is kept to what the specification decides: a clock that is set comes without send times, and the
/// events of one record were sent and received together.
struct RandomFleet {
    enum Kind: String, CaseIterable {
        case app, scenes, activities, views, resources, bridges, exits, mixed
    }

    /// What the source of the fleet sends, and what befalls it on the way.
    struct Traits {
        var numbers = false
        var processes = false
        var boots = false
        var monotonic = false
        var sendTimes = false
        var ids = false
        var receives = true
        var repeats = true
        var disorders = false
        var packs = false
        var setsClocks = true
        /// Every device is heard of again long after all else.
        var closes = false
    }

    var records: [[UInt8]] = []
    var settings = ["group.by": "app_id", "window.sizes": "1h"]
    private(set) var traits = Traits()

    private var random: SeededGenerator
    private var devices: [DeviceState]
    private var time: Int64 = 0
    private static let epoch: Int64 = 1_698_000_000_000

    private struct DeviceState {
        var sequence = 0
        var process = 1
        var boot = 1
        var clock: Int64 = 0
    }

    private struct Line {
        var fields: [(String, String)]
        var received: Int64
    }

    init(seed: UInt64, kind: Kind) {
        var random = SeededGenerator(seed: seed)
        let count = random.pick([1, 2, 3])
        let traits = Traits(
            numbers: random.happens(0.5), processes: random.happens(0.4), boots: random.happens(0.2),
            monotonic: random.happens(0.3), sendTimes: random.happens(0.25), ids: random.happens(0.2),
            receives: random.happens(0.85), disorders: random.happens(0.4), packs: random.happens(0.3))
        self.init(random, kind: kind, devices: count, traits: traits)
        if self.random.happens(0.25) { settings["reorder.delay"] = "2s" }
    }

    init(_ random: SeededGenerator, kind: Kind, devices count: Int, traits: Traits) {
        self.random = random
        self.traits = traits
        devices = Array(repeating: DeviceState(), count: count)
        var lines: [Line] = []
        for number in 0..<self.random.pick([5, 10, 20, 40]) { lines += draw(number, kind) }
        if traits.disorders { disorder(&lines) }
        if traits.closes { lines += closing() }
        pack(lines)
        end()
    }

    // MARK: Drawing

    private mutating func draw(_ number: Int, _ kind: Kind) -> [Line] {
        let device = Int.random(in: 0..<devices.count, using: &random)
        time += random.pick([
            1, 100, 300, 500, 699, 700, 701, 1000, 2000, 5000, 10_000, 11_000, 60_000, 61_000, 300_000, 1_801_000,
            7_200_000,
        ])
        var fields = event(of: kind == .app || random.happens(0.5) ? .app : kind)
        let isLaunch = fields.contains { $0.1 == "\"didFinishLaunching\"" }
        if isLaunch, random.happens(0.7) { succeed(device) }
        if isLaunch, random.happens(0.2) { fields.append(("prewarm", "true")) }
        if traits.processes, random.happens(0.03) { succeed(device) }
        if traits.boots, random.happens(0.03) { devices[device].boot += 1 }
        if random.happens(0.2) { fields.append(("reason", random.pick(["\"call\"", "\"message\""]))) }
        if random.happens(0.1) { fields.append(("handler_ms", random.pick(["4000", "5000", "5001"]))) }
        if traits.setsClocks, !traits.sendTimes, random.happens(0.03) {
            devices[device].clock += random.pick([-3_600_000, 3_600_000, -5000, 5000])
        }
        let stamp = Self.epoch + time + devices[device].clock
        fields += [("device_id", "\"d\(device)\""), ("app_id", "\"a\""), ("ts", String(stamp))]
        fields += identity(device, number)
        let line = Line(fields: fields, received: Self.epoch + time + 200)
        guard traits.repeats, random.happens(0.05) else { return [line] }
        return [line, Line(fields: fields, received: line.received + 200)]
    }

    /// A last sign of life of every device, by which every limit has passed.
    private mutating func closing() -> [Line] {
        time += 4 * 3_600_000
        return devices.indices.map { device in
            let stamp = Self.epoch + time + devices[device].clock
            let named = [
                ("event", "\"heartbeat\""), ("device_id", "\"d\(device)\""), ("app_id", "\"a\""), ("ts", "\(stamp)"),
            ]
            return Line(fields: named + identity(device, 1000 + device), received: Self.epoch + time + 200)
        }
    }

    private mutating func succeed(_ device: Int) {
        devices[device].process += 1
        if traits.processes { devices[device].sequence = 0 }
    }

    private mutating func identity(_ device: Int, _ number: Int) -> [(String, String)] {
        var fields: [(String, String)] = []
        if traits.processes { fields.append(("process_id", "\"p\(devices[device].process)\"")) }
        if traits.numbers {
            devices[device].sequence += traits.disorders && random.happens(0.05) ? 2 : 1
            fields.append(("seq", String(devices[device].sequence)))
        }
        if traits.monotonic { fields.append(("mono_ms", String(time + 1000))) }
        if traits.monotonic || traits.boots { fields.append(("boot_id", "\"b\(devices[device].boot)\"")) }
        if traits.ids { fields.append(("event_id", "\"e\(number)\"")) }
        return fields
    }

    private static let names: [Kind: [String]] = [
        .app: [
            "didFinishLaunching", "willEnterForeground", "didBecomeActive", "willResignActive",
            "didEnterBackground", "willTerminate", "heartbeat", "purchase",
        ],
        .scenes: [
            "sceneWillConnect", "sceneWillEnterForeground", "sceneDidBecomeActive", "sceneWillResignActive",
            "sceneDidEnterBackground", "sceneDidDisconnect", "active", "inactive", "background",
        ],
        .activities: ["onCreate", "onStart", "onRestart", "onResume", "onPause", "onStop", "onDestroy"],
        .views: [
            "loadView", "viewDidLoad", "viewWillAppear", "viewIsAppearing", "viewDidAppear", "viewWillDisappear",
            "viewDidDisappear", "deinit",
        ],
        .resources: ["resourceStart", "resourceStop", "overlay_shown", "overlay_hidden"],
        .bridges: ["resumed", "inactive", "paused", "hidden", "detached"],
        .exits: ["exit"],
    ]

    private mutating func event(of kind: Kind) -> [(String, String)] {
        guard let names = Self.names[kind] else {
            return event(of: random.pick([.scenes, .activities, .views, .resources, .bridges, .exits]))
        }
        let name = random.pick(names)
        return [("event", "\"\(name)\"")] + details(kind, name)
    }

    /// The fields that an event of the kind has besides its name.
    private mutating func details(_ kind: Kind, _ name: String) -> [(String, String)] {
        switch kind {
        case .scenes:
            return [("scope", "\"scene\""), ("instance", random.pick(["\"s1\"", "\"s2\""]))]
        case .activities:
            let (instance, className) = random.pick([("m1", "M"), ("m2", "M"), ("n1", "N")])
            let named = ("class", "\"\(className)\"")
            let isAnonymous = random.happens(0.1)
            return [("scope", "\"activity\"")] + (isAnonymous ? [named] : [("instance", "\"\(instance)\""), named])
        case .views:
            let isAnonymous = random.happens(0.1)
            let hasClass = isAnonymous || random.happens(0.5)
            return [("scope", "\"view\"")] + (hasClass ? [("class", "\"C\"")] : [])
                + (isAnonymous ? [] : [("instance", random.pick(["\"v1\"", "\"v2\""]))])
        case .resources:
            guard name.hasPrefix("resource") else { return [] }
            let resource = random.pick(["\"camera\"", "\"network\"", "\"bluetooth\""])
            guard random.happens(0.2) else { return [("resource", resource)] }
            return [("resource", "\"observer\""), ("scope", "\"view\""), ("instance", "\"v1\"")]
        case .bridges:
            return [("bridged", "true")]
        case .exits:
            return random.happens(0.5) ? [("exit_reason", "\"oom\"")] : []
        case .app, .mixed:
            return []
        }
    }

    // MARK: On the way

    private mutating func disorder(_ lines: inout [Line]) {
        for index in lines.indices.dropLast() where random.happens(0.15) {
            let received = lines[index].received
            lines[index].received = lines[index + 1].received
            lines[index + 1].received = received
            lines.swapAt(index, index + 1)
        }
    }

    private mutating func pack(_ lines: [Line]) {
        var index = 0
        while index < lines.count {
            let isPack = traits.receives && traits.packs && random.happens(0.5)
            let count = isPack ? min(random.pick([2, 3, 5]), lines.count - index) : 1
            let group = lines[index..<(index + count)]
            let received = group.map(\.received).max() ?? 0
            let objects = group.map { object($0.fields, received: received) }
            records.append(Array((count == 1 ? objects[0] : "[\(objects.joined(separator: ","))]").utf8))
            index += count
        }
    }

    private func object(_ fields: [(String, String)], received: Int64) -> String {
        var all = fields
        if traits.receives { all.append(("rx_ts", String(received))) }
        // The events of one record were sent together.
        if traits.sendTimes { all.append(("sent_ts", String(received - 150))) }
        return "{" + all.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    /// Another installation moves stream time on.
    private mutating func end() {
        guard traits.receives else { return }
        let last = Self.epoch + time + random.pick([300, 5000, 12_000, 75_000, 2_000_000])
        let fields = [
            ("device_id", "\"z\""), ("app_id", "\"z\""), ("event", "\"heartbeat\""), ("ts", String(last)),
        ]
        records.append(Array(object(fields, received: last).utf8))
    }
}
