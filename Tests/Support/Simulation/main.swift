import Foundation
import Glibc

// Dictionaries of one content are walked in one order: else a seed would not be a run.
let variable = "SWIFT_DETERMINISTIC_HASHING"
if ProcessInfo.processInfo.environment[variable] == nil {
    unsafe setenv(variable, "1", 1)
    var arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
    _ = unsafe execv("/proc/self/exe", &arguments)
}

let usage = "usage: delivery-simulation FIRST [COUNT] [--trace] [--nice]   runs COUNT seeds from FIRST on"
let isShown = CommandLine.arguments.contains("--trace")
if CommandLine.arguments.contains("--nice") { _ = nice(10) }
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard let first = numbers.first else {
    print(usage)
    exit(64)
}
let count = numbers.count > 1 ? numbers[1] : 1

/// A line at once, whatever comes after it.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Runs one seed, of which nothing may stay in the process: not a worker, wherever it died, nor a thread of it.
func run(_ seed: UInt64) throws -> Run.Result {
    weak var world: World?
    let result = try {
        let run = try Run(seed: seed, isShown: isShown)
        world = run.world
        return try run.run()
    }()
    // Its threads have been told to end.
    for _ in 0..<5000 where world != nil { usleep(1000) }
    if world != nil { throw Violation("I8", "something of the run stays in the process") }
    return result
}

var isRight = true
for seed in first..<first + count {
    say("seed \(seed)")
    do {
        let result = try run(seed)
        say(
            "passed \(seed) hash=\(String(result.hash, radix: 16)) ms=\(result.now) steps=\(result.steps) "
                + "rows=\(result.rows) others=\(result.others) comparisons=\(result.comparisons) "
                + "restorations=\(result.restorations) trapped=\(result.trapped) recovery=\(result.recovery)")
    } catch {
        isRight = false
        say("FAILED \(seed) \(error)")
    }
}
exit(isRight ? 0 : 1)
