import Foundation

/// The Android event log: lines of `adb logcat -b events`, read in the order of their file.
struct LogcatInput {
    private let options: Options
    private let device: String
    private var year: Int
    private var before: Int?
    private var header: String?
    private var pids: [Int: Pid] = [:]
    private var lastPidOfProcess: [String: Int] = [:]

    /// What the log told of one number.
    private struct Pid {
        var process: String?
        /// Which process that had this number.
        var generation = 0
        var app: String?
        var lastLine: Int?
        var isDead = false
        var notResponding = false

        /// A process whose name has a colon runs beside the app.
        var isPassedOver: Bool { process?.contains(":") ?? false }
        var package: String? { process.map { String($0.prefix { $0 != ":" }) } }
    }

    init(options: Options, file: String) {
        self.options = options
        device = options.text("input.default_device_id") ?? file
        year = options.text("logcat.year").flatMap { Int($0) } ?? Self.currentYear()
    }

    private static func currentYear() -> Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar.component(.year, from: Date())
    }

    /// Whether a line is one of a log: it has a stamp, or is a divider or a header.
    static func isLog(_ line: String) -> Bool {
        line.hasPrefix("--------- ") || line.hasPrefix("packageName:") || LogLine.stamp(line) != nil
    }

    mutating func event(of line: String, rejected: inout [String: Int]) -> Event? {
        if line.hasPrefix("packageName:") {
            let name = line.dropFirst("packageName:".count).trimmingCharacters(in: .whitespaces)
            header = String(name.prefix { $0 != ":" })
            return nil
        }
        guard let log = LogLine(line) else { return nil }
        let time = time(of: log.stamp)
        guard let kind = Self.kind(of: log.tag) else { return nil }
        guard let fields = log.fields, let event = read(kind, fields, log, time) else {
            rejected["invalid_logcat", default: 0] += 1
            return nil
        }
        return event.isNothing ? nil : event.event
    }

    private mutating func time(of stamp: LogLine.Stamp) -> Int {
        switch stamp {
        case .epoch(let time): return time
        case .date(let month, let day, let timeOfDay):
            var time = (Instant.milliseconds(year: year, month: month, day: day) ?? 0) + timeOfDay
            if let before, time < before - 365 * 43_200_000 {
                year += 1
                time = (Instant.milliseconds(year: year, month: month, day: day) ?? 0) + timeOfDay
            }
            before = time
            return time
        }
    }

    // MARK: Kinds of lines

    private enum Kind {
        case edge(Edge, namesUser: Bool)
        case processStart, processBound, died, kill, crash, notResponding
    }

    private static let edges: [String: Edge] = [
        "create": .create, "start": .start, "restart": .restart, "resume": .resume, "paused": .pause, "stop": .stop,
        "destroy": .destroy, "top_resumed_gained": .topResumed, "top_resumed_lost": .topLost,
    ]

    private static func kind(of tag: String) -> Kind? {
        switch tag {
        case "am_proc_start": return .processStart
        case "am_proc_bound": return .processBound
        case "am_proc_died": return .died
        case "am_kill": return .kill
        case "am_crash": return .crash
        case "am_anr": return .notResponding
        default:
            guard tag.hasSuffix("_called"), tag.hasPrefix("wm_on_") || tag.hasPrefix("am_on_") else { return nil }
            guard let edge = edges[String(tag.dropFirst(6).dropLast(7))] else { return nil }
            return .edge(edge, namesUser: tag.hasPrefix("am_"))
        }
    }

    /// What a readable line gives: an event, or nothing by itself.
    private struct Reading {
        var event: Event?
        var isNothing: Bool { event == nil }
        static var nothing: Reading { Reading() }
    }

    private mutating func read(_ kind: Kind, _ fields: LogFields, _ log: LogLine, _ time: Int) -> Reading? {
        switch kind {
        case .edge(let edge, let namesUser): return self.edge(edge, namesUser, fields, log, time)
        case .processStart:
            guard let pid = fields.number(1), let process = fields.text(3) else { return nil }
            pids[pid] = Pid(process: process, generation: (pids[pid]?.generation ?? -1) + 1)
            lastPidOfProcess[process] = pid
            return .nothing
        case .processBound:
            guard let pid = fields.number(1), let process = fields.text(2) else { return nil }
            pids[pid, default: Pid()].process = process
            lastPidOfProcess[process] = pid
            return .nothing
        case .died:
            guard let pid = fields.number(1), let process = fields.text(2) else { return nil }
            return exit(of: pid, process, reason: nil, time)
        case .kill:
            guard let pid = fields.number(1), let process = fields.text(2) else { return nil }
            return exit(of: pid, process, reason: fields.reason(from: 4), time)
        case .crash:
            guard let pid = fields.number(0), let process = fields.text(2) else { return nil }
            let crashed = pid == log.pid ? lastPidOfProcess[process] ?? pid : pid
            return exit(of: crashed, process, reason: "crash", time)
        case .notResponding:
            guard let pid = fields.number(1), fields.text(2) != nil else { return nil }
            pids[pid, default: Pid()].notResponding = true
            return .nothing
        }
    }

    // MARK: Edges

    private mutating func edge(
        _ edge: Edge, _ namesUser: Bool, _ fields: LogFields, _ log: LogLine, _ time: Int
    ) -> Reading? {
        guard let className = fields.named("Component Name") ?? fields.text(1), let first = fields.text(0) else {
            return nil
        }
        var instance = fields.named("Token")
        if !fields.areNamed {
            guard let number = Int(first) else { return nil }
            instance = namesUser || number < 1000 ? nil : first
        }
        var took: Double?
        if let told = fields.named("time") ?? (fields.areNamed ? nil : fields.text(3)) {
            guard let read = Self.milliseconds(told) else { return nil }
            took = read
        }
        var pid = pids[log.pid] ?? Pid()
        if pid.isPassedOver { return .nothing }
        let app = pid.package ?? header ?? options.text("input.default_app_id") ?? Self.package(of: className)
        let event = Event(device: device, app: app, name: log.tag, scope: .activity, edge: edge)
        event.ts = edge == .resume ? time : max(time - Int(took ?? 0), min(pid.lastLine ?? .min, time))
        event.instance = instance
        event.className = className
        event.handler = took
        event.process = Self.processID(log.pid, pid)
        event.group = group(app)
        pid.app = app
        pid.lastLine = time
        pids[log.pid] = pid
        if let package = pid.process ?? Optional(app) { lastPidOfProcess[package] = log.pid }
        return Reading(event: event)
    }

    /// A number comes back for another process once a start was told.
    private static func processID(_ number: Int, _ pid: Pid) -> String {
        pid.generation == 0 ? String(number) : "\(number) \(pid.generation)"
    }

    private func group(_ app: String) -> [String] {
        options.dimensions.map { $0 == "app_id" ? app : $0 == "platform" ? "android" : "" }
    }

    /// `9ms`, `5.2s`, or a bare number of milliseconds.
    private static func milliseconds(_ text: String) -> Double? {
        if text.hasSuffix("ms") { return Double(text.dropLast(2)) }
        if text.hasSuffix("s") { return Double(text.dropLast()).map { ($0 * 1000).rounded() } }
        return Double(text)
    }

    private static func package(of className: String) -> String {
        className.split(separator: ".").prefix(3).joined(separator: ".")
    }

    // MARK: Exits

    /// Several lines on one death are one exit; the first reason stands.
    private mutating func exit(of number: Int, _ process: String, reason: String?, _ time: Int) -> Reading {
        var pid = pids[number] ?? Pid()
        if pid.isDead || process.contains(":") || pid.isPassedOver { return .nothing }
        let app = pid.app ?? process
        let event = Event(device: device, app: app, name: "exit", scope: .app, edge: .exit)
        event.ts = time
        event.process = Self.processID(number, pid)
        event.exitReason = pid.notResponding ? "anr" : reason
        event.namesItsProcess = true
        event.group = group(app)
        pid.isDead = true
        pids[number] = pid
        return Reading(event: event)
    }
}
