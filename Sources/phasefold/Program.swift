internal import Glibc
internal import Settings

/// The executable: finds the verb, runs it, says what went wrong.
@main
struct Program {
    static let version = "0.1.0"

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let status = run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }

    /// Runs one command line, without the name of the program.
    static func run(_ arguments: [String]) -> ExitStatus {
        let (name, rest) = (arguments.first ?? "", Array(arguments.dropFirst()))
        do {
            switch name {
            case "-h", "--help", "help": return try help(rest)
            case "--version", "version": return try Output.print("phasefold \(version)\n")
            case "":
                Output.complain(Help.program(Command.all))
                return .usage
            default: return try run(command(named: name), rest)
            }
        } catch let error as CommandError {
            for line in error.lines { Output.complain("phasefold: \(line)\n") }
            return error.status
        } catch is Output.Closed {
            return .done
        } catch {
            Output.complain("phasefold: \(error)\n")
            return .fault
        }
    }

    private static func run(_ command: Command, _ arguments: [String]) throws -> ExitStatus {
        do {
            let invocation = try Arguments.parse(arguments, options: command.allOptions)
            if invocation.has(.help) { return try Output.print(Help.command(command)) }
            return try command.run(invocation)
        } catch let error as CommandError where error.status == .usage {
            throw CommandError(.usage, lines: error.lines.map { "\(command.name): \($0)" })
        }
    }

    private static func help(_ arguments: [String]) throws -> ExitStatus {
        guard let name = arguments.first else { return try Output.print(Help.program(Command.all)) }
        return try Output.print(Help.command(command(named: name)))
    }

    private static func command(named name: String) throws -> Command {
        if let command = Command.all.first(where: { $0.name == name }) { return command }
        let kind = name.hasPrefix("-") ? "option" : "verb"
        let candidates = Command.all.map(\.name) + ["--help", "--version"]
        let hint = Nearest.match(to: name, in: candidates).map { "did you mean \($0)?" }
        throw CommandError(.usage, "unknown \(kind) \(name); \(hint ?? "phasefold --help lists the verbs")")
    }
}
