internal import Engine
internal import Fleet
internal import Metering
internal import Settings
internal import Worker

/// `demo`: embedded broker, simulated devices, worker and live page in one process.
enum DemoCommand {
    static let devices = CommandOption(
        "devices", "d", value: "N", form: .count(1...10_000_000), "How many installations (default 10000).")
    static let rate = CommandOption(
        "rate", "r", value: "N", form: .count(1...1_000_000),
        "Events a second, by the clock on the wall (default 2000).")
    static let seconds = CommandOption(
        "seconds", value: "N", form: .count(1...86_400), "Ends after so many seconds (default: when interrupted).")
    static let headless = CommandOption(
        "headless", nil, "No page; ends after 30 seconds unless told otherwise, and shows what came out.")
    static let seed = CommandOption(
        "seed", value: "N", form: .count(0...Int64.max), "The same seed gives the same devices (default 1).")
    static let faults = CommandOption(
        "faults", value: "LIST", form: .choices(["all", "none"] + Faults.names.map(\.name)),
        "What goes wrong, as of simulate (default all).")

    static let command = Command(
        name: "demo", operands: "",
        summary: "Shows everything at once, with no other software: open the printed address.",
        details: """
            Starts a broker, simulated devices, a worker and its live page in this process. The time of the devices \
            runs as fast as the rate demands, from thirty days ago. At the end it shows what came out, and whether \
            each event that was sent was folded.
            """,
        options: [devices, rate, seconds, headless, seed, faults, .set, .config], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        try invocation.refuseOperands()
        let plan = try DemoPlan(invocation)
        Interrupt.watch()
        do {
            let demo = try Demo(plan)
            if !plan.isHeadless {
                _ = try? Output.print("phasefold demo: open \(demo.address) - Ctrl-C ends it\n")
            }
            let result = try demo.play()
            _ = try? Output.print(result.page)
            guard result.lost > 0 else { return .done }
            Output.complain(
                "phasefold: demo: \(Figures.grouped(result.lost)) records were not folded: the embedded broker keeps "
                    + "5 MiB of a partition; give a lower --rate\n")
            return .fault
        } catch let failure as WorkerFailure {
            throw CommandError(failure)
        }
    }
}

/// What a demo is asked to do.
struct DemoPlan {
    var fleet = FleetOptions()
    /// Events a second.
    var rate = 2000.0
    /// nil: until it is interrupted.
    var seconds: Double?
    var isHeadless = false
    let invocation: Invocation

    init(_ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        fleet.devices = 10_000
        fleet.fields = [.sequence, .process]
        fleet.faults = .all
        fleet.spread = 30 * 60_000
        fleet.duration = 10 * 365 * 86_400_000
        isHeadless = invocation.has(DemoCommand.headless)
        if let number = try invocation.parsed(DemoCommand.devices)?.number { fleet.devices = Int(number) }
        if let number = try invocation.parsed(DemoCommand.seed)?.number { fleet.seed = UInt64(number) }
        if let number = try invocation.parsed(DemoCommand.rate)?.number { rate = Double(number) }
        if let number = try invocation.parsed(DemoCommand.seconds)?.number { seconds = Double(number) }
        if isHeadless { seconds = seconds ?? 30 }
        if let names = try invocation.parsed(DemoCommand.faults)?.texts,
            case .success(let faults) = Faults.parse(names.joined(separator: ","))
        {
            fleet.faults = faults
        }
        rate = min(rate, Double(fleet.devices) * Self.fastest)
    }

    /// Events a second and device beyond which the devices' time runs too fast: so many windows would be open at once
    /// that their partials did not fit into the embedded broker. A device sends about eight events an hour.
    static let fastest = 4.0

    /// The configuration of the worker, on the embedded broker.
    func settings(bootstrapServers: String) throws(CommandError) -> Settings {
        var invocation = invocation
        let keys = [
            "application.id=phasefold-demo", "input.topic=\(Self.inputTopic)", "output.topic=phasefold-demo-windows",
            "kafka.bootstrap.servers=\(bootstrapServers)", "topics.create=false", "commit.interval=500ms",
            "kafka.producer.linger.ms=5",
            // The embedded broker answers transactions without doing them.
            "delivery.guarantee=at_least_once",
        ]
        invocation.given.insert(contentsOf: keys.map { (CommandOption.set, $0) }, at: 0)
        return try invocation.settings(required: Command.workerKeys)
    }

    static let inputTopic = "phasefold-demo-input"
    static let partitions = 4
}

/// What a demo came to.
struct DemoResult {
    /// The table for people.
    var page: String
    /// Records that were sent and never read.
    var lost: Int
}
