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

var isRight = true
for seed in first..<first + count {
    say("seed \(seed)")
    do {
        let result = try Run(seed: seed, isShown: isShown).run()
        say(
            "passed \(seed) hash=\(String(result.hash, radix: 16)) ms=\(result.now) steps=\(result.steps) "
                + "rows=\(result.rows) comparisons=\(result.comparisons) restorations=\(result.restorations) "
                + "trapped=\(result.trapped) recovery=\(result.recovery)")
    } catch {
        isRight = false
        say("FAILED \(seed) \(error)")
    }
}
exit(isRight ? 0 : 1)
