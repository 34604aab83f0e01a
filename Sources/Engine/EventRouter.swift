package import Aggregating
internal import Decoding
package import Lifecycle

/// Stage 0 of one input partition, without Kafka: decodes records once and packs their events by installation, so
/// that every event of one comes to the same partition of `<app>-events`.
///
/// Each event goes with the stream time of the input partition, the largest receive time so far, by which stage 1 puts
/// those of all input partitions in order. Every partition of `<app>-events` is told how far the input partition has
/// come, where no event goes too.
///
/// Owned by one task and touched on its queue alone.
package final class EventRouter {
    private var decoder: RecordDecoder
    private var lexicon = Lexicon()
    private var batch = EventBatch(capacity: PartitionEngine.batchEvents * 2)
    private var packers: [EventPacker]
    private let source: SourcePartition
    /// What every partition has been told; nil before the first time.
    private var told: PackedHeader?
    /// Those that the source record in hand has given events to.
    private var touched: [Int] = []
    private var full = RecordBatch()
    /// Records taken in, events of other telemetry, and what could not be read.
    package private(set) var counts = EngineCounts()
    /// Events that were packed.
    package private(set) var packed = 0
    /// The largest receive time so far, ms since the epoch; ``Event/absent`` before the first.
    package private(set) var stream: Int64
    /// A later receive time is none: a clock is wrong. Such a record keeps the stream time of the one before it, ms.
    package var latest = Int64.max
    /// Nobody is to wait for the input partition: the last record's receive time was none.
    package private(set) var isPassedOver = false

    /// A record of events is closed when it holds so many bytes, at the end of a source record.
    private static let recordLimit = 200 << 10
    /// A source record of very many events is divided: a record holds no more bytes than this.
    private static let hardLimit = 512 << 10
    /// Bytes of closed records beyond which the epoch should be closed before its time.
    private static let epochLimit = 32 << 20

    /// - Parameters:
    ///   - source: the input partition.
    ///   - stream: its stream time where the records begin.
    ///   - partitions: of `<app>-events`.
    package init(
        _ settings: EngineSettings, source: SourcePartition, stream: Int64 = Event.absent, partitions: Int
    ) {
        precondition(partitions > 0, "events go somewhere")
        decoder = RecordDecoder(settings.decoding)
        packers = Array(repeating: EventPacker(), count: partitions)
        self.source = source
        self.stream = stream
    }

    /// Takes one record in; parameters as ``PartitionEngine/ingest(_:key:timestamp:)``.
    /// - Returns: what of it could not be read, for the dead-letter topic: mostly nothing.
    package func ingest(_ value: RawSpan, key: RawSpan?, timestamp: Int64) -> [Rejection] {
        decoder.decode(value, key: key, timestamp: timestamp, lexicon: &lexicon, into: &batch)
        counts.records += 1
        counts.otherTelemetry += batch.otherTelemetry
        counts.deadLettered += batch.rejections.count
        let rejections = batch.rejections
        route()
        batch.removeAll()
        return rejections
    }

    private func route() {
        for index in batch.events.indices {
            let event = batch.events[index]
            if event.received != Event.absent {
                isPassedOver = event.received > latest
                if !isPassedOver { stream = max(stream, event.received) }
            }
            if event.edge == .tick { continue }
            packed += 1
            let target = Int(event.installation.high % UInt64(packers.count))
            if packers[target].isBetweenRecords { touched.append(target) }
            packers[target].append(event, stream: stream, lexicon: lexicon)
            if packers[target].byteCount >= Self.hardLimit { close(target) }
        }
        for target in touched {
            packers[target].endRecord()
            if packers[target].byteCount >= Self.recordLimit { close(target) }
        }
        touched.removeAll(keepingCapacity: true)
    }

    private func close(_ target: Int) {
        full.append(value: packers[target].take(header(isIdle: false)), route: UInt64(target))
    }

    private func header(isIdle: Bool) -> PackedHeader {
        PackedHeader(topic: source.topic, partition: source.partition, stream: stream, isIdle: isIdle)
    }

    /// So much was gathered that the epoch should be closed before its time.
    package var isFull: Bool { full.bytes.count >= Self.epochLimit }

    /// Bytes that were gathered since the epoch began.
    package var byteCount: Int { packers.reduce(full.bytes.count) { $0 + $1.byteCount } }

    /// Closes the epoch: appends the packed events, whose route is their partition.
    ///
    /// - Parameters:
    ///   - isIdle: nobody is to wait for the input partition until more comes.
    ///   - tellsAgain: how far it is goes out where nothing is new, too: whoever reads on after a restart has not
    ///     heard it.
    package func closeEpoch(isIdle: Bool = false, tellsAgain: Bool = false, into events: inout RecordBatch) {
        let header = header(isIdle: isIdle || isPassedOver)
        let isNew = tellsAgain || header != told
        for target in packers.indices where isNew || packers[target].count > 0 {
            full.append(value: packers[target].take(header), route: UInt64(target))
        }
        told = header
        if events.isEmpty {
            swap(&events, &full)
        } else {
            events.append(contentsOf: full)
            full.removeAll()
        }
    }
}
