import Glibc
import Lifecycle

/// What the lines read so far tell about those to come: which package a pid is, which year a date is in.
///
/// Bounded: of pids and of processes by name the last ``processLimit`` ÷ 2 at least are remembered, over all devices,
/// of devices the last ``deviceLimit`` ÷ 2, and ``launchTimeLimit`` launch times. A pid that is forgotten is as one
/// never seen: its next line is judged without what the log told about it. Ids in it are those of one ``Lexicon``.
package struct LogcatContext {
    package static let processLimit = 1 << 16
    package static let deviceLimit = 1 << 15
    package static let launchTimeLimit = 10_000

    /// A launch as the system itself measured it (`wm_activity_launch_time`).
    package struct LaunchTime: BitwiseCopyable, Sendable, Equatable {
        /// ``StableHash`` of the device's id.
        package var device: UInt64
        /// The app, as id in ``Lexicon/texts``: the package of the component launched.
        package var app: UInt32
        /// The activity's token, as it stands in ``Event/instance``.
        package var instance: UInt64
        /// When the line was written, ms since the epoch.
        package var time: Int64
        /// ms.
        package var duration: Int64
    }

    /// The launches that the system measured, in the order of their lines.
    package private(set) var launchTimes: [LaunchTime] = []
    /// Launch times past ``launchTimeLimit``.
    package private(set) var launchTimesLeftOut = 0
    /// Pids that were forgotten for want of room.
    package var processesForgotten: Int { processes.forgotten }

    var processes = RecentTable<LogcatProcess>(limit: processLimit, blank: LogcatProcess())
    /// The pid last seen of a process, by device and name.
    var pids = RecentTable<LogcatPID>(limit: processLimit, blank: LogcatPID(hash: 0, key: 0))
    private var clocks = RecentTable<Clock>(limit: deviceLimit, blank: Clock(year: 0, last: 0))
    /// From a `packageName:` header, until the end of the file or record.
    var headerApp: LogcatApp?

    private struct Clock: BitwiseCopyable {
        /// That of the line before.
        var year: Int
        /// The time of the line before, ms since the epoch.
        var last: Int64
    }

    /// 182.5 days in ms.
    private static let halfYear: Int64 = 15_768_000_000

    /// Of every device's first line; nil where its receipt is to tell it.
    private let firstYear: Int?

    init(firstYear: Int?) {
        self.firstYear = firstYear
    }

    /// When a line of a device was written, ms since the epoch.
    ///
    /// - Parameter received: the record's timestamp, ms since the epoch, or ``Event/absent``.
    mutating func time(of stamp: LogcatStamp, device: UInt64, received: Int64) -> Int64 {
        var clock = clocks[device] ?? Clock(year: year(ofFirstLine: received), last: Int64.min)
        var time = stamp.time(inYear: clock.year)
        if stamp.epoch == nil, stamp.year == 0, clock.last > time, clock.last - time > Self.halfYear {
            clock.year += 1
            time = stamp.time(inYear: clock.year)
        }
        clock.last = time
        clocks.set(device, clock)
        return time
    }

    /// As set, else that of the record's receipt, else the current one.
    private func year(ofFirstLine received: Int64) -> Int {
        if let firstYear { return firstYear }
        let milliseconds = received == Event.absent ? Int64(Glibc.time(nil)) * 1000 : received
        return Decoding.year(ofDay: milliseconds / 86_400_000)
    }

    mutating func note(_ launchTime: LaunchTime) {
        if launchTimes.count < Self.launchTimeLimit {
            launchTimes.append(launchTime)
        } else {
            launchTimesLeftOut += 1
        }
    }
}

/// An app's id: as text for the output, as hash for the installation.
struct LogcatApp: BitwiseCopyable {
    var text: UInt32
    var hash: UInt64
}

/// What is known of one pid of one device.
struct LogcatProcess: BitwiseCopyable {
    /// Counts the processes that were given the number.
    var generation: UInt64 = 0
    /// ``StableHash`` of the process name; 0 until it is told.
    var name: UInt64 = 0
    /// The package, once a start or a bind of the process has told it.
    var package: LogcatApp?
    /// The app of its last edge.
    var edgesApp: LogcatApp?
    /// When its last callback was over, ms since the epoch.
    var lastEdge = Int64.min
    /// When it was started, ms since the epoch.
    var started = Int64.min
    /// The process name has a colon: it runs beside the app.
    var isAside = false
    /// An exit has been told.
    var isDead = false
    /// It did not respond; why it ends, if it ends.
    var isNotResponding = false
}

extension LogcatProcess {
    /// The process's id: the pid's, and one of its own for each process that is given the number anew.
    func id(_ pid: UInt64) -> UInt64 { generation == 0 ? pid : StableHash.combine(pid, generation) }
}

/// A pid of a device.
struct LogcatPID: BitwiseCopyable {
    /// ``StableHash`` of its decimal text.
    var hash: UInt64
    /// Its place in ``LogcatContext/processes``.
    var key: UInt64
}

/// A device, hashed.
struct LogcatDevice: BitwiseCopyable {
    private let hash: DeviceHash

    var first: UInt64 { hash.low }

    init(_ bytes: RawSpan) { hash = DeviceHash(bytes) }

    init(_ text: String) {
        var text = text
        self = text.withUTF8 { LogcatDevice(unsafe RawSpan(_unsafeElements: $0)) }
    }

    func installation(of app: LogcatApp) -> InstallationKey {
        InstallationKey(device: hash, app: app.hash)
    }

    func pid(_ text: RawSpan) -> LogcatPID {
        let hash = StableHash.hash(text)
        return LogcatPID(hash: hash, key: StableHash.combine(first, hash))
    }

    /// The place of a process name in ``LogcatContext/pids``.
    func key(name: UInt64) -> UInt64 { StableHash.combine(first, name) }

    /// The place in ``LogcatContext/processes`` of a process of which only its name is known.
    func key(crashOf name: UInt64) -> UInt64 { StableHash.combine(name, first) }
}
