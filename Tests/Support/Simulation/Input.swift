import BrokerModel

/// Telemetry of a few devices, legal or not, as it comes to the input topic.
struct Input {
    private var random: Random
    private let plan: Plan
    private var devices: [Device]
    private var written = 0
    private var stream: Int64 = SimulatedScheduler.epoch
    private var held: [(partition: Int, text: String)] = []

    private struct Device {
        var sequence = 0
        var process = 0
        var last = ""
    }

    /// At most so many events are in a record.
    static let eventsOfRecord = 2

    private static let names = [
        "didFinishLaunching", "willEnterForeground", "didBecomeActive", "didBecomeActive", "willResignActive",
        "didEnterBackground", "heartbeat", "heartbeat", "heartbeat", "purchase", "willTerminate",
    ]

    init(_ plan: Plan, _ random: Random) {
        self.plan = plan
        self.random = random
        devices = Array(repeating: Device(), count: plan.devices)
    }

    var isOver: Bool { written >= plan.events }

    /// Records that come within the next `milliseconds`, by partition.
    mutating func next(_ milliseconds: Int64) -> [(partition: Int32, record: Record)] {
        stream += milliseconds * plan.pace
        let share = Double(plan.events) * Double(milliseconds) / Double(plan.length)
        var records: [(Int32, Record)] = []
        for _ in 0..<Int(share.rounded(.up)) where !isOver {
            let device = random.below(devices.count)
            let place = place(device)
            if isSilent, isQuiet(place) {
                written += 1
                continue
            }
            records.append((place, record(device)))
        }
        return records
    }

    /// A last sign of life in every partition, by which what was held back has been folded.
    mutating func last(_ partitions: Int32) -> [(partition: Int32, record: Record)] {
        stream += 3_600_000
        return (0..<partitions).filter { !plan.hasSilence || !isQuiet($0) }.map { partition in
            let text = "{\"device_id\":\"z\(partition)\",\"app_id\":\"z\",\"event\":\"heartbeat\",\"ts\":\(stream)}"
            return (partition, Self.record("z\(partition)", text, stream))
        }
    }

    private var isSilent: Bool {
        let time = stream - SimulatedScheduler.epoch
        return plan.hasSilence && (plan.length / 4..<plan.length * 3 / 4).contains(time)
    }

    private func isQuiet(_ partition: Int32) -> Bool { partition == plan.partitions - 1 }

    /// Always the same of one device, or any where records have no key.
    private mutating func place(_ device: Int) -> Int32 {
        plan.isKeyed ? Int32(device) % plan.partitions : Int32(random.below(Int(plan.partitions)))
    }

    private mutating func record(_ device: Int) -> Record {
        written += 1
        var text = event(device)
        if random.happens(0.05), !devices[device].last.isEmpty { text = devices[device].last }
        devices[device].last = text
        if random.happens(0.1) { text = "[\(text),\(event(device))]" }
        if random.happens(0.02) { text = random.pick(["{\"event\":", "[1,2]", "nothing", "{\"device_id\":7}"]) }
        if random.happens(0.01) { text += String(repeating: " ", count: 5000) }
        let isEmpty = random.happens(0.01)
        let received = stream + random.number(0...200) - (random.happens(0.02) ? 86_400_000 : 0)
        var record = Self.record("d\(device)", text, received)
        if isEmpty { record.value = nil }
        return record
    }

    private static func record(_ key: String, _ text: String, _ time: Int64) -> Record {
        Record(key: Array(key.utf8), value: Array(text.utf8), timestamp: time)
    }

    private mutating func event(_ device: Int) -> String {
        let name = random.pick(Self.names)
        if name == "didFinishLaunching" {
            devices[device].process += 1
            devices[device].sequence = 0
        }
        devices[device].sequence += random.happens(0.04) ? 2 : 1
        var time = stream + random.number(-3000...200)
        if random.happens(0.02) { time += random.pick([-400 * 86_400_000, -3_600_000, 86_400_000 * 30, 600_000]) }
        let version = plan.versions > 0 ? "\"app_version\":\"v\(random.below(plan.versions))\"," : ""
        return "{\"device_id\":\"d\(device)\",\"app_id\":\"a\(device % 3)\",\(version)"
            + "\"event\":\"\(name)\",\"ts\":\(time),"
            + "\"seq\":\(devices[device].sequence),\"process_id\":\"p\(devices[device].process)\"}"
    }
}
