internal import Glibc

/// `phasefold replay` as a process, reading and printing included.
enum ReplayBench {
    static func run(_ report: inout Report, full: Bool) throws {
        for fleet in BenchFleet.allCases { try run(&report, fleet, full: full) }
    }

    private static func run(_ report: inout Report, _ fleet: BenchFleet, full: Bool) throws {
        let (events, devices) = (5_000_000, 1_000_000)
        report.section("replay, \(events) events of \(devices) devices: \(fleet.title)")
        let input = Scratch.path("events.ndjson")
        defer { unsafe _ = unlink(input) }
        let simulate = ["simulate", "--events", String(events), "--devices", String(devices), "--hours", "240"]
        try end(Child(Child.phasefold, simulate + fleet.arguments, seconds: 120, output: input), "simulate")
        var status = stat()
        unsafe _ = stat(input, &status)
        report.figure("event size", Double(status.st_size) / Double(events), "B", digits: 0)

        var best: Child.Usage?
        var wall = 0.0
        for _ in 0..<(full ? 9 : 5) {
            let start = Clock.wall
            let child = try Child(
                Child.phasefold, ["replay", input], seconds: 120, output: Scratch.path("rows.ndjson"))
            let usage = try end(child, "replay")
            if usage.seconds < best?.seconds ?? .infinity { (best, wall) = (usage, Clock.wall - start) }
        }
        guard let best else { return }
        report.speed(
            "user and system", events: events, seconds: best.seconds, floor: fleet.hasFloors ? .atLeast(2) : nil)
        report.figure("of it in the system", best.system / Double(events) * 1e9, "ns an event", digits: 0)
        report.figure("wall time", wall, "s")
        report.figure("most resident memory", Double(best.resident) / 1e6, "MB", digits: 0)
    }

    @discardableResult
    private static func end(_ child: Child, _ what: String) throws -> Child.Usage {
        let usage = child.wait()
        guard usage.status == 0 else { throw Child.Failure(description: "\(what) ended with \(usage.status)") }
        return usage
    }
}
