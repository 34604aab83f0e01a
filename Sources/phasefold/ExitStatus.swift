/// How the program ends.
enum ExitStatus: Int32 {
    case done = 0
    /// Options, verbs or operands that are not understood.
    case usage = 64
    /// Input of `replay` that cannot be read.
    case unreadableInput = 65
    /// The broker cannot be reached at start.
    case unavailable = 69
    /// A fault of the program itself or of the system below it.
    case fault = 70
    /// The configuration.
    case configuration = 78
}

/// Ends the command: what stderr says, one line a problem, and the status.
struct CommandError: Error {
    var status: ExitStatus
    var lines: [String]

    init(_ status: ExitStatus, _ lines: String...) {
        self.status = status
        self.lines = lines
    }

    init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines
    }
}
