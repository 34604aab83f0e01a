/// Every key of the configuration: the one place where a key is named, limited, explained and given its default.
///
/// The order is that of the reference page. `kafka.*` keys are not listed: they belong to librdkafka.
package struct SettingTable: Sendable {
    package static let shared = SettingTable()

    /// The rows, in order.
    package static let rows: [any SettingDescription] = Mirror(reflecting: shared).children.compactMap { child in
        child.value as? any SettingDescription
    }

    // MARK: Application and topics

    package let applicationID = Setting<String>.required(
        "application.id", .application, .topic,
        "Names the consumer group, the transactions and the internal topics.")
    package let inputTopics = Setting<[String]>.texts(
        "input.topic", .application, .topics, nil, absent: "needed by run",
        "The topics with lifecycle events, by comma.")
    package let outputTopic = Setting<String>.required(
        "output.topic", .application, .topic,
        "The topic for the aggregates.")
    package let topicEvents = Setting<String?>.text(
        "topic.events", .application, .topic, absent: "<application.id>-events",
        "Internal: events by device, where input.keyed is false.")
    package let topicPartials = Setting<String?>.text(
        "topic.partials", .application, .topic, absent: "<application.id>-partials",
        "Internal: what stage 1 gathered of a window between two commits.")
    package let topicDevices = Setting<String?>.text(
        "topic.devices", .application, .topic, absent: "<application.id>-devices",
        "Internal: the checkpoint of the devices' states, which a restart goes on from.")
    package let topicTotals = Setting<String?>.text(
        "topic.totals", .application, .topic, absent: "<application.id>-totals",
        "Internal: the checkpoint of the open windows.")
    package let topicDeadLetter = Setting<String?>.text(
        "topic.dead_letter", .application, .topic, absent: "<application.id>-dead-letter",
        "Records that cannot be read go here, unchanged.")
    package let topicsCreate = Setting<Bool>.flag(
        "topics.create", .application, "true",
        "Makes missing internal and output topics at start, with the right settings.")

    // MARK: Input

    package let inputFormat = Setting<InputFormat>.choice(
        "input.format", .input, .auto,
        "How records are read; auto tells by content, record by record.")
    package let inputKeyed = Setting<Bool>.flag(
        "input.keyed", .input, "true",
        "Whether all records of a device are in one partition. false, as for what an OpenTelemetry Collector writes: "
            + "events go first through topic.events, each device's into one partition.")
    package let mergeMemory = Setting<Int>.bytes(
        "merge.memory", .input, "128MiB", in: Units.kibibyte...(1024 * Units.gibibyte),
        "Where input.keyed is false: events wait in memory, over all workers, until all input partitions have come as "
            + "far. An input partition that is ahead of the slowest one by its share of so much is read no further.")
    package let inputMaxRecordBytes = Setting<Int>.bytes(
        "input.max_record_bytes", .input, "16MiB", in: Units.kibibyte...Units.gibibyte,
        "A longer record is a dead letter.")
    package let inputDefaultAppID = Setting<String?>.text(
        "input.default_app_id", .input, .text(maxBytes: 256), absent: "app_id is required",
        "The app of events that name none.")
    package let inputDefaultDeviceID = Setting<String?>.text(
        "input.default_device_id", .input, .text(maxBytes: 256), absent: "the file's name, or the record's key",
        "The device of an Android event log, which names none.")
    package let logcatYear = Setting<Int?>.count(
        "logcat.year", .input, absent: "the current year", in: 1970...9998,
        "The year of the first line of an Android event log, whose stamps have none.")
    package let dlqMaxRatio = Setting<Double>.ratio(
        "dlq.max_ratio", .input, "50%", in: 0...1,
        "With a larger part of the events unreadable over a minute, the worker says that it is not ready.")

    // MARK: Time, order, duplicates

    package let idleTimeout = Setting<Int64>.duration(
        "idle.timeout", .order, "30s", in: Units.second...Units.hour,
        "The stream time of a partition that is caught up and silent for so long follows the wall clock. Where "
            + "input.keyed is false, no event of another partition waits for it longer.")
    package let reorderTimeout = Setting<Int64>.duration(
        "reorder.timeout", .order, "10s", in: 0...Units.hour,
        "How long, in stream time, numbered events wait for missing ones before them.")
    package let reorderBuffer = Setting<Int>.count(
        "reorder.buffer", .order, "32", in: 1...1024,
        "How many events of an installation may wait.")
    package let reorderDelay = Setting<Int64>.duration(
        "reorder.delay", .order, "0ms", in: 0...Units.hour,
        "How long, in stream time, events without a number wait for older ones.")
    package let dedupeWindow = Setting<Int64>.duration(
        "dedupe.window", .order, "7d", in: Units.second...(400 * Units.day),
        "The same event id of an installation is a duplicate within this span; the last 64 ids are kept.")
    package let futureTolerance = Setting<Int64>.duration(
        "future.tolerance", .order, "5m", in: 0...Units.day,
        "Device time further ahead of the receive time is future_clock, and folded at receive time.")
    package let clockRegressionAfter = Setting<Int64>.duration(
        "clock_regression.after", .order, "1s", in: 0...Units.hour,
        "A device clock that goes back by more between two edges is clock_regression.")
    package let stateTTL = Setting<Int64>.duration(
        "state.ttl", .order, "30d", in: Units.hour...(400 * Units.day),
        "The state of an installation unseen for so long, in stream time, expires.")
    package let instancesLimit = Setting<Int>.count(
        "instances.limit", .order, "64", in: 1...4096,
        "Scenes, activities and views of an installation that are followed; the oldest gives way.")

    // MARK: Lifecycle: limits that decide what is measured

    package let launchBackgroundGap = Setting<Int64>.duration(
        "launch.background_gap", .lifecycle, "10s", in: 0...Units.hour,
        "A launch that takes longer to come to the foreground was a launch into Background.")
    package let echoTolerance = Setting<Int64>.duration(
        "echo.tolerance", .lifecycle, "1s", in: 0...Units.minute,
        "App edges this close to the phase that scenes or activities give are echoes of it.")
    package let androidBackgroundGrace = Setting<Int64>.duration(
        "android.background_grace", .lifecycle, "700ms", in: 0...Units.minute,
        "An app is in Background when so long after the last stop no activity has started.")
    package let durationMax = Setting<Int64>.duration(
        "duration.max", .lifecycle, "7d", in: Units.minute...(400 * Units.day),
        "A longer interval is dropped.")
    package let resumeDiscard = Setting<Int64>.duration(
        "resume.discard", .lifecycle, "60s", in: Units.second...Units.day,
        "A longer resume is no user's: it counts in resume_discarded alone.")
    package let silenceTimeout = Setting<Int64>.duration(
        "silence.timeout", .lifecycle, "30m", in: Units.second...(7 * Units.day),
        "Without an edge for so long in the foreground, the interval ends at the last one, inferred.")

    // MARK: Lifecycle: limits that decide what is anomalous

    package let stuckInactiveAfter = Setting<Int64>.duration(
        "stuck_inactive.after", .anomalies, "60s", in: 1...Units.day,
        "Inactive for longer is stuck_inactive.")
    package let slowResumeAfter = Setting<Int64>.duration(
        "slow_resume.after", .anomalies, "1500ms", in: 1...Units.hour,
        "A longer resume is slow_resume.")
    package let slowLaunchColdAfter = Setting<Int64>.duration(
        "slow_launch.cold.after", .anomalies, "5s", in: 1...Units.hour,
        "A longer cold launch is slow_launch.")
    package let slowLaunchWarmAfter = Setting<Int64>.duration(
        "slow_launch.warm.after", .anomalies, "2s", in: 1...Units.hour,
        "A longer warm launch is slow_launch.")
    package let slowResignAfter = Setting<Int64>.duration(
        "slow_resign.after", .anomalies, "5s", in: 1...Units.hour,
        "A handler of a resign, pause or enter_background edge that took longer is slow_resign.")
    package let inactiveFlappingCount = Setting<Int>.count(
        "inactive_flapping.count", .anomalies, "6", in: 1...64,
        "More resigns that left Active within the span are inactive_flapping.")
    package let inactiveFlappingWithin = Setting<Int64>.duration(
        "inactive_flapping.within", .anomalies, "10s", in: 1...Units.hour,
        "The span of inactive_flapping.count, first to last.")
    package let resourceGrace = Setting<Int64>.duration(
        "resource.grace", .anomalies, "2s", in: 0...Units.minute,
        "A resource may run on for so long after the resign before it is resource_leak.")
    package let resourceBackground = Setting<[String]>.texts(
        "resource.background", .anomalies, .names, "network,observer,audio",
        "Resources that may run in Background.")
    package let overlayGrace = Setting<Int64>.duration(
        "overlay.grace", .anomalies, "1s", in: 0...Units.minute,
        "A privacy overlay still shown so long after an activate is overlay_leaked.")

    // MARK: Output

    package let groupBy = Setting<[GroupingDimension]>.choices(
        "group.by", .output, [GroupingDimension.appID, .platform, .appVersion],
        "The dimensions of a record, in this order; the others are left out.")
    package let groupLimit = Setting<Int>.count(
        "group.limit", .output, "10000", in: 1...1_000_000,
        "Live groups a window; further ones fold into __other__.")
    package let windowSizes = Setting<[Int64]>.durations(
        "window.sizes", .output, "1m", in: Units.second...(400 * Units.day),
        "Up to 8 sizes of tumbling windows, aligned to the epoch in UTC: 1m,1h,1d.")
    package let windowGrace = Setting<Int64>.duration(
        "window.grace", .output, "6h", in: 0...(400 * Units.day),
        "How long after its end, in stream time, a window takes late events.")
    package let emit = Setting<Emission>.choice(
        "emit", .output, .updates,
        "updates: a new revision of each changed window every commit; final: only the last one.")
    package let histogramMaxBuckets = Setting<Int>.count(
        "histogram.max_buckets", .output, "320", in: 2...4096,
        "Buckets of a histogram; a wider one is made coarser.")

    // MARK: Delivery

    package let deliveryGuarantee = Setting<DeliveryGuarantee>.choice(
        "delivery.guarantee", .delivery, .exactlyOnce,
        "exactly_once: a transaction each commit. at_least_once: no transactions; after a fault some count twice.")
    package let transactionTimeout = Setting<Int64>.duration(
        "transaction.timeout", .delivery, "10s", in: Units.second...(15 * Units.minute),
        "The broker ends a transaction that is open for longer: readers wait no longer for a worker that died within a "
            + "commit, where no other takes its partitions over.")
    package let workerName = Setting<String?>.text(
        "worker.name", .delivery, .topic, absent: "host and process",
        "Names this worker in dead letters.")
    package let commitInterval = Setting<Int64>.duration(
        "commit.interval", .delivery, "1s", in: 50...Units.minute,
        "How often what was gathered goes out and offsets are committed.")
    package let checkpointPass = Setting<Int>.count(
        "checkpoint.pass", .delivery, "600", in: 2...100_000,
        "Commits in which the checkpoint writes every state once, beside those that change.")
    package let standbyReplicas = Setting<Int>.count(
        "standby.replicas", .delivery, "0", in: 0...8,
        "So many workers beside the one that folds a partition follow its checkpoint, so that one of them takes it "
            + "over after reading the tail alone. Each costs memory for its states, and the reading of its checkpoint.")
    package let standbyMemory = Setting<Int>.bytes(
        "standby.memory", .delivery, "1GiB", in: Units.mebibyte...(1024 * Units.gibibyte),
        "States that a worker keeps for standby.replicas take no more; partitions beyond it are not followed.")
    package let revokeBudget = Setting<Int64>.duration(
        "revoke.budget", .delivery, "5s", in: 100...Units.minute,
        "Time for the last commit of a partition that is taken away.")
    package let shutdownTimeout = Setting<Int64>.duration(
        "shutdown.timeout", .delivery, "20s", in: Units.second...(10 * Units.minute),
        "Time from SIGTERM to the end of the process.")

    // MARK: HTTP

    package let httpListen = Setting<ListenAddress>.address(
        "http.listen", .serving, "127.0.0.1:8088",
        "Where the page, the metrics and the probes are served; port 0 takes a free one.")
    package let httpToken = Setting<String?>.text(
        "http.token", .serving, .secret, absent: "none; needed beyond loopback",
        "The bearer token that guards everything but health.")

    // MARK: Logs

    package let logFormat = Setting<LogForm>.choice(
        "log.format", .logging, .text,
        "The form of the lines on stderr.")
    package let logLevel = Setting<LogThreshold>.choice(
        "log.level", .logging, .info,
        "The least severe lines that are written.")
}
