import Foundation
import Synchronization
import Testing

/// Workers over a model of a cluster, under virtual time: hundreds of runs with faults, each decided by its seed.
///
/// `Checks` of `Tests/Support/Simulation` holds what is looked at all the time, `Plan` what befalls the workers.
/// `Tests/Support/simulate-delivery` runs any number of seeds.
@Suite(.serialized) struct SimulationTests {
    private static let seeds = 1...500
    /// Seeds of one process.
    private static let portion = 20
    /// Longest time of one portion, s.
    private static let limit = 240.0

    private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("delivery-simulation")

    /// The lines of a run of some seeds.
    private static func run(from first: Int, count: Int) throws -> [Substring] {
        let process = Process()
        process.executableURL = program
        process.arguments = [String(first), String(count), "--nice"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let watch = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watch)
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watch.cancel()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    /// The seeds that did not pass, each with what was found.
    private static func failures(in lines: [Substring], from first: Int, count: Int) -> [String] {
        (first..<first + count).compactMap { seed in
            if lines.contains(where: { $0.hasPrefix("passed \(seed) ") }) { return nil }
            let failure = lines.firstIndex { $0.hasPrefix("FAILED \(seed) ") }.map { lines[$0...].prefix(3) }
            let text = failure.map { $0.joined(separator: "\n") } ?? "it did not come to an end"
            return "seed \(seed): \(text)\nrun it alone: .build/debug/delivery-simulation \(seed) --trace"
        }
    }

    @Test func everySeedHolds() throws {
        let next = Mutex(Self.seeds.lowerBound)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            while true {
                let first = next.withLock { next in
                    defer { next += Self.portion }
                    return next
                }
                let count = min(Self.portion, Self.seeds.upperBound - first + 1)
                if count <= 0 { return }
                let lines = (try? Self.run(from: first, count: count)) ?? []
                failures.withLock { $0 += Self.failures(in: lines, from: first, count: count) }
            }
        }
        for failure in failures.withLock({ $0 }) { Issue.record(Comment(rawValue: failure)) }
    }

    /// Beyond the first hundreds, those that have shown a fault once.
    @Test(arguments: [4036, 4620, 5366, 7510, 8910, 9179])
    func aSeedThatShowedAFaultHolds(seed: Int) throws {
        let failures = Self.failures(in: try Self.run(from: seed, count: 1), from: seed, count: 1)
        #expect(failures.isEmpty)
    }

    /// I11: the same seed is the same run, to the last step.
    @Test func aSeedIsARun() throws {
        let lines = try Self.run(from: 11, count: 6)
        #expect(lines.filter { $0.hasPrefix("passed") }.count == 6)
        #expect(try Self.run(from: 11, count: 6) == lines)
        // Nor does it matter what ran before it in the process.
        #expect(try Self.run(from: 14, count: 1).last == lines.first { $0.hasPrefix("passed 14 ") })
    }
}
