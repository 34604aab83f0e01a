internal import Settings

/// Reads the arguments after the verb by the command's own table of options.
///
/// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, several short ones in a row; `--` ends the options; `-`
/// is an operand.
struct Arguments {
    private let options: [CommandOption]
    private var rest: ArraySlice<String>
    private var invocation = Invocation()

    /// - Throws: ``CommandError`` with ``ExitStatus/usage``.
    static func parse(_ arguments: [String], options: [CommandOption]) throws(CommandError) -> Invocation {
        var reader = Arguments(options: options, rest: arguments[...])
        while let argument = reader.rest.popFirst() {
            if argument == "--" {
                reader.invocation.operands += reader.rest
                break
            } else if argument.hasPrefix("--") {
                try reader.takeLong(argument)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                try reader.takeShort(argument)
            } else {
                reader.invocation.operands.append(argument)
            }
        }
        return reader.invocation
    }

    private mutating func takeLong(_ argument: String) throws(CommandError) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.long == name }) else {
            throw Arguments.unknown("--\(name)", Nearest.match(to: name, in: options.map(\.long)).map { "--\($0)" })
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if option.value == nil, attached != nil { throw CommandError(.usage, "--\(name) takes no value") }
        try take(option, as: "--\(name)", attached: attached)
    }

    private mutating func takeShort(_ argument: String) throws(CommandError) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                let name = String(argument.dropFirst())
                throw Arguments.unknown("-\(letter)", options.first { $0.long == name }.map { "--\($0.long)" })
            }
            guard option.value != nil else {
                try take(option, as: "-\(letter)", attached: nil)
                continue
            }
            try take(option, as: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
            return
        }
    }

    private mutating func take(
        _ option: CommandOption, as written: String, attached: String?
    ) throws(CommandError) {
        guard let name = option.value else {
            invocation.given.append((option, ""))
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw CommandError(.usage, "\(written) needs a value: \(written) \(name)")
        }
        invocation.given.append((option, value))
    }

    private static func unknown(_ written: String, _ near: String?) -> CommandError {
        let hint = near.map { "did you mean \($0)?" } ?? "--help lists the options"
        return CommandError(.usage, "unknown option \(written); \(hint)")
    }
}
