package import Aggregating
internal import Decoding
package import Lifecycle

/// Stage 0 of one input partition, without Kafka: decodes records once and packs their events by installation, so
/// that every event of one comes to the same partition of `<app>-events`.
///
/// Owned by one task and touched on its queue alone.
package final class EventRouter {
    private var decoder: RecordDecoder
    private var lexicon = Lexicon()
    private var batch = EventBatch(capacity: PartitionEngine.batchEvents * 2)
    private var packers: [EventPacker]
    /// The largest receive time that each packer has been told.
    private var told: [Int64]
    /// Those that the source record in hand has given events to.
    private var touched: [Int] = []
    private var full = RecordBatch()
    /// Records taken in, events of other telemetry, and what could not be read.
    package private(set) var counts = EngineCounts()
    /// The largest receive time so far, ms since the epoch.
    private var watermark = Event.absent

    /// A record of events is closed when it holds so many bytes, at the end of a source record.
    private static let recordLimit = 200 << 10
    /// A source record of very many events is divided: a record holds no more bytes than this.
    private static let hardLimit = 512 << 10
    /// Bytes of closed records beyond which the epoch should be closed before its time.
    private static let epochLimit = 32 << 20

    /// - Parameter partitions: of `<app>-events`.
    package init(_ settings: EngineSettings, partitions: Int) {
        precondition(partitions > 0, "events go somewhere")
        decoder = RecordDecoder(settings.decoding)
        packers = Array(repeating: EventPacker(), count: partitions)
        told = Array(repeating: Event.absent, count: partitions)
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
            if event.received != Event.absent { watermark = max(watermark, event.received) }
            if event.edge == .tick { continue }
            let target = Int(event.installation.high % UInt64(packers.count))
            if packers[target].isBetweenRecords { touched.append(target) }
            packers[target].append(event, lexicon: lexicon)
            told[target] = max(told[target], event.received)
            if packers[target].byteCount >= Self.hardLimit { close(target) }
        }
        for target in touched {
            packers[target].endRecord()
            if packers[target].byteCount >= Self.recordLimit { close(target) }
        }
        touched.removeAll(keepingCapacity: true)
    }

    private func close(_ target: Int) {
        full.append(value: packers[target].take(), route: UInt64(target))
    }

    /// So much was gathered that the epoch should be closed before its time.
    package var isFull: Bool { full.bytes.count >= Self.epochLimit }

    /// Closes the epoch: appends the packed events, whose route is their partition.
    ///
    /// Every partition hears how far this source has come: stream time goes on there too where no event came.
    package func closeEpoch(into events: inout RecordBatch) {
        for target in packers.indices {
            if told[target] < watermark {
                var tick = Event.tick(received: watermark)
                tick.record = 0
                packers[target].append(tick, lexicon: lexicon)
                told[target] = watermark
            }
            if packers[target].count > 0 { close(target) }
        }
        if events.isEmpty {
            swap(&events, &full)
        } else {
            events.append(contentsOf: full)
            full.removeAll()
        }
    }
}
