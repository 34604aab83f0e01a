/// Every metric of the program: the one place where a metric is named, explained and given its labels.
///
/// A row is shown once something counts in it; see ``Metrics``.
package struct MetricTable: Sendable {
    package static let shared = MetricTable()

    /// The rows, in order.
    package static let rows: [any MetricDescription] = Mirror(reflecting: shared).children.compactMap { child in
        child.value as? any MetricDescription
    }

    // MARK: What came in and what became of it: in = folded + duplicates + late + other + dead letters

    package let recordsIn = CounterDefinition(
        "phasefold_records_in_total", .records, "Records read from an input partition.", labels: ["partition"])
    package let bytesIn = CounterDefinition(
        "phasefold_in_bytes_total", .bytes, "Bytes of the values of records read from an input partition.",
        labels: ["partition"])
    package let offsetsSkipped = CounterDefinition(
        "phasefold_offsets_skipped_total", .records,
        "Offsets of a partition that held no record: marks of transactions, aborted records, or compacted ones.",
        labels: ["partition"])
    package let recordsLost = CounterDefinition(
        "phasefold_records_lost_total", .records,
        "Records of a partition that were gone before they were read, by retention or with their topic; at most so "
            + "many, as marks of transactions count too.",
        labels: ["partition"])
    package let logsAnew = CounterDefinition(
        "phasefold_partitions_anew_total", .none,
        "Times that a partition was found to be another one: its topic deleted and made again, or its end lost.",
        labels: ["partition"])
    package let eventsIn = CounterDefinition(
        "phasefold_events_in_total", .events, "Events read from an input partition.", labels: ["partition"])
    package let eventsFolded = CounterDefinition(
        "phasefold_events_folded_total", .events, "Events with a known name that were folded.", labels: ["partition"])
    package let eventsDuplicate = CounterDefinition(
        "phasefold_events_duplicate_total", .events, "Events that had been folded before.", labels: ["partition"])
    package let eventsLate = CounterDefinition(
        "phasefold_events_late_total", .events, "Events too old to be put back in order.", labels: ["partition"])
    package let eventsOther = CounterDefinition(
        "phasefold_events_other_total", .events, "Events with an unknown name, and other telemetry.",
        labels: ["partition"])
    package let eventsHeld = GaugeDefinition(
        "phasefold_events_held", .events, "Events that wait for older ones: read, and in none of the sums yet.",
        labels: ["partition"])
    package let bytesAhead = GaugeDefinition(
        "phasefold_ahead_bytes", .bytes,
        "Where input.keyed is false: packed events of an input partition that the slowest one has not come to, as far "
            + "as this worker knows; with its share of merge.memory the partition waits.",
        labels: ["partition"])
    package let bytesWaiting = GaugeDefinition(
        "phasefold_merge_waiting_bytes", .bytes,
        "Packed events that wait in memory until all input partitions have come as far.", labels: ["partition"])
    package let deadLetters = CounterDefinition(
        "phasefold_dead_letters_total", .events, "Events and records that could not be read, by code.",
        labels: ["code"])

    // MARK: Stages

    package let partialsOut = CounterDefinition(
        "phasefold_partials_out_total", .records, "Partials sent to stage 2.")
    package let partialsIn = CounterDefinition(
        "phasefold_partials_in_total", .records, "Partials taken in by stage 2.")
    package let rowsOut = CounterDefinition(
        "phasefold_rows_out_total", .records, "Revisions of window records sent to the output topic.")
    package let tasks = GaugeDefinition(
        "phasefold_tasks", .none, "Partitions that this worker holds, by stage.", labels: ["stage"])
    package let devices = GaugeDefinition(
        "phasefold_devices", .none, "Installations whose state is held.", labels: ["partition"])
    package let stateBytes = GaugeDefinition(
        "phasefold_state_bytes", .bytes, "Memory of the states of installations.", labels: ["partition"])
    package let instancesForgotten = CounterDefinition(
        "phasefold_instances_forgotten_total", .none,
        "Scenes, activities, views and resources that were forgotten, since their installation had instances.limit "
            + "others that were heard of later.",
        labels: ["partition"])
    package let sightings = GaugeDefinition(
        "phasefold_sightings", .none, "Installations and hours that are remembered to find split keys.")
    package let windowsOpen = GaugeDefinition(
        "phasefold_windows_open", .none, "Windows that are not final yet, times their groups.", labels: ["partition"])
    package let groups = GaugeDefinition(
        "phasefold_groups", .none, "Groups that are known to a task.", labels: ["partition"])
    package let overGroupLimit = CounterDefinition(
        "phasefold_over_group_limit_total", .none,
        "Sums of a group that went to __other__, since its window had group.limit groups: of stage 1 in a commit, of "
            + "stage 2 over all partitions.",
        labels: ["stage"])
    package let lag = GaugeDefinition(
        "phasefold_lag_records", .records, "Records of a partition that are not folded yet.",
        labels: ["topic", "partition"])
    package let streamTime = GaugeDefinition(
        "phasefold_stream_time_seconds", .seconds, "Stream time of an input partition, since the epoch.",
        labels: ["partition"])

    package let partialsUnreadable = CounterDefinition(
        "phasefold_partials_unreadable_total", .records,
        "Partials that another version wrote, or that were damaged: their figures are missing.")
    package let eventRecordsUnreadable = CounterDefinition(
        "phasefold_event_records_unreadable_total", .records,
        "Records of stage 0 that another version wrote, or that were damaged: their events are missing.")
    package let restoring = GaugeDefinition(
        "phasefold_restoring", .none, "1 while the states or the open windows of a partition are restored, else 0.",
        labels: ["partition"])
    package let restoredStates = CounterDefinition(
        "phasefold_restored_states_total", .none, "States of devices read back from the checkpoint.")
    package let restoredBytes = CounterDefinition(
        "phasefold_restored_bytes_total", .bytes, "Bytes of the checkpoint read back.")
    package let restoredRecords = CounterDefinition(
        "phasefold_restored_records_total", .records,
        "Records of checkpoints read back before a partition was taken up: states of devices, or open windows.",
        labels: ["kind"])
    package let restoreSeconds = HistogramDefinition(
        "phasefold_restore_seconds", .seconds, "Time in which the states of a partition were restored.",
        bounds: [0.1, 0.3, 1, 3, 10, 30, 100, 300])
    package let checkpointsLost = CounterDefinition(
        "phasefold_checkpoints_lost_total", .none,
        "Partitions that began without states, since their checkpoint did not hold those at the committed offset, or "
            + "since that was forgotten.")
    package let savedStates = CounterDefinition(
        "phasefold_checkpoint_states_total", .none, "States of devices written to the checkpoint.")
    package let savedBytes = CounterDefinition(
        "phasefold_checkpoint_bytes_total", .bytes, "Bytes written to the checkpoint.")

    // MARK: Standby replicas

    package let standbyPartitions = GaugeDefinition(
        "phasefold_standby_partitions", .none, "Partitions of other workers whose states this one keeps.")
    package let standbyDevices = GaugeDefinition(
        "phasefold_standby_devices", .none, "Installations whose state is kept for another worker.",
        labels: ["partition"])
    package let standbyBytes = GaugeDefinition(
        "phasefold_standby_bytes", .bytes, "Memory of the states that are kept for other workers; see standby.memory.")
    package let standbyLag = GaugeDefinition(
        "phasefold_standby_lag_records", .records, "Records of the checkpoint that a kept partition is behind.",
        labels: ["partition"])
    package let standbyRefused = CounterDefinition(
        "phasefold_standby_refused_total", .none,
        "Partitions that were not followed, since standby.memory was used up.")
    package let standbyTakeOvers = CounterDefinition(
        "phasefold_standby_take_overs_total", .none,
        "Partitions that came to a worker that kept their states: of use, so that the tail was read, or read anew.",
        labels: ["kind"])

    // MARK: Delivery

    package let commits = CounterDefinition("phasefold_commits_total", .none, "Commits that went through.")
    package let commitFailures = CounterDefinition(
        "phasefold_commit_failures_total", .none, "Commits that were given up or had to be done again.")
    package let commitSeconds = HistogramDefinition(
        "phasefold_commit_seconds", .seconds, "Time of a commit.",
        bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
    package let transactionsAborted = CounterDefinition(
        "phasefold_transactions_aborted_total", .none, "Transactions that were aborted and done again, or dropped.")
    package let producersDropped = CounterDefinition(
        "phasefold_producers_dropped_total", .none,
        "Producers of transactions that were spent and made anew: fenced, timed out, or with an end in doubt.")
    package let transactionAge = GaugeDefinition(
        "phasefold_transaction_age_seconds", .seconds, "Age of the transaction that is open, else 0.")
    package let epochsWaiting = GaugeDefinition(
        "phasefold_epochs_waiting", .none, "Closings that wait for their delivery; at 2 no records are taken.")
    package let heldUpSeconds = GaugeDefinition(
        "phasefold_held_up_seconds_total", .seconds, "Time in which no records were taken because two closings waited.",
        onlyGrows: true)
    package let prefetchedRecords = GaugeDefinition(
        "phasefold_prefetched_records", .records, "Records fetched and not taken yet, over all partitions.")
    package let prefetchedBytes = GaugeDefinition(
        "phasefold_prefetched_bytes", .bytes, "Bytes fetched and not taken yet, over all partitions.")
    package let roundTrip = GaugeDefinition(
        "phasefold_kafka_round_trip_seconds", .seconds, "99th percentile of the slowest broker's round trip.",
        labels: ["client"])
    package let rebalances = CounterDefinition(
        "phasefold_rebalances_total", .none, "Assignments, revocations and losses of partitions.", labels: ["kind"])
    package let kafkaErrors = CounterDefinition(
        "phasefold_kafka_errors_total", .none, "Errors that librdkafka reported, by code.", labels: ["code"])
    package let ready = GaugeDefinition(
        "phasefold_ready", .none, "1 while the worker is assigned, restored and committing, else 0.")

    // MARK: The program

    package let logLinesLost = CounterDefinition(
        "phasefold_log_lines_lost_total", .none, "Lines of the log that were dropped because stderr did not take them.")
    package let httpRequests = CounterDefinition(
        "phasefold_http_requests_total", .none, "Requests answered, by status.", labels: ["status"])
    package let httpClients = GaugeDefinition(
        "phasefold_http_clients", .none, "Open connections.")
    package let processCPU = GaugeDefinition(
        "process_cpu_seconds_total", .seconds, "CPU time of the process, user and system.", onlyGrows: true)
    package let processMemory = GaugeDefinition(
        "process_resident_memory_bytes", .bytes, "Resident memory of the process.")
    package let processStart = GaugeDefinition(
        "process_start_time_seconds", .seconds, "Start of the process, since the epoch.")
    package let processFiles = GaugeDefinition("process_open_fds", .none, "Open file descriptors of the process.")
}
