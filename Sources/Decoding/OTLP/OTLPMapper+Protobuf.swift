import Lifecycle

/// A record in protobuf, its own fields read once.
private struct OTLPSpans {
    /// nil where no field tells a log record from a span.
    var isSpan: Bool?
    var eventName = 0..<0
    /// Field 5: of a span its name, of a log record its body.
    var nameOrBody = 0..<0
    var logTimes: (UInt64, UInt64) = (0, 0)
    var spanTimes: (UInt64, UInt64) = (0, 0)

    mutating func take(_ field: WireReader.Field) {
        switch (field.number, field.type) {
        case (1, .fixed64):
            logTimes.0 = field.integer
            isSpan = false
        case (11, .fixed64):
            logTimes.1 = field.integer
            isSpan = false
        case (12, .delimited):
            eventName = field.range
            isSpan = false
        case (2, .varint), (6, .delimited), (8, .fixed32): isSpan = false
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
        var request = WireReader(0..<value.byteCount)
        while let group = request.next(value) {
            guard group.number == 1, group.type == .delimited else { return false }
            var fields = WireReader(group.range)
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
        var reader = WireReader(0..<bytes.byteCount)
        var isWhole = true
        while isWhole, let field = reader.next(bytes) {
            guard field.number == 1, field.type == .delimited else { continue }
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
        var reader = WireReader(range)
        while let scope = reader.next(bytes) {
            guard scope.number == 2, scope.type == .delimited else { continue }
            var records = WireReader(scope.range)
            while let record = records.next(bytes) {
                guard record.number == 2, record.type == .delimited else { continue }
                guard let isLifecycle = readName(bytes, record.range) else { return false }
                if isLifecycle {
                    if !isResourceRead, !readResource(bytes, range) { return false }
                    isResourceRead = true
                    if !readRest(bytes, record.range) { return false }
                }
                endRecord(vocabulary: &vocabulary, lexicon: &lexicon, into: &batch)
            }
            if records.isBroken { return false }
        }
        return !reader.isBroken
    }

    private mutating func readResource(_ bytes: RawSpan, _ group: Range<Int>) -> Bool {
        var reader = WireReader(group)
        while let field = reader.next(bytes) {
            guard field.number == 1, field.type == .delimited else { continue }
            var attributes = WireReader(field.range)
            while let attribute = attributes.next(bytes) {
                guard attribute.number == 1, attribute.type == .delimited else { continue }
                if !Self.read(attribute.range, of: bytes, &resource, keys, only: UInt32.max) { return false }
            }
            if attributes.isBroken { return false }
        }
        return !reader.isBroken
    }

    /// Begins a record and reads as much of it as its name takes.
    ///
    /// - Returns: whether it is one of the lifecycle; nil where its bytes are broken.
    private mutating func readName(_ bytes: RawSpan, _ range: Range<Int>) -> Bool? {
        var spans = OTLPSpans()
        var reader = WireReader(range)
        while let field = reader.next(bytes) { spans.take(field) }
        if reader.isBroken { return nil }
        guard let isSpan = spans.isSpan else {
            beginRecord(isSpan: false)
            return false
        }
        beginRecord(isSpan: isSpan)
        (time, secondTime) = isSpan ? spans.spanTimes : spans.logTimes
        unsafe ownName = Self.slice(bytes, isSpan ? spans.nameOrBody : spans.eventName)
        if unsafe isSpan || ownName.isEmpty {
            guard readAttributes(bytes, range, only: OTLPKey.names) else { return nil }
        }
        return lifecycleName != nil
    }

    /// Reads what a record of the lifecycle has to say besides its name.
    private mutating func readRest(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        guard readAttributes(bytes, range, only: UInt32.max) else { return false }
        var reader = WireReader(range)
        while let field = reader.next(bytes) {
            guard field.type == .delimited else { continue }
            if !isSpan, field.number == 5, !readBody(bytes, field.range) { return false }
            if isSpan, field.number == 11, !readSpanEvent(bytes, field.range) { return false }
        }
        return true
    }

    private mutating func readAttributes(_ bytes: RawSpan, _ range: Range<Int>, only wanted: UInt32) -> Bool {
        let number: UInt64 = isSpan ? 9 : 6
        var reader = WireReader(range)
        while let field = reader.next(bytes) {
            guard field.number == number, field.type == .delimited else { continue }
            if !Self.read(field.range, of: bytes, &record, keys, only: wanted) { return false }
        }
        return true
    }

    /// An AnyValue; only one that is a list of keys and values counts.
    private mutating func readBody(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var reader = WireReader(range)
        while let field = reader.next(bytes) {
            guard field.number == 6, field.type == .delimited else { continue }
            var list = WireReader(field.range)
            while let pair = list.next(bytes) {
                guard pair.number == 1, pair.type == .delimited else { continue }
                if !Self.read(pair.range, of: bytes, &body, keys, only: OTLPKey.states) { return false }
            }
            if list.isBroken { return false }
        }
        return !reader.isBroken
    }

    private mutating func readSpanEvent(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var name = 0..<0
        var time: UInt64 = 0
        var reader = WireReader(range)
        while let field = reader.next(bytes) {
            if field.number == 1, field.type == .fixed64 { time = field.integer }
            if field.number == 2, field.type == .delimited { name = field.range }
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
        var reader = WireReader(pair)
        var name = 0..<0
        var value = 0..<0
        while let field = reader.next(bytes) {
            if field.number == 1, field.type == .delimited { name = field.range }
            if field.number == 2, field.type == .delimited { value = field.range }
        }
        if reader.isBroken { return false }
        guard let key = keys.key(bytes.extracting(name)), wanted & key.bit != 0 else { return true }
        var fields = WireReader(value)
        while let field = fields.next(bytes) {
            if field.number == 1, field.type == .delimited { unsafe attributes.set(key, slice(bytes, field.range)) }
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
