internal import Settings

/// The help pages, made from the tables in 80 columns.
enum Help {
    static let width = Reference.width
    static let opening = "phasefold folds app lifecycle events into per-device state machines and windows of figures."

    /// The page of the program: its verbs.
    static func program(_ commands: [Command]) -> String {
        var lines = Reference.wrap(opening)
        lines += ["", "usage: phasefold VERB [OPTIONS]", "       phasefold --help | --version", "", "verbs:"]
        lines += columns(commands.map { ($0.name, $0.summary) })
        lines += ["", "phasefold VERB --help tells more about one."]
        return page(lines)
    }

    /// The page of one verb.
    static func command(_ command: Command) -> String {
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        var lines = ["usage: phasefold \(command.name) [OPTIONS]\(operands)", ""]
        for paragraph in command.details.split(separator: "\n") {
            lines += Reference.wrap(String(paragraph)) + [""]
        }
        lines.append("options:")
        lines += columns(command.allOptions.map { (spelling($0), $0.help) })
        return page(lines)
    }

    private static func spelling(_ option: CommandOption) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--\(option.long)" + (option.value.map { " \($0)" } ?? "")
    }

    /// Two columns; what is too long for the first stands in a line of its own.
    private static func columns(_ rows: [(String, String)]) -> [String] {
        let first = min(26, (rows.map(\.0.count).max() ?? 0) + 2)
        return rows.flatMap { name, text in
            var lines = Reference.wrap(text, indent: 2 + first, hanging: 2 + first)
            if name.count + 2 > first {
                lines.insert("  \(name)", at: 0)
            } else {
                lines[0] = "  " + name + lines[0].dropFirst(2 + name.count)
            }
            return lines
        }
    }

    private static func page(_ lines: [String]) -> String {
        lines.joined(separator: "\n") + "\n"
    }
}
