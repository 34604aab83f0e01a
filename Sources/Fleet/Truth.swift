package import Lifecycle

/// The figures that must come out for one fleet: written down by the simulated devices as things happen to them, from
/// what they know, with no state machine that reads events.
///
/// One row for each window and group in which anything happened. Memory grows with rows and with the number of
/// durations (four bytes each), so that quantiles and histograms can be told exactly.
package struct Truth: Sendable {
    /// How a truth is divided.
    package struct Shape: Sendable {
        /// The dimensions to group by, in this order.
        package var groupBy: [Dimension] = [.app, .platform, .appVersion]
        /// Sizes of windows, ms; up to four.
        package var windows: [Int64] = [60_000]
        /// How long after its end a window still takes what comes, ms of stream time.
        package var grace: Int64 = 6 * 3_600_000

        package init() {}
    }

    /// When and for whom something counts.
    struct Moment {
        /// Corrected time, ms since the epoch: which window.
        var time: Int64
        /// Stream time at that moment, ms since the epoch: whether the window still takes it.
        var stream: Int64
        /// Number of the profile: which group.
        var profile: UInt16
    }

    private struct Key: Hashable {
        var window: Int64
        var size: Int32
        var group: Int32
    }

    package let shape: Shape
    let groups: [[String]]
    private let groupOfProfile: [Int32]
    private let grace: Int64
    private var places: [Key: Int] = [:]
    private(set) var rows: ContiguousArray<TruthRow> = []
    /// For each size and device the numbers of the last windows in which it was counted, the latest first. What is told
    /// of an earlier time, as of a death, lies no more than two windows back.
    private var counted: [ContiguousArray<SIMD4<Int32>>]
    private let firstWindow: [Int64]

    /// - Parameter isTimed: whether events bear receive times; without them nothing is ever final.
    init(shape: Shape, isTimed: Bool, profiles: [Profile], devices: Int, start: Int64) {
        precondition((1...4).contains(shape.windows.count), "a truth has one to four sizes of windows")
        self.shape = shape
        grace = isTimed ? shape.grace : .max / 2
        var groups: [[String]] = []
        groupOfProfile = profiles.map { profile in
            let values = shape.groupBy.map { profile.value(of: $0) }
            if let known = groups.firstIndex(of: values) { return Int32(known) }
            groups.append(values)
            return Int32(groups.count - 1)
        }
        self.groups = groups
        counted = shape.windows.map { _ in ContiguousArray(repeating: SIMD4(), count: devices) }
        firstWindow = shape.windows.map { start / $0 - 1_000_000 }
    }

    /// Changes the row of each size of window that still takes it.
    @inline(__always)
    mutating func change(_ moment: Moment, _ body: (inout TruthRow) -> Void) {
        for size in shape.windows.indices {
            guard let place = place(moment, size: size) else { continue }
            body(&rows[place])
        }
    }

    /// An event with a known name, or with an unknown one; of a device that is numbered `device`.
    ///
    /// Where its windows of all sizes are final, it is late: counted in the window of its receive time.
    mutating func event(_ moment: Moment, device: Int, known: Bool) {
        if shape.windows.allSatisfy({ isFinal(moment, size: $0) }) {
            let late = Moment(time: moment.stream, stream: moment.stream, profile: moment.profile)
            change(late) { $0.lateEvents += 1 }
            return anomaly(.lateEvent, late)
        }
        for size in shape.windows.indices {
            guard let place = place(moment, size: size) else { continue }
            if known { rows[place].events += 1 } else { rows[place].eventsOther += 1 }
            let window = Int32(truncatingIfNeeded: rows[place].start / shape.windows[size] - firstWindow[size])
            let before = counted[size][device]
            if before[0] != window, before[1] != window, before[2] != window, before[3] != window {
                counted[size][device] = SIMD4(window, before[0], before[1], before[2])
                rows[place].devices += 1
            }
        }
    }

    mutating func count(_ counter: Counter, _ moment: Moment) {
        change(moment) { $0.counters[Int(counter.rawValue)] += 1 }
    }

    mutating func anomaly(_ anomaly: Anomaly, _ moment: Moment, count: Int64 = 1) {
        change(moment) { $0.anomalies[Int(anomaly.rawValue)] += count }
    }

    mutating func latency(_ latency: Latency, _ duration: Int64, _ moment: Moment) {
        change(moment) { $0.latencies[Int(latency.rawValue)].add(duration) }
    }

    mutating func interval(_ kind: IntervalKind, _ duration: Int64, _ moment: Moment) {
        change(moment) { $0.intervals[Int(kind.rawValue)].add(duration) }
    }

    mutating func inferred(_ phase: Phase, _ duration: Int64, _ moment: Moment) {
        change(moment) { $0.inferred[Int(phase.rawValue)].add(duration) }
    }

    mutating func inactive(_ way: InactiveClass, _ duration: Int64, reason: Reason, _ moment: Moment) {
        change(moment) { row in
            row.inactive.add(duration)
            row.inactiveByClass[Int(way.rawValue)].add(duration)
            if reason != .none { row.inactiveByReason[Int(reason.rawValue)].add(duration) }
        }
    }

    mutating func exit(_ reason: StaticString, _ moment: Moment) {
        change(moment) { $0.exits["\(reason)", default: 0] += 1 }
    }

    private func isFinal(_ moment: Moment, size: Int64) -> Bool {
        moment.stream > (moment.time / size + 1) * size + grace
    }

    private mutating func place(_ moment: Moment, size: Int) -> Int? {
        let length = shape.windows[size]
        let window = moment.time / length
        if isFinal(moment, size: length) { return nil }
        let key = Key(window: window, size: Int32(size), group: groupOfProfile[Int(moment.profile)])
        if let place = places[key] { return place }
        rows.append(TruthRow(start: window * length, size: length, group: key.group))
        places[key] = rows.count - 1
        return rows.count - 1
    }
}

/// The figures of one window and group.
struct TruthRow: Sendable {
    /// ms since the epoch.
    let start: Int64
    /// ms.
    let size: Int64
    let group: Int32
    var devices = 0
    var events = 0
    var eventsOther = 0
    var lateEvents = 0
    var counters = [Int64](repeating: 0, count: Counter.allCases.count)
    var inactive = Durations()
    var latencies = [Durations](repeating: Durations(), count: Latency.allCases.count)
    var inactiveByClass = [Tally](repeating: Tally(), count: InactiveClass.allCases.count)
    var inactiveByReason = [Tally](repeating: Tally(), count: Reason.allCases.count)
    var intervals = [Tally](repeating: Tally(), count: IntervalKind.allCases.count)
    var inferred = [Tally](repeating: Tally(), count: Phase.allCases.count)
    var anomalies = [Int64](repeating: 0, count: Anomaly.allCases.count)
    var exits: [String: Int] = [:]

    init(start: Int64, size: Int64, group: Int32) {
        self.start = start
        self.size = size
        self.group = group
    }
}

/// How many durations and their sum, ms.
struct Tally: Sendable, Equatable {
    var count: Int64 = 0
    var sum: Int64 = 0

    mutating func add(_ duration: Int64) {
        count += 1
        sum += duration
    }
}

/// Durations one by one, ms.
struct Durations: Sendable, Equatable {
    var values: ContiguousArray<UInt32> = []

    mutating func add(_ duration: Int64) { values.append(UInt32(clamping: duration)) }
}

extension Profile {
    func value(of dimension: Dimension) -> String {
        switch dimension {
        case .app: app
        case .platform: platform
        case .appVersion: appVersion
        case .osVersion: osVersion
        case .deviceModel: deviceModel
        }
    }
}

/// Why an app became inactive.
enum Reason: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case none
    case appSwitcher
    case call
    case controlCenter
    case dialog
    case message
    case notificationCenter
    case permission
    case systemAlert

    var name: StaticString {
        switch self {
        case .none: ""
        case .appSwitcher: "app_switcher"
        case .call: "call"
        case .controlCenter: "control_center"
        case .dialog: "dialog"
        case .message: "message"
        case .notificationCenter: "notification_center"
        case .permission: "permission"
        case .systemAlert: "system_alert"
        }
    }
}
