import Lifecycle

/// A record in protobuf, its own fields read once.
private struct OTLPSpans {
    /// Where the first and the last attribute of a log record stand, tags included.
    var logAttributes = 0..<0
    /// The same of a span; of a log record its trace id.
    var spanAttributes = 0..<0
    /// nil where no field tells a log record from a span.
    var isSpan: Bool?
    var eventName = 0..<0
    /// Field 5: of a span its name, of a log record its body.
    var nameOrBody = 0..<0
    var logTimes: (UInt64, UInt64) = (0, 0)
    var spanTimes: (UInt64, UInt64) = (0, 0)

    /// - Parameter start: where the field's tag stands.
    mutating func take(_ field: WireReader.Field, from start: Int) {
        switch (field.number, field.type) {
        case (6, .delimited):
            logAttributes = (logAttributes.isEmpty ? start : logAttributes.lowerBound)..<field.range.upperBound
            isSpan = false
        case (9, .delimited):
            spanAttributes = (spanAttributes.isEmpty ? start : spanAttributes.lowerBound)..<field.range.upperBound
        case (1, .fixed64):
            logTimes.0 = field.integer
            isSpan = false
        case (11, .fixed64):
            logTimes.1 = field.integer
            isSpan = false
        case (12, .delimited):
            eventName = field.range
            isSpan = false
        case (2, .varint), (8, .fixed32): isSpan = false
        case (5, .delimited): nameOrBody = field.range
        case (7, .fixed64):
            spanTimes.0 = field.integer
            isSpan = true
        case (8, .fixed64):
            spanTimes.1 = field.integer
            isSpan = true
        case (1, .delimited), (2, .delimited), (4, .delimited), (6, .varint), (11, .delimited), (16, .fixed32):
            isSpan = true
        default: break
        }
    }
}

extension OTLPMapper {
    /// Whether a record is a request in protobuf: a frame that the messages within fill to the last byte.
    static func isProtobuf(_ value: RawSpan) -> Bool {
        guard value.byteCount > 0, value[byte: 0] == 0x0A else { return false }
        var request = WireReader(0..<value.byteCount, of: value)
        while let group = request.next(value) {
            guard group.isMessage(1) else { return false }
            var fields = WireReader(group.range, of: value)
            while let field = fields.next(value) {
                guard field.type == .delimited, (1...3).contains(field.number) || field.number == 1000 else {
                    return false
                }
            }
            if fields.isBroken { return false }
        }
        return !request.isBroken
    }

    /// Reads one ExportLogsServiceRequest or ExportTraceServiceRequest. They have the same frame (resources, scopes,
    /// records); whether a record is a log record or a span is told by the types of its fields.
    ///
    /// Of other telemetry nothing is read but the fields of its records and the names of their attributes; a resource
    /// is read when the first record of the lifecycle asks for it. Where the bytes are broken, nothing of the record
    /// is taken in.
    mutating func readProtobuf(
        _ bytes: RawSpan, of origin: Origin, vocabulary: inout Vocabulary, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) {
        let mark = batch.mark
        let otherTelemetry = batch.otherTelemetry
        beginRequest(origin)
        var reader = WireReader(0..<bytes.byteCount, of: bytes)
        var isWhole = true
        while isWhole, let field = reader.next(bytes) {
            guard field.isMessage(1) else { continue }
            isWhole = readGroup(bytes, field.range, &vocabulary, &lexicon, &batch)
        }
        guard isWhole, !reader.isBroken else {
            batch.takeBack(to: mark)
            batch.otherTelemetry = otherTelemetry
            batch.reject(origin, nil, .invalidOTLP)
            return
        }
    }

    /// ResourceLogs or ResourceSpans; whether its bytes are whole, as with all below.
    private mutating func readGroup(
        _ bytes: RawSpan, _ range: Range<Int>, _ vocabulary: inout Vocabulary, _ lexicon: inout Lexicon,
        _ batch: inout EventBatch
    ) -> Bool {
        beginResource()
        var isResourceRead = false
        var reader = WireReader(range, of: bytes)
        while let scope = reader.next(bytes) {
            guard scope.isMessage(2) else { continue }
            var records = WireReader(scope.range, of: bytes)
            while let record = records.next(bytes) {
                guard record.isMessage(2) else { continue }
                switch readName(bytes, record.range) {
                case .broken: return false
                case .other: passOver(into: &batch)
                case .lifecycle(let name, let attributes):
                    if !isResourceRead, !readResource(bytes, range) { return false }
                    isResourceRead = true
                    if !readRest(bytes, record.range, attributes) { return false }
                    endRecord(name, vocabulary: &vocabulary, lexicon: &lexicon, into: &batch)
                }
            }
            if records.isBroken { return false }
        }
        return !reader.isBroken
    }

    private mutating func readResource(_ bytes: RawSpan, _ group: Range<Int>) -> Bool {
        var reader = WireReader(group, of: bytes)
        while let field = reader.next(bytes) {
            guard field.isMessage(1) else { continue }
            var attributes = WireReader(field.range, of: bytes)
            while let attribute = attributes.next(bytes) {
                guard attribute.isMessage(1) else { continue }
                if !Self.read(attribute.range, of: bytes, &resource, keys, only: UInt32.max) { return false }
            }
            if attributes.isBroken { return false }
        }
        return !reader.isBroken
    }

    private enum Finding {
        case broken
        case other
        /// A record of the lifecycle, and where its attributes stand.
        case lifecycle(OTLPName, attributes: Range<Int>)
    }

    /// Begins a record and reads as much of it as its name takes.
    private mutating func readName(_ bytes: RawSpan, _ range: Range<Int>) -> Finding {
        var spans = OTLPSpans()
        var reader = WireReader(range, of: bytes)
        var start = reader.position
        while let field = reader.next(bytes) {
            spans.take(field, from: start)
            start = reader.position
        }
        if reader.isBroken { return .broken }
        guard let isSpan = spans.isSpan else { return .other }
        let own = unsafe Self.slice(bytes, isSpan ? spans.nameOrBody : spans.eventName)
        let attributes = isSpan ? spans.spanAttributes : spans.logAttributes
        // A log record that has a name of its own is known by it; an attribute may give any other another one.
        if unsafe !isSpan && !own.isEmpty && OTLPName(own) == nil { return .other }
        beginRecord(isSpan: isSpan)
        (time, secondTime) = isSpan ? spans.spanTimes : spans.logTimes
        unsafe ownName = own
        if unsafe isSpan || own.isEmpty {
            guard readAttributes(bytes, attributes, only: OTLPKey.names) else { return .broken }
        }
        return lifecycleName.map { .lifecycle($0, attributes: attributes) } ?? .other
    }

    /// Reads what a record of the lifecycle has to say besides its name.
    private mutating func readRest(_ bytes: RawSpan, _ range: Range<Int>, _ attributes: Range<Int>) -> Bool {
        guard readAttributes(bytes, attributes, only: UInt32.max) else { return false }
        var reader = WireReader(range, of: bytes)
        while let field = reader.next(bytes) {
            if !isSpan, field.isMessage(5), !readBody(bytes, field.range) { return false }
            if isSpan, field.isMessage(11), !readSpanEvent(bytes, field.range) { return false }
        }
        return true
    }

    private mutating func readAttributes(_ bytes: RawSpan, _ range: Range<Int>, only wanted: UInt32) -> Bool {
        let number: UInt32 = isSpan ? 9 : 6
        var reader = WireReader(range, of: bytes)
        while let field = reader.next(bytes) {
            guard field.isMessage(number) else { continue }
            if !Self.read(field.range, of: bytes, &record, keys, only: wanted) { return false }
        }
        return true
    }

    /// An AnyValue; only one that is a list of keys and values counts.
    private mutating func readBody(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var reader = WireReader(range, of: bytes)
        while let field = reader.next(bytes) {
            guard field.isMessage(6) else { continue }
            var list = WireReader(field.range, of: bytes)
            while let pair = list.next(bytes) {
                guard pair.isMessage(1) else { continue }
                if !Self.read(pair.range, of: bytes, &body, keys, only: OTLPKey.states) { return false }
            }
            if list.isBroken { return false }
        }
        return !reader.isBroken
    }

    private mutating func readSpanEvent(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var name = 0..<0
        var time: UInt64 = 0
        var reader = WireReader(range, of: bytes)
        while let field = reader.next(bytes) {
            if field.number == 1, field.type == .fixed64 { time = field.integer }
            if field.isMessage(2) { name = field.range }
        }
        if reader.isBroken { return false }
        add(spanEvent: bytes.extracting(name), time: time)
        return true
    }

    // MARK: Values

    /// A KeyValue, taken in where its key is among those that are wanted.
    private static func read(
        _ pair: Range<Int>, of bytes: RawSpan, _ attributes: inout OTLPAttributes, _ keys: borrowing OTLPKeyTable,
        only wanted: UInt32
    ) -> Bool {
        var reader = WireReader(pair, of: bytes)
        var name = 0..<0
        var value = 0..<0
        while let field = reader.next(bytes) {
            if field.isMessage(1) {
                name = field.range
                // The key stands first; where it is none that is wanted, the value need not be looked at.
                if !keys.hasKey(ofLength: name.count, among: wanted) { return true }
            }
            if field.isMessage(2) { value = field.range }
        }
        if reader.isBroken { return false }
        guard let key = keys.key(bytes.extracting(name)), wanted & key.bit != 0 else { return true }
        var fields = WireReader(value, of: bytes)
        while let field = fields.next(bytes) {
            if field.isMessage(1) { unsafe attributes.set(key, slice(bytes, field.range)) }
            if field.number == 3, field.type == .varint {
                attributes.set(key, integer: Int64(bitPattern: field.integer))
            }
        }
        return !fields.isBroken
    }

    /// Valid as long as the record is: the caller of ``readProtobuf`` holds it.
    private static func slice(_ bytes: RawSpan, _ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe bytes.extracting(range).withUnsafeBytes { unsafe $0 }
    }
}
