internal import Settings
internal import Worker

/// `topics`: makes the topics of a configuration, or says what is wrong with them.
enum TopicsCommand {
    private static let actions = ["create", "check"]

    static let command = Command(
        name: "topics", operands: "create|check",
        summary: "Makes the topics that a worker needs, or says what is wrong with them.",
        details: """
            create makes those of the output and internal topics that are missing, with the settings that a worker \
            needs, and changes none that is there. check names every topic that is missing or has other settings. \
            Both end with 78 where something is not as it should be. The input topics are never made.
            """,
        options: [.config, .set], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        let action = try action(of: invocation)
        let settings = try invocation.settings(required: Command.workerKeys)
        let (made, findings) = try look(settings, creates: action == "create")
        var lines = made.map { "made \($0)\n" }
        if made.isEmpty, findings.isEmpty { lines = ["all topics are as they should be\n"] }
        _ = try Output.print(lines.joined())
        guard findings.isEmpty else {
            throw CommandError(.configuration, lines: findings.map(\.description))
        }
        return .done
    }

    private static func action(of invocation: Invocation) throws(CommandError) -> String {
        guard invocation.operands.count == 1, let action = invocation.operands.first else {
            throw CommandError(.usage, "needs one of create, check")
        }
        guard actions.contains(action) else {
            let hint = Nearest.match(to: action, in: actions).map { "did you mean \($0)?" }
            throw CommandError(.usage, "unknown action \(action); \(hint ?? "it takes create or check")")
        }
        return action
    }

    /// What was made, and what is not as it should be then.
    private static func look(
        _ settings: Settings, creates: Bool
    ) throws(CommandError) -> (made: [String], findings: [TopicFinding]) {
        do throws(WorkerFailure) {
            let keeper = try TopicKeeper(settings)
            let made = try creates ? keeper.create() : []
            return (made, try keeper.check())
        } catch {
            throw CommandError(error)
        }
    }
}
