internal import Settings

/// One option of a command: how it is written, what it does, which key of the configuration it stands for.
struct CommandOption: Sendable {
    /// Without the dashes.
    let long: String
    let short: Character?
    /// What its value is called in help; nil where it takes none.
    let value: String?
    let help: String
    /// The key that it sets; its value is checked as that key's.
    let key: String?
    /// How its value is read where it sets no key; nil for plain text.
    let form: ValueForm?

    init(
        _ long: String, _ short: Character? = nil, value: String? = nil, key: String? = nil, form: ValueForm? = nil,
        _ help: String
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.help = help
        self.key = key
        self.form = form
    }
}

/// The options that several commands share.
extension CommandOption {
    static let help = CommandOption("help", "h", "Shows this page.")
    static let config = CommandOption("config", "c", value: "FILE", "Reads the configuration from FILE.")
    static let set = CommandOption(
        "set", "s", value: "KEY=VALUE", "Sets a key of the configuration; may be given more than once.")
    static let groupBy = CommandOption(
        "group-by", "g", value: "LIST", key: "group.by", "The dimensions to group by, as group.by.")
    static let window = CommandOption(
        "window", "w", value: "LIST", key: "window.sizes", "The sizes of windows, as window.sizes.")
    static let format = CommandOption(
        "format", "f", value: "FORMAT", key: "input.format", "How records are read, as input.format.")
}

/// What the arguments of a command came to.
struct Invocation {
    /// Options in the order in which they were given.
    var given: [(option: CommandOption, value: String)] = []
    var operands: [String] = []

    func has(_ option: CommandOption) -> Bool {
        given.contains { $0.option.long == option.long }
    }

    /// The last value of `option`.
    func value(of option: CommandOption) -> String? {
        given.last { $0.option.long == option.long }?.value
    }

    /// The last value of `option`, read by its form.
    ///
    /// - Throws: ``CommandError`` with ``ExitStatus/usage``.
    func parsed(_ option: CommandOption) throws(CommandError) -> ParsedValue? {
        guard let text = value(of: option), let form = option.form else { return nil }
        do throws(ValueFault) {
            return try form.parse(text)
        } catch {
            throw CommandError(.usage, "--\(option.long): \(error.what); \(error.remedy)")
        }
    }

    /// - Throws: ``CommandError`` with ``ExitStatus/usage`` where there are any.
    func refuseOperands() throws(CommandError) {
        guard let first = operands.first else { return }
        throw CommandError(.usage, "takes no operand, but \"\(first)\" was given; --help shows the usage")
    }
}
