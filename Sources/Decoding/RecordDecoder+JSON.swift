import CSimdJSON
import Lifecycle

extension RecordDecoder {
    /// A record of JSON: an object, an array of objects, or objects line by line.
    mutating func decodeJSON(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        let end = text.endWithoutBlanks
        guard end > 0 else { return }
        let text = text.extracting(0..<end)
        let mark = batch.mark
        guard let newline = text.firstIndex(of: .newline) else {
            let status = decodeText(text, key: key, of: origin, lexicon: &lexicon, into: &batch)
            if status != PFJ_END { rejectWhole(origin, status, from: mark, in: &batch) }
            return
        }
        // A first line that is a whole value makes it lines; else it may be one value on several of them.
        if parser.isWhole(text.extracting(0..<newline)) {
            _ = decodeLines(text, key: key, of: origin, lexicon: &lexicon, into: &batch)
            return
        }
        let status = decodeText(text, key: key, of: origin, lexicon: &lexicon, into: &batch)
        if status == PFJ_END { return }
        batch.takeBack(to: mark)
        if !decodeLines(text, key: key, of: origin, lexicon: &lexicon, into: &batch) {
            rejectWhole(origin, status, from: mark, in: &batch)
        }
    }

    private func rejectWhole(
        _ origin: Origin, _ status: pfj_status, from mark: EventBatch.Mark, in batch: inout EventBatch
    ) {
        batch.takeBack(to: mark)
        batch.reject(origin, nil, RejectionCode(status))
    }

    /// One object or an array of them. What stands in the batch is void unless the result is `PFJ_END`.
    private mutating func decodeText(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> pfj_status {
        let status = parser.open(text)
        if status != PFJ_OBJECT { return status }
        let isArray = parser.isArray
        var index = 0
        var object = unsafe pfj_object()
        while true {
            let status = unsafe parser.next(&object)
            let place = isArray ? index : nil
            if status == PFJ_OBJECT {
                let fault = unsafe append(EventObject(object), key: key, of: origin, lexicon: &lexicon, to: &batch)
                if let fault { batch.reject(origin, place, RejectionCode(fault)) }
            } else if status == PFJ_NOT_AN_OBJECT {
                batch.reject(origin, place, .notAnObject)
            } else {
                return status
            }
            index += 1
        }
    }

    /// Objects line by line; each bad line is one bad event.
    ///
    /// - Returns: whether any line is an object.
    private mutating func decodeLines(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> Bool {
        var start = 0
        var index = 0
        var isAnyObject = false
        while start < text.byteCount {
            let end = text.firstIndex(of: .newline, from: start) ?? text.byteCount
            let line = text.extracting(start..<end)
            start = end + 1
            if line.endWithoutBlanks == 0 { continue }
            isAnyObject = decodeLine(line, index, key: key, of: origin, lexicon: &lexicon, into: &batch) || isAnyObject
            index += 1
        }
        return isAnyObject
    }

    private mutating func decodeLine(
        _ line: RawSpan, _ index: Int, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) -> Bool {
        let mark = batch.mark
        var status = parser.open(line)
        var object = unsafe pfj_object()
        if status == PFJ_OBJECT, parser.isArray {
            status = parser.isWhole(line) ? PFJ_NOT_AN_OBJECT : PFJ_INVALID
        } else if status == PFJ_OBJECT {
            status = unsafe parser.next(&object)
        }
        if status == PFJ_OBJECT {
            let fault = unsafe append(EventObject(object), key: key, of: origin, lexicon: &lexicon, to: &batch)
            if let fault { batch.reject(origin, index, RejectionCode(fault)) }
            return true
        }
        batch.takeBack(to: mark)
        batch.reject(origin, index, RejectionCode(status))
        return false
    }

    /// Appends the event of an object, unless something is wrong with it.
    private mutating func append(
        _ object: consuming EventObject, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon,
        to batch: inout EventBatch
    ) -> Fault? {
        var object = object
        let received = receiveTime(of: &object, origin)
        let happened = object.time(.time)
        let time = happened != Event.absent ? happened : received
        let bridged = object.flag(.bridged)
        let name = unsafe object.text(.event)
        let named = object.scope()
        let installation = installation(of: &object, key: key)
        let edge = unsafe vocabulary.edge(RawSpan(_unsafeBytes: name), scope: named, bridged: bridged)
        if unsafe name.isEmpty { object.note(.missing, .event) }
        if time == Event.absent { object.note(.missing, .time) }

        var event = Event(installation, edge, time: time, received: received)
        if edge == .unknown { event.unknownName = unsafe StableHash.hash(RawSpan(_unsafeBytes: name)) }
        event.scope = named ?? event.scope
        event.sent = object.time(.sent)
        event.monotonic = object.microseconds(.monotonic)
        event.sequence = object.counter(.sequence)
        event.process = object.hash(.processID)
        event.session = object.hash(.sessionID)
        event.boot = object.hash(.bootID)
        event.eventID = object.hash(.eventID)
        event.instance = object.hash(.instance)
        event.className = object.hash(.className)
        event.handler = object.microseconds(.handler)
        event.reason = object.id(.reason, in: &lexicon.texts)
        event.resource = object.id(.resource, in: &lexicon.texts)
        event.exitReason = object.id(.exitReason, in: &lexicon.texts)
        if object.flag(.prewarm) { event.flags.insert(.prewarm) }
        if bridged { event.flags.insert(.bridged) }
        event.group = group(of: &object, in: &lexicon)
        event.record = UInt32(truncatingIfNeeded: origin.record)
        if let fault = object.fault { return fault }
        batch.events.append(event)
        return nil
    }

    /// The record's timestamp, or `rx_ts` where it is honoured.
    private func receiveTime(of object: inout EventObject, _ origin: Origin) -> Int64 {
        guard options.honoursReceiveTime else { return origin.timestamp }
        let received = object.time(.received)
        return received != Event.absent ? received : origin.timestamp
    }

    /// The device that is named, or else the record's key.
    private func installation(of object: inout EventObject, key: RawSpan?) -> InstallationKey {
        let app = appHash(of: &object)
        let device = unsafe object.text(.deviceID)
        if unsafe !device.isEmpty {
            return unsafe InstallationKey(device: RawSpan(_unsafeBytes: device), app: app)
        }
        guard let key, key.byteCount > 0 else {
            object.note(.missing, .deviceID)
            return InstallationKey(high: 0, low: 0)
        }
        if key.byteCount > EventField.deviceID.limit {
            object.note(.tooLong, .deviceID)
        } else if !key.isUTF8 {
            object.note(.bad, .deviceID)
        }
        return InstallationKey(device: key, app: app)
    }

    private func appHash(of object: inout EventObject) -> UInt64 {
        let app = unsafe object.text(.appID)
        if unsafe !app.isEmpty { return unsafe StableHash.hash(RawSpan(_unsafeBytes: app)) }
        if defaultApp.isEmpty { object.note(.missing, .appID) }
        return defaultAppHash
    }

    /// The group of the dimensions that are grouped by; the others are read too, for what may be wrong with them.
    private func group(of object: inout EventObject, in lexicon: inout Lexicon) -> UInt32 {
        var dimensions = Dimensions()
        if grouping.app {
            let app = unsafe object.text(.appID)
            dimensions.app = unsafe lexicon.texts.intern(
                app.isEmpty ? defaultApp.span.bytes : RawSpan(_unsafeBytes: app))
        }
        dimensions.platform = dimension(.platform, grouping.platform, of: &object, in: &lexicon.texts)
        dimensions.appVersion = dimension(.appVersion, grouping.appVersion, of: &object, in: &lexicon.texts)
        dimensions.osVersion = dimension(.osVersion, grouping.osVersion, of: &object, in: &lexicon.texts)
        dimensions.deviceModel = dimension(.deviceModel, grouping.deviceModel, of: &object, in: &lexicon.texts)
        return lexicon.groups.intern(dimensions)
    }

    private func dimension(
        _ field: EventField, _ isGrouped: Bool, of object: inout EventObject, in texts: inout TextTable
    ) -> UInt32 {
        if isGrouped { return object.id(field, in: &texts) }
        _ = unsafe object.text(field)
        return TextTable.empty
    }
}

extension RejectionCode {
    init(_ status: pfj_status) {
        switch status {
        case PFJ_NOT_AN_OBJECT: self = .notAnObject
        case PFJ_TOO_DEEP: self = .tooDeep
        case PFJ_NO_MEMORY: self = .recordTooLarge
        default: self = .invalidJSON
        }
    }

    init(_ fault: Fault) {
        switch fault.kind {
        case .missing: self = .missing(field: fault.field.name)
        case .bad: self = .bad(field: fault.field.name)
        case .tooLong: self = .tooLong(field: fault.field.name)
        }
    }
}

extension JSONParser {
    /// Whether the text is one valid value and nothing else.
    mutating func isWhole(_ text: RawSpan) -> Bool {
        guard open(text) == PFJ_OBJECT else { return false }
        var object = unsafe pfj_object()
        while true {
            let status = unsafe next(&object)
            if status == PFJ_END { return true }
            if status != PFJ_OBJECT, status != PFJ_NOT_AN_OBJECT { return false }
        }
    }
}

extension RawSpan {
    /// Where the blanks begin that it ends with; 0 where it is blank.
    var endWithoutBlanks: Int {
        var end = byteCount
        while end > 0, self[byte: end - 1].isBlank { end -= 1 }
        return end
    }

    var isUTF8: Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe pfj_is_utf8(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }
}
