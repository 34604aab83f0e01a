import CSimdJSON
import Lifecycle

extension RecordDecoder {
    /// A record of JSON: an object, an array of objects, or objects line by line.
    mutating func decodeJSON(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        let mark = batch.mark
        if takesShortWay, decodePlain(text, key: key, of: origin, lexicon: &lexicon, into: &batch) { return }
        batch.takeBack(to: mark)
        decodeAny(text, key: key, of: origin, lexicon: &lexicon, into: &batch)
    }

    /// The short way, which nearly every record takes.
    ///
    /// - Returns: whether it led through the record; else what stands in the batch is void.
    private mutating func decodePlain(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> Bool {
        var object = unsafe pfj_object()
        var index = 0
        var status = unsafe parser.openPlain(text, &object)
        while status == PFJ_OBJECT {
            let fault = unsafe append(EventObject(object), key: key, of: origin, lexicon: &lexicon, to: &batch)
            let isLast = unsafe object.is_last
            if let fault {
                let isOnly = index == 0 && isLast && !parser.isArray
                batch.reject(origin, isOnly ? nil : index, RejectionCode(fault))
            }
            if isLast { return true }
            index += 1
            status = unsafe parser.nextPlain(&object)
        }
        return status == PFJ_END
    }

    /// The full way, which says what is wrong.
    private mutating func decodeAny(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        let end = text.endWithoutBlanks
        guard end > 0 else { return }
        let text = text.extracting(0..<end)
        let mark = batch.mark
        guard let newline = text.firstIndex(of: .newline) else {
            let status = decodeText(text, key: key, of: origin, lexicon: &lexicon, into: &batch)
            if status == PFJ_END { return }
            batch.takeBack(to: mark)
            if !decodeItems(text, key: key, of: origin, lexicon: &lexicon, into: &batch) {
                rejectWhole(origin, status, from: mark, in: &batch)
            }
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
        if decodeItems(text, key: key, of: origin, lexicon: &lexicon, into: &batch) { return }
        batch.takeBack(to: mark)
        if !decodeLines(text, key: key, of: origin, lexicon: &lexicon, into: &batch) {
            rejectWhole(origin, status, from: mark, in: &batch)
        }
    }

    /// A request of OpenTelemetry.
    mutating func decodeTelemetry(
        _ text: RawSpan, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        guard text.endWithoutBlanks > 0 else { return }
        var status = parser.open(text)
        if status == PFJ_OBJECT { status = parser.check() }
        guard status == PFJ_OBJECT else {
            batch.reject(origin, nil, RejectionCode(status))
            return
        }
        otlp.readJSON(parser, of: origin, vocabulary: &vocabulary, lexicon: &lexicon, into: &batch)
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
                if !isArray, options.format == .auto, unsafe EventObject(object).isRequest {
                    decodeTelemetry(text, of: origin, lexicon: &lexicon, into: &batch)
                    return PFJ_END
                }
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

    /// One object that stands by itself.
    ///
    /// - Returns: whether it is one.
    mutating func decodeLine(
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
