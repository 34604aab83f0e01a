internal import Fleet
internal import Glibc
internal import Lifecycle
internal import Settings

/// `simulate`: a fleet of devices to standard output, and what must come out of it.
enum SimulateCommand {
    static let devices = CommandOption(
        "devices", "d", value: "N", form: .count(1...100_000_000), "How many installations (default 1000).")
    static let duration = CommandOption(
        "duration", "t", value: "TIME", form: .duration(1000...(400 * 86_400_000)),
        "How long they live, in device time (default 1h).")
    static let seconds = CommandOption(
        "seconds", value: "N", form: .count(1...(400 * 86_400)), "The same in seconds.")
    static let hours = CommandOption("hours", value: "N", form: .count(1...(400 * 24)), "The same in hours.")
    static let start = CommandOption(
        "start", value: "MS", form: .count(0...4_102_444_800_000),
        "When they begin, ms since the epoch (default 2026-01-01).")
    static let faults = CommandOption(
        "faults", value: "LIST", form: .choices(["all", "none"] + Faults.names.map(\.name)),
        "What goes wrong, of \(Faults.names.map(\.name).joined(separator: ", ")); or all (default none).")
    static let sources = CommandOption(
        "sources", value: "LIST", form: .choices(sourceNames),
        "What devices report, of \(sourceNames.joined(separator: ", ")) (default all).")
    static let episodes = CommandOption(
        "episodes", value: "WHICH", form: .choice(["all", "none"]),
        "Whether apps tell of views, resources, overlays and activities while in front (default all).")
    private static let sourceNames = FleetOptions.Source.allCases.map(\.rawValue)
    static let events = CommandOption(
        "events", "n", value: "N", form: .count(1...Int64.max), "Stops after so many events.")
    static let seed = CommandOption(
        "seed", value: "N", form: .count(0...Int64.max), "The same seed gives the same bytes (default 1).")
    static let order = CommandOption(
        "order", value: "ORDER", form: .choice(["received", "device"]),
        "received: as a topic has them (default); device: one after the other.")
    static let fields = CommandOption(
        "fields", value: "LIST", form: .choices(FieldName.allCases.map(\.rawValue)),
        "The optional fields, of \(FieldName.allCases.map(\.rawValue).joined(separator: ", ")) "
            + "(default seq,process_id,rx_ts).")
    static let topic = CommandOption(
        "topic", value: "NAME",
        "Writes to this topic of kafka.bootstrap.servers; they end about now unless --start is given.")
    static let rate = CommandOption(
        "rate", "r", value: "N", form: .count(1...100_000_000), "Events a second at most (default: no limit).")
    static let truth = CommandOption(
        "truth", value: "FILE", "Writes the records that must come out to FILE, as NDJSON with exact figures.")

    static let command = Command(
        name: "simulate", operands: "",
        summary: "Writes the events of simulated devices, and the truth about them.",
        details: """
            Writes events of simulated devices to standard output, one a line, as replay reads them.
            With --topic they become records, keyed by device, with the time of receiving as their timestamp.
            The figures that must come out of a fold can be had with --truth, divided by --group-by and --window.
            """,
        options: [
            devices, duration, seconds, hours, start, events, seed, sources, episodes, faults, order, fields, topic,
            rate, truth, .groupBy, .window, .set, .config,
        ],
        run: run)

    /// The optional fields by their names in events.
    private enum FieldName: String, CaseIterable {
        case seq
        case processID = "process_id"
        case monotonic = "mono_ms"
        case sent = "sent_ts"
        case received = "rx_ts"

        var field: FleetOptions.Fields {
            switch self {
            case .seq: .sequence
            case .processID: .process
            case .monotonic: .monotonic
            case .sent: .sent
            case .received: .received
            }
        }
    }

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        try invocation.refuseOperands()
        let topic = invocation.value(of: Self.topic)
        let settings = try invocation.settings(required: topic == nil ? [] : ["kafka.bootstrap.servers"])
        let options = try fleetOptions(invocation)
        let path = invocation.value(of: truth)
        let file = try path.map { path throws(CommandError) in try OutputFile(path) }
        let shape = try path == nil ? nil : truthShape(settings)

        let sink = try EventSink(topic: topic, settings)
        let pace = try Pace(eventsPerSecond: invocation.parsed(rate)?.number)
        var fleet = Fleet(options, truth: shape)
        var batch = LineBatch(lines: pace.batch)
        let isSeen = (topic != nil || isatty(1) == 0) && isatty(2) == 1
        var progress = Progress(counting: "events", isShown: isSeen)
        while fleet.fill(&batch) {
            try sink.take(batch)
            batch.removeAll()
            progress.update(count: fleet.count, fraction: fraction(of: fleet))
            pace.wait(after: fleet.count)
        }
        try sink.close()
        progress.clear()
        if let file {
            fleet.finish()
            try file.write((fleet.truth?.lines() ?? []).map { $0 + "\n" }.joined())
        }
        return .done
    }

    private static func fraction(of fleet: borrowing Fleet) -> Double? {
        if let limit = fleet.options.events { return Double(fleet.count) / Double(limit) }
        guard fleet.options.order == .received else { return nil }
        return Double(fleet.streamTime - fleet.options.start) / Double(fleet.options.duration)
    }

    private static func fleetOptions(_ invocation: Invocation) throws(CommandError) -> FleetOptions {
        var options = FleetOptions()
        if let number = try invocation.parsed(devices)?.number { options.devices = Int(number) }
        if let time = try invocation.parsed(duration)?.number { options.duration = time }
        if let number = try invocation.parsed(seconds)?.number { options.duration = number * 1000 }
        if let number = try invocation.parsed(hours)?.number { options.duration = number * 3_600_000 }
        if let number = try invocation.parsed(start)?.number {
            options.start = number
        } else if invocation.has(topic) {
            // A broker deletes what is too old, and what is from the future it may refuse.
            options.start = Int64(time(nil)) * 1000 - options.duration
        }
        if let names = try invocation.parsed(faults)?.texts,
            case .success(let faults) = Faults.parse(names.joined(separator: ","))
        {
            options.faults = faults
        }
        if let names = try invocation.parsed(sources)?.texts {
            options.mix = names.compactMap(FleetOptions.Source.init(rawValue:)).map { FleetOptions.Share($0, 1) }
        }
        options.hasEpisodes = try invocation.parsed(episodes)?.text != "none"
        if let number = try invocation.parsed(events)?.number { options.events = Int(number) }
        if let number = try invocation.parsed(seed)?.number { options.seed = UInt64(number) }
        if try invocation.parsed(order)?.text == "device" { options.order = .device }
        if let names = try invocation.parsed(fields)?.texts {
            options.fields = FleetOptions.Fields(names.compactMap { FieldName(rawValue: $0)?.field })
        }
        return options
    }

    private static func truthShape(_ settings: Settings) throws(CommandError) -> Truth.Shape {
        guard settings.windowSizes.count <= 4 else {
            throw CommandError(.usage, "the truth takes up to 4 sizes of windows; give fewer with --window")
        }
        var shape = Truth.Shape()
        shape.groupBy = settings.groupBy.compactMap { Dimension(rawValue: $0.rawValue) }
        shape.windows = settings.windowSizes
        shape.grace = settings.windowGrace
        return shape
    }
}
