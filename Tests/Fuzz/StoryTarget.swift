import Lifecycle

/// Events that can all be read, in whatever order: four bytes an event say what happened, to whom, how much later
/// and how it came. So the machines are reached whatever a mutation does.
enum StoryTarget {
    static func take(_ bytes: [UInt8]) {
        guard bytes.count > 6 else { return }
        let traits = Traits(bytes[0])
        var settings = ["group.by": "app_id,app_version", "window.sizes": "1h"]
        if bytes[1] & 1 != 0 { settings["reorder.delay"] = "2s" }
        if bytes[1] & 2 != 0 { settings["instances.limit"] = "2" }
        if bytes[1] & 4 != 0 { settings["reorder.buffer"] = "3" }
        if bytes[1] & 8 != 0 { settings["state.ttl"] = "1h" }
        var story = Story(traits: traits)
        var records: [[UInt8]] = []
        for start in stride(from: 2, through: bytes.count - 4, by: 4) {
            records.append(story.record(bytes[start..<(start + 4)]))
        }
        var whole = PartitionRun(settings)
        var cut = PartitionRun(settings)
        for record in records {
            whole.ingest(record, timestamp: Event.absent)
            cut.ingest(record, timestamp: Event.absent)
            cut.closeEpoch()
        }
        let events = story.events
        check(
            whole.finish(events: events) == cut.finish(events: events),
            "the cut of the epochs changes the rows")
    }
}

/// What the source of a story sends.
private struct Traits {
    let numbers: Bool
    let processes: Bool
    let monotonic: Bool
    let sendTimes: Bool
    let ids: Bool
    let receives: Bool
    let sessions: Bool
    let boots: Bool

    init(_ byte: UInt8) {
        func bit(_ number: UInt8) -> Bool { byte >> number & 1 == 1 }
        (numbers, processes, monotonic, sendTimes) = (bit(0), bit(1), bit(2), bit(3))
        (ids, receives, sessions, boots) = (bit(4), !bit(5), bit(6), bit(7))
    }
}

private struct Story {
    let traits: Traits
    private(set) var events = 0
    private var time: Int64 = 1_767_225_600_000
    private var sequence: Int64 = 0
    private var process = 0
    private var before = ""

    private static let edges = Edge.allCases.filter { $0 != .tick }
    private static let steps: [Int64] = [
        0, 1, 300, 699, 700, 701, 999, 1000, 1001, 2000, 5001, 10_000, 10_001, 60_001, 300_001, 1_800_001, 3_700_000,
        -1, -500, -1001, -5000, -61_000, -3_700_000, 90_000_000,
    ]

    init(traits: Traits) { self.traits = traits }

    /// What four bytes tell: a record of one event, or of one and that before it.
    mutating func record(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let (what, who, when, how) = (
            bytes[bytes.startIndex], bytes[bytes.startIndex + 1], bytes[bytes.startIndex + 2],
            bytes[bytes.startIndex + 3]
        )
        let repeats = how & 0x3F == 1
        let object = repeats && !before.isEmpty ? before : event(what, who, when, how)
        let isPair = how & 0x3F == 2 && !before.isEmpty
        let text = isPair ? "[\(object),\(before)]" : object
        events += isPair ? 2 : 1
        before = object
        return Array(text.utf8)
    }

    private mutating func event(_ what: UInt8, _ who: UInt8, _ when: UInt8, _ how: UInt8) -> String {
        let edge = Self.edges[Int(what) % Self.edges.count]
        time += Self.steps[Int(when) % Self.steps.count]
        if edge == .launch || how & 0x3F == 3 { process += 1 }
        sequence += how & 0x3F == 4 ? 2 : how & 0x3F == 5 ? -1 : 1
        var fields = ["\"device_id\":\"d\(who & 1)\",\"app_id\":\"a\",\"event\":\"\(edge.name)\",\"ts\":\(time)"]
        if let scope = edge.scope ?? (who & 0x80 == 0 ? nil : .view) { fields.append("\"scope\":\"\(scope.name)\"") }
        if who & 2 == 0 { fields.append("\"instance\":\"i\(who >> 2 & 3)\"") }
        if who & 0x10 == 0 { fields.append("\"class\":\"c\(who >> 3 & 1)\"") }
        if who & 0x20 != 0 { fields.append("\"resource\":\"\(["camera", "network"][Int(who >> 6 & 1)])\"") }
        if how & 0xC0 == 0x40 { fields.append("\"bridged\":true") }
        if how & 0xC0 == 0x80 { fields.append("\"prewarm\":true") }
        if how & 0x3F == 6 { fields.append("\"handler_ms\":5001.5,\"reason\":\"call\",\"exit_reason\":\"oom\"") }
        fields += identity()
        let delay: Int64 = how & 0x3F == 7 ? 90_000 : how & 0x3F == 8 ? -400_000 : 0
        if traits.receives { fields.append("\"rx_ts\":\(time + delay)") }
        if traits.sendTimes { fields.append("\"sent_ts\":\(time - (how & 0x3F == 9 ? 400_000 : 100))") }
        return "{" + fields.joined(separator: ",") + "}"
    }

    private func identity() -> [String] {
        var fields: [String] = []
        if traits.numbers { fields.append("\"seq\":\(max(0, sequence))") }
        if traits.processes { fields.append("\"process_id\":\"p\(process)\"") }
        if traits.sessions { fields.append("\"session_id\":\"s\(process / 2)\"") }
        if traits.boots { fields.append("\"boot_id\":\"b\(process / 3)\"") }
        if traits.monotonic { fields.append("\"mono_ms\":\(time - 1_767_000_000_000)") }
        if traits.ids { fields.append("\"event_id\":\"e\(sequence)\"") }
        return fields
    }
}
