internal import Settings
internal import Worker

/// `check`: reads a configuration and looks at what it speaks of, without changing anything.
enum CheckCommand {
    static let command = Command(
        name: "check", operands: "",
        summary: "Reads the configuration, reaches the broker, and says what is wrong.",
        details: """
            Prints every key that was given, with where it came from; secrets are not shown. Then asks the broker \
            for the topics. Each problem is one line with its remedy on standard error, a broker that cannot be \
            reached among them; ends with 78 where there is one, else with 0.
            """,
        options: [.config, .set], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        try invocation.refuseOperands()
        let settings = try invocation.settings(required: Command.workerKeys)
        _ = try Output.print(settings.entries.map { "\($0.key) = \($0.text)  (\($0.origin))\n" }.joined())
        try settings.demandKafkaKeys()
        let problems = try findings(settings).filter { finding in
            // What is missing and will be made at start is no problem.
            finding.kind != .missing || !settings.topicsCreate
        }
        guard problems.isEmpty else {
            throw CommandError(.configuration, lines: problems.map(\.description))
        }
        return try Output.print("the broker answers, and nothing is wrong\n")
    }

    private static func findings(_ settings: Settings) throws(CommandError) -> [TopicFinding] {
        do throws(WorkerFailure) {
            return try TopicKeeper(settings).check()
        } catch {
            throw CommandError(.configuration, error.description)
        }
    }
}
