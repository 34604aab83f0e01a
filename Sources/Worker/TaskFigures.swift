internal import Aggregating
internal import Engine
internal import Kafka
internal import Lifecycle
internal import Metering

extension TopicPartition {
    /// How metrics name it.
    var label: String { "\(topic)-\(partition)" }
}

extension Metrics {
    /// Shows nothing of the state of a partition that was given up: whoever has it now tells of it, and a sum over
    /// workers counts it once. What was counted stays.
    func giveUp(_ partition: TopicPartition) {
        let label = partition.label
        remove(\.eventsHeld, label)
        remove(\.bytesAhead, label)
        remove(\.bytesWaiting, label)
        remove(\.devices, label)
        remove(\.stateBytes, label)
        remove(\.streamTime, label)
        remove(\.windowsOpen, label)
        remove(\.groups, label)
        remove(\.restoring, label)
        remove(\.lag, partition.topic, String(partition.partition))
    }
}

/// The metrics of one partition that events are read from: of stage 0 or 1.
final class InputFigures {
    let records: Metering.Counter
    let bytes: Metering.Counter
    private let events: Metering.Counter
    private let other: Metering.Counter
    private let metrics: Metrics
    private let tally: EventTally?
    private var last = EngineCounts()
    private var lastPacked = 0

    /// - Parameter tally: nil where another stage has counted the events already.
    init(_ partition: TopicPartition, _ metrics: Metrics, _ tally: EventTally?) {
        let label = partition.label
        self.metrics = metrics
        self.tally = tally
        records = metrics.counter(\.recordsIn, label)
        bytes = metrics.counter(\.bytesIn, label)
        events = metrics.counter(\.eventsIn, label)
        other = metrics.counter(\.eventsOther, label)
    }

    /// Counts begin with their engine; these counters go on over several.
    /// - Parameter packed: events that went on to stage 1, which counts what becomes of them.
    func update(_ counts: EngineCounts, packed: Int = 0) {
        let ended = counts.events - last.events
        events.add(upBy: ended)
        other.add(upBy: counts.other + counts.otherTelemetry - last.other - last.otherTelemetry)
        tally?.add(events: ended + packed - lastPacked, unreadable: counts.deadLettered - last.deadLettered)
        (last, lastPacked) = (counts, packed)
    }

    func rejected(_ rejections: [Rejection]) {
        for rejection in rejections { metrics.counter(\.deadLetters, rejection.code.code).add() }
    }

    /// - Parameter count: records of stage 0.
    func unreadable(_ count: Int) {
        if count > 0 { metrics.counter(\.eventRecordsUnreadable).add(UInt64(count)) }
    }

    func failed(_ error: KafkaError) {
        metrics.counter(\.kafkaErrors, error.name).add()
    }
}

/// What stage 1 has to tell beside.
final class FoldFigures {
    private let folded: Metering.Counter
    private let duplicates: Metering.Counter
    private let late: Metering.Counter
    private let overLimit: Metering.Counter
    private let forgotten: Metering.Counter
    private let held: Gauge
    private let groups: Gauge
    private let devices: Gauge
    private let stateBytes: Gauge
    private let waiting: Gauge
    private let streamTime: Gauge
    private var last = EngineCounts()
    private var (lastOverLimit, lastForgotten) = (0, 0)

    init(_ partition: TopicPartition, _ metrics: Metrics) {
        let label = partition.label
        forgotten = metrics.counter(\.instancesForgotten, label)
        overLimit = metrics.counter(\.overGroupLimit, Stage.fold.rawValue)
        groups = metrics.gauge(\.groups, label)
        folded = metrics.counter(\.eventsFolded, label)
        duplicates = metrics.counter(\.eventsDuplicate, label)
        late = metrics.counter(\.eventsLate, label)
        held = metrics.gauge(\.eventsHeld, label)
        devices = metrics.gauge(\.devices, label)
        stateBytes = metrics.gauge(\.stateBytes, label)
        waiting = metrics.gauge(\.bytesWaiting, label)
        streamTime = metrics.gauge(\.streamTime, label)
    }

    func update(_ engine: PartitionEngine) {
        let counts = engine.counts
        folded.add(upBy: counts.folded - last.folded)
        duplicates.add(upBy: counts.duplicates - last.duplicates)
        late.add(upBy: counts.late - last.late)
        last = counts
        overLimit.add(upBy: engine.overGroupLimit - lastOverLimit)
        forgotten.add(upBy: engine.forgottenInstances - lastForgotten)
        (lastOverLimit, lastForgotten) = (engine.overGroupLimit, engine.forgottenInstances)
        groups.set(engine.groups)
        held.set(max(engine.held, 0))
        devices.set(engine.devices)
        stateBytes.set(engine.stateBytes)
        waiting.set(engine.waitingBytes)
        if engine.watermark != Event.absent { streamTime.set(Double(engine.watermark) / 1000) }
    }
}

extension Metering.Counter {
    fileprivate func add(upBy amount: Int) { add(UInt64(max(amount, 0))) }
}

/// The metrics of one partition of stage 2.
final class TotalFigures {
    let partials: Metering.Counter
    private let overLimit: Metering.Counter
    private let windows: Gauge
    private let restoring: Gauge
    private let metrics: Metrics
    private var lastOverLimit = 0

    init(_ partition: TopicPartition, _ metrics: Metrics) {
        self.metrics = metrics
        partials = metrics.counter(\.partialsIn)
        overLimit = metrics.counter(\.overGroupLimit, Stage.total.rawValue)
        windows = metrics.gauge(\.windowsOpen, partition.label)
        restoring = metrics.gauge(\.restoring, partition.label)
    }

    func update(_ statistics: WindowTotals.Statistics) {
        windows.set(statistics.cells)
        overLimit.add(upBy: statistics.overLimit - lastOverLimit)
        lastOverLimit = statistics.overLimit
    }

    func restored(_ isRestored: Bool) {
        restoring.set(isRestored ? 0 : 1)
    }

    func unreadable(_ error: PackedError) {
        metrics.counter(\.partialsUnreadable).add()
    }

    func failed(_ error: KafkaError) {
        metrics.counter(\.kafkaErrors, error.name).add()
    }
}
