import CSimdJSON
import Lifecycle

extension OTLPMapper {
    /// Whether an object that begins at `start` is a request by its first key.
    static func isJSON(_ text: RawSpan, from start: Int) -> Bool {
        var index = start + 1
        while index < text.byteCount, text[byte: index].isBlank { index += 1 }
        guard index + 1 < text.byteCount, text[byte: index + 1] == UInt8(ascii: "r"),
            text.hasText("\"resource", at: index)
        else { return false }
        let rest = index + 9
        return text.hasText("Logs\"", at: rest) || text.hasText("Spans\"", at: rest)
            || text.hasText("Metrics\"", at: rest)
    }

    /// Reads one ExportLogsServiceRequest or ExportTraceServiceRequest, which the parser has opened and checked.
    ///
    /// A log record or span with a field of the wrong type is rejected alone; where what it stands in is of the wrong
    /// type, nothing of the request is taken in. Metrics are other telemetry, as one.
    mutating func readJSON(
        _ parser: borrowing JSONParser, of origin: Origin, vocabulary: inout Vocabulary, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) {
        let mark = batch.mark
        let otherTelemetry = batch.otherTelemetry
        beginRequest(origin)
        let request = parser.members(of: 0, ["resourceLogs", "resourceSpans", "resourceMetrics"])
        let isValid =
            readGroups(parser, request[0], isSpan: false, &vocabulary, &lexicon, &batch)
            && readGroups(parser, request[1], isSpan: true, &vocabulary, &lexicon, &batch)
        if !isValid {
            batch.takeBack(to: mark)
            batch.otherTelemetry = otherTelemetry
            batch.reject(origin, nil, .invalidOTLP)
        } else if !request[2].isAbsent {
            batch.otherTelemetry += 1
        }
    }

    /// Of ResourceLogs or ResourceSpans; false where something is of the wrong type, as with all below.
    private mutating func readGroups(
        _ parser: borrowing JSONParser, _ groups: JSONValue, isSpan: Bool, _ vocabulary: inout Vocabulary,
        _ lexicon: inout Lexicon, _ batch: inout EventBatch
    ) -> Bool {
        parser.forEach(in: groups) { group in
            let fields = parser.members(of: group, ["resource", isSpan ? "scopeSpans" : "scopeLogs"])
            beginResource()
            var isResourceRead = false
            return parser.forEach(in: fields[1]) { scope in
                let records = parser.members(of: scope, [isSpan ? "spans" : "logRecords"])
                return parser.forEach(in: records[0]) { record in
                    guard let name = readName(parser, record, isSpan: isSpan) else {
                        rejectRecord(&batch)
                        return true
                    }
                    if name, !isResourceRead {
                        guard readResource(parser, fields[0]) else { return false }
                        isResourceRead = true
                    }
                    if name, !readRest(parser, record) {
                        rejectRecord(&batch)
                    } else {
                        endRecord(vocabulary: &vocabulary, lexicon: &lexicon, into: &batch)
                    }
                    return true
                }
            }
        }
    }

    private mutating func rejectRecord(_ batch: inout EventBatch) {
        batch.reject(origin, index, .invalidOTLP)
        index += 1
    }

    private mutating func readResource(_ parser: borrowing JSONParser, _ value: JSONValue) -> Bool {
        if value.isAbsent { return true }
        guard let token = value.object else { return false }
        let attributes = parser.members(of: token, ["attributes"])
        return parser.forEach(in: attributes[0]) { pair in
            Self.read(parser, pair, &resource, keys, only: UInt32.max)
        }
    }

    /// Begins a record and reads as much of it as its name takes.
    ///
    /// - Returns: whether it is one of the lifecycle; nil where a field is of the wrong type.
    private mutating func readName(_ parser: borrowing JSONParser, _ record: UInt32, isSpan: Bool) -> Bool? {
        beginRecord(isSpan: isSpan)
        let fields =
            isSpan
            ? parser.members(of: record, ["name", "startTimeUnixNano", "endTimeUnixNano", "attributes"])
            : parser.members(of: record, ["eventName", "timeUnixNano", "observedTimeUnixNano", "attributes"])
        guard let time = Self.time(fields[1]), let secondTime = Self.time(fields[2]) else { return nil }
        self.time = time
        self.secondTime = secondTime
        if !fields[0].isAbsent {
            guard let text = unsafe fields[0].text else { return nil }
            unsafe ownName = text
        }
        if unsafe isSpan || ownName.isEmpty {
            guard readAttributes(parser, fields[3], only: OTLPKey.names) else { return nil }
        }
        return lifecycleName != nil
    }

    /// Reads what a record of the lifecycle has to say besides its name.
    private mutating func readRest(_ parser: borrowing JSONParser, _ record: UInt32) -> Bool {
        let fields = parser.members(of: record, ["attributes", isSpan ? "events" : "body"])
        guard readAttributes(parser, fields[0], only: UInt32.max) else { return false }
        if !isSpan { return readBody(parser, fields[1]) }
        return parser.forEach(in: fields[1]) { event in
            let fields = parser.members(of: event, ["name", "timeUnixNano"])
            guard let time = Self.time(fields[1]) else { return false }
            if fields[0].isAbsent { return true }
            guard let name = unsafe fields[0].text else { return false }
            unsafe add(spanEvent: RawSpan(_unsafeBytes: name), time: time)
            return true
        }
    }

    private mutating func readAttributes(
        _ parser: borrowing JSONParser, _ list: JSONValue, only wanted: UInt32
    ) -> Bool {
        parser.forEach(in: list) { pair in Self.read(parser, pair, &record, keys, only: wanted) }
    }

    /// An AnyValue; only one that is a list of keys and values counts.
    private mutating func readBody(_ parser: borrowing JSONParser, _ value: JSONValue) -> Bool {
        if value.isAbsent { return true }
        guard let token = value.object else { return false }
        let list = parser.members(of: token, ["kvlistValue"])[0]
        if list.isAbsent { return true }
        guard let token = list.object else { return false }
        let pairs = parser.members(of: token, ["values"])
        return parser.forEach(in: pairs[0]) { pair in
            Self.read(parser, pair, &body, keys, only: OTLPKey.states)
        }
    }

    // MARK: Values

    /// ns since the epoch, 0 where it is absent; nil where it is no such number.
    private static func time(_ value: JSONValue) -> UInt64? { value.isAbsent ? 0 : value.unsigned }

    /// A KeyValue, taken in where its key is among those that are wanted.
    private static func read(
        _ parser: borrowing JSONParser, _ pair: UInt32, _ attributes: inout OTLPAttributes,
        _ keys: borrowing OTLPKeyTable, only wanted: UInt32
    ) -> Bool {
        let fields = parser.members(of: pair, ["key", "value"])
        if fields[0].isAbsent { return true }
        guard let name = unsafe fields[0].text else { return false }
        guard let key = unsafe keys.key(RawSpan(_unsafeBytes: name)), wanted & key.bit != 0 else { return true }
        if fields[1].isAbsent { return true }
        guard let token = fields[1].object else { return false }
        let values = parser.members(of: token, ["stringValue", "intValue"])
        if !values[0].isAbsent {
            guard let text = unsafe values[0].text else { return false }
            unsafe attributes.set(key, text)
        } else if !values[1].isAbsent {
            guard let integer = values[1].integer else { return false }
            attributes.set(key, integer: integer)
        }
        return true
    }
}
