internal import Settings

/// `replay`: folds files of events with the engine of the worker, without a broker.
enum ReplayCommand {
    static let summary = CommandOption("summary", "S", "Prints a table for people instead of records.")

    static let command = Command(
        name: "replay", operands: "FILE... | -",
        summary: "Folds files of events and prints the final records.",
        details: """
            Folds files of events (- is standard input) as the worker folds topics, and prints the final records \
            as NDJSON, sorted by key. Each file is a partition, each line a record, which may hold an array. \
            A file of OTLP requests has the length of each before it, in four bytes, big-endian, as the Collector's \
            file exporter writes.
            The end of the input makes every window final and leaves open intervals open. What cannot be read is \
            counted on standard error and does not change the exit status.
            """,
        options: [.groupBy, .window, .format, summary, .set, .config], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        let settings = try invocation.settings()
        let inputs = try ReplayInputs(invocation.operands, limit: settings.inputMaxRecordBytes)
        Interrupt.watch()
        var replay = Replay(settings, inputs)
        let outcome = try replay.fold()
        Output.complain(outcome.complaints())
        if invocation.has(summary) {
            return try Output.print(ReplaySummary(outcome, settings).page())
        }
        try outcome.printRows()
        return .done
    }
}

/// The files of one run.
struct ReplayInputs {
    let paths: [String]
    /// The bytes of all of them; nil where one is no plain file.
    let size: Int?

    /// Looks at every file, so that a missing one is said before the first is folded.
    ///
    /// - Throws: ``CommandError`` with ``ExitStatus/usage`` or ``ExitStatus/unreadableInput``.
    init(_ paths: [String], limit: Int) throws(CommandError) {
        guard !paths.isEmpty else { throw CommandError(.usage, "needs FILE..., or - for standard input") }
        guard paths.count(where: { $0 == "-" }) < 2 else {
            throw CommandError(.usage, "- is standard input, which can be read only once")
        }
        var sum: Int? = 0
        for path in paths {
            let size = try RecordReader(path, limit: limit, chunk: 1).size
            sum = sum.flatMap { sum in size.map { sum + $0 } }
        }
        self.paths = paths
        size = sum
    }
}
