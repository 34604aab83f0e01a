internal import Glibc

/// `deploy/bootstrap bench [--full] [decode] [engine] [counts] [checkpoint] [replay] [broker] [takeover]`: one report;
/// 1 where a floor was missed.
@main enum Benchmarks {
    private static let parts = ["decode", "engine", "counts", "checkpoint", "replay", "broker", "takeover"]

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "--steady" {
            return print(Steady.underCallgrind(batches: words.last.flatMap { Int($0) } ?? 1))
        }
        let chosen = words.filter { $0 != "--full" }
        if let unknown = chosen.first(where: { !parts.contains($0) }) {
            print("no benchmark is named \(unknown); there are \(parts.joined(separator: ", ")) and --full")
            exit(64)
        }
        let wanted = chosen.isEmpty ? parts : Array(chosen)
        var report = Report()
        Machine.describe(&report)
        do {
            defer { Scratch.remove() }
            for part in wanted { try run(part, &report, full: words.contains("--full")) }
        } catch {
            print("\nbenchmarks: \(error)")
            exit(70)
        }
        if report.missed.isEmpty { return print("\nall floors hold") }
        print("\nfloors missed:\n" + report.missed.map { "  \($0)\n" }.joined())
        exit(1)
    }

    private static func run(_ part: String, _ report: inout Report, full: Bool) throws {
        switch part {
        case "decode": try DecodeBench.run(&report, full: full)
        case "engine": EngineBench.run(&report, full: full)
        case "counts": Steady.run(&report)
        case "checkpoint": try CheckpointBench.run(&report, full: full)
        case "replay": try ReplayBench.run(&report, full: full)
        case "takeover": try DeliveryBench.run(&report)
        default: try BrokerBench.run(&report, full: full)
        }
    }
}
