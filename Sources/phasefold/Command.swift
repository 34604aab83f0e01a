internal import Settings

/// One verb of the program.
struct Command: Sendable {
    let name: String
    /// What follows the options, as in `FILE...`; empty for none.
    let operands: String
    /// One line for the list of verbs.
    let summary: String
    /// What help says below the usage.
    let details: String
    let options: [CommandOption]
    let run: @Sendable (Invocation) throws -> ExitStatus

    /// All verbs, in the order of the list.
    static let all: [Command] = [
        DemoCommand.command, RunCommand.command, ReplayCommand.command, SimulateCommand.command, TopicsCommand.command,
        CheckCommand.command, StateCommand.command, ResetCommand.command,
    ]

    /// The keys without which nothing can be done with a broker.
    static let workerKeys = ["application.id", "input.topic", "output.topic", "kafka.bootstrap.servers"]

    var allOptions: [CommandOption] { options + [.help] }
}

extension Invocation {
    /// The configuration that the command was called with: options, environment, file, defaults.
    ///
    /// - Throws: ``CommandError`` with ``ExitStatus/configuration``, or ``ExitStatus/usage`` for a `--set` without `=`.
    func settings(required: [String] = []) throws(CommandError) -> Settings {
        var overrides: [SettingOverride] = []
        for (option, value) in given {
            if let key = option.key {
                overrides.append(SettingOverride(key: key, value: value, option: "--\(option.long)"))
            } else if option.long == CommandOption.set.long {
                let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw CommandError(.usage, "--set takes KEY=VALUE, not \"\(value)\"")
                }
                overrides.append(
                    SettingOverride(key: String(parts[0]), value: String(parts[1]), option: "--set"))
            }
        }
        do throws(SettingsError) {
            return try Settings(
                file: self.value(of: .config), environment: ProcessEnvironment.variables, overrides: overrides,
                required: required)
        } catch {
            throw CommandError(.configuration, lines: error.problems.map(\.description))
        }
    }
}
