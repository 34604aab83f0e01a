internal import Settings
internal import Worker

/// `reset`: sets an application back, as Kafka Streams' reset tool does.
enum ResetCommand {
    private static let dryRun = CommandOption("dry-run", nil, "Says what would be done, and does nothing.")
    private static let toTime = CommandOption(
        "to-time", value: "TIME", form: .count(0...Int64.max),
        "Begins the input at the first record of this time, ms since the epoch (default: at its beginning).")

    static let command = Command(
        name: "reset", operands: "",
        summary: "Sets the application back: forgets offsets and checkpoints.",
        details: """
            Forgets the committed offsets of application.id and empties its internal topics, so that the next worker \
            folds the input from its beginning, or from --to-time. Input, output and dead letters stay as they are: \
            windows are written again under their keys. Refuses while the group has members. Look with --dry-run \
            first.
            """,
        options: [.config, .set, dryRun, toTime], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        try invocation.refuseOperands()
        let time = try invocation.parsed(toTime)?.number
        let settings = try invocation.settings(required: Command.workerKeys)
        let lines: [String]
        do throws(WorkerFailure) {
            let reset = try ApplicationReset(settings, to: time.map { .time($0) } ?? .beginning)
            let steps = try reset.plan()
            if !invocation.has(dryRun) { try reset.execute() }
            lines = steps.map { (invocation.has(dryRun) ? "would " : "") + $0 + "\n" }
        } catch {
            throw CommandError(error)
        }
        return try Output.print(lines.joined())
    }
}
