package import Lifecycle

/// Turns records into events: one for each task, used on its queue alone.
///
/// One lexicon belongs to it: it remembers ids that the lexicon gave, so that another one needs another decoder.
/// Parsers and scratch memory are kept from record to record: after the first records of the largest size nothing
/// is allocated for an event. What cannot be read is never thrown but stands in ``EventBatch/rejections``.
package struct RecordDecoder: ~Copyable {
    let options: DecodingOptions
    let grouping: Grouping
    /// UTF-8 of ``DecodingOptions/defaultAppID``; empty where there is none.
    let defaultApp: [UInt8]
    let defaultAppHash: UInt64
    var vocabulary = Vocabulary()
    var parser = JSONParser()
    /// The Android event log, and what its lines so far tell about those to come.
    package private(set) var logcat: LogcatDecoder
    var otlp: OTLPMapper
    /// By the digest of a name, its scope and whether it is bridged.
    var meanings = Memo(places: 256, Meaning(edge: .unknown, scope: .app))
    /// By the digests of the app and of all other dimensions that are grouped by.
    var groups = Memo(places: 4096, AppGroup(app: 0, id: GroupTable.overflow))
    /// Those of the event in hand, where it has any.
    var seldom = SeldomFields()
    /// False leads every record of JSON the full way: the events are the same.
    package var takesShortWay = true
    /// False lets the short way look at JSON as on a machine of narrow instructions: the events are the same.
    package var looksWide = true {
        didSet { parser.lookWide(looksWide) }
    }

    package init(_ options: DecodingOptions) {
        self.options = options
        grouping = Grouping(options.groupBy)
        logcat = LogcatDecoder(options)
        otlp = OTLPMapper(options)
        defaultApp = Array((options.defaultAppID ?? "").utf8)
        defaultAppHash = StableHash.hash(options.defaultAppID ?? "")
    }

    /// Appends the events of one record, or why they could not be read, to the batch.
    ///
    /// A record that gives no event appends a ``Edge/tick`` where its time is known, so that stream time moves; but
    /// not one of an event log, whose other lines move no time.
    ///
    /// - Parameters:
    ///   - value: the record's value; a blank one holds no event.
    ///   - key: the record's key, the device of an event that names none.
    ///   - timestamp: the record's timestamp, ms since the epoch; ``Event/absent`` where there is none.
    ///   - lexicon: takes in the texts and groups of the events.
    package mutating func decode(
        _ value: RawSpan, key: RawSpan?, timestamp: Int64, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        let before = batch.events.count
        let origin = Origin(timestamp: timestamp, record: batch.records)
        var movesTime = true
        if value.byteCount > options.maxRecordBytes {
            batch.reject(origin, nil, .recordTooLarge)
        } else {
            switch format(of: value) {
            case .logcat:
                movesTime = false
                logcat.decode(value, key: key, timestamp: timestamp, lexicon: &lexicon, into: &batch)
            case .otlpProtobuf:
                otlp.readProtobuf(value, of: origin, vocabulary: &vocabulary, lexicon: &lexicon, into: &batch)
            case .otlpJSON:
                decodeTelemetry(value, of: origin, lexicon: &lexicon, into: &batch)
            case .json, .auto:
                decodeJSON(value, key: key, of: origin, lexicon: &lexicon, into: &batch)
            }
        }
        if movesTime, batch.events.count == before, timestamp != Event.absent {
            var tick = Event.tick(received: timestamp)
            tick.record = UInt32(truncatingIfNeeded: batch.records)
            batch.events.append(tick)
        }
        batch.records += 1
    }

    /// What the settings say or, where they leave it open, the first bytes.
    @inline(__always)
    private func format(of value: RawSpan) -> RecordFormat {
        guard options.format == .auto else { return options.format }
        return value.isObjectOfEvents ? .json : Self.formatFound(in: value)
    }

    private static func formatFound(in value: RawSpan) -> RecordFormat {
        var start = 0
        while start < value.byteCount, value[byte: start].isBlank { start += 1 }
        guard start < value.byteCount else { return .json }
        switch value[byte: start] {
        case UInt8(ascii: "{"):
            // A line feed, which begins a request in protobuf, may stand before it.
            if start > 0, OTLPMapper.isProtobuf(value) { return .otlpProtobuf }
            return OTLPMapper.isJSON(value, from: start) ? .otlpJSON : .json
        case UInt8(ascii: "["): return start > 0 && OTLPMapper.isProtobuf(value) ? .otlpProtobuf : .json
        default:
            if LogcatDecoder.isLogcat(value) { return .logcat }
            return OTLPMapper.isProtobuf(value) ? .otlpProtobuf : .json
        }
    }
}

/// What a record says about all of its events.
struct Origin {
    /// Milliseconds since the epoch, or ``Event/absent``.
    let timestamp: Int64
    /// Its number in the batch.
    let record: Int
}

extension RawSpan {
    /// Whether the first three bytes show an object that is no request of OpenTelemetry: none of them means that it is.
    @inline(__always)
    fileprivate var isObjectOfEvents: Bool {
        byteCount > 2 && self[byte: 0] == UInt8(ascii: "{") && self[byte: 1] == UInt8(ascii: "\"")
            && self[byte: 2] != UInt8(ascii: "r")
    }
}

extension EventBatch {
    mutating func reject(_ origin: Origin, _ index: Int?, _ code: RejectionCode) {
        rejections.append(Rejection(record: origin.record, index: index, code: code))
    }

    /// Takes back what stands behind a mark.
    mutating func takeBack(to mark: Mark) {
        events.removeLast(events.count - mark.events)
        rejections.removeLast(rejections.count - mark.rejections)
    }

    var mark: Mark { Mark(events: events.count, rejections: rejections.count) }

    struct Mark {
        let events: Int
        let rejections: Int
    }
}

/// Which dimensions make up a group.
struct Grouping {
    let app: Bool
    let platform: Bool
    let appVersion: Bool
    let osVersion: Bool
    let deviceModel: Bool

    init(_ dimensions: [Dimension]) {
        app = dimensions.contains(.app)
        platform = dimensions.contains(.platform)
        appVersion = dimensions.contains(.appVersion)
        osVersion = dimensions.contains(.osVersion)
        deviceModel = dimensions.contains(.deviceModel)
    }
}
