import CSimdJSON
import Lifecycle

/// The fields of one JSON object as they are asked for; remembers the first of them that is wrong.
///
/// The main fields are read without a look at what they are: before that they are plain as they came, or become so by
/// ``examine(_:)``. The others are looked at when they are asked for.
///
/// Inlined where events are made, so that it lives in registers.
@safe
struct EventObject {
    private var present: UInt32
    private let shortTexts: UInt32
    private let shortNumbers: UInt32
    private let values: UnsafeMutablePointer<pfj_value>
    /// ``Fault/code`` of the first fault in the order of the fields; greater than any where there is none.
    private var worst = UInt32.max

    @inline(__always)
    init(_ object: pfj_object) {
        unsafe present = object.present
        unsafe shortTexts = object.short_texts
        unsafe shortNumbers = object.short_numbers
        unsafe values = object.values
    }

    @inline(__always)
    var isFaulty: Bool { worst != UInt32.max }

    /// What is wrong with it; nil where nothing is.
    var fault: Fault? { Fault(code: worst) }

    /// The fields that are read without a look at what they are, texts and numbers.
    static var mainTexts: UInt32 {
        EventField.deviceID.bit | EventField.appID.bit | EventField.event.bit | EventField.processID.bit
            | EventField.sessionID.bit | EventField.platform.bit | EventField.appVersion.bit
            | EventField.osVersion.bit | EventField.deviceModel.bit
    }
    static var mainNumbers: UInt32 { EventField.time.bit | EventField.sequence.bit | EventField.received.bit }

    /// The fields that most events do without.
    static var seldom: UInt32 {
        EventField.sent.bit | EventField.monotonic.bit | EventField.handler.bit | EventField.bootID.bit
            | EventField.eventID.bit | EventField.instance.bit | EventField.className.bit | EventField.reason.bit
            | EventField.resource.bit | EventField.exitReason.bit | EventField.prewarm.bit
    }

    /// Whether it is a request of OpenTelemetry.
    var isRequest: Bool {
        isList(PFJ_RESOURCE_LOGS) || isList(PFJ_RESOURCE_SPANS) || isList(PFJ_RESOURCE_METRICS)
    }

    private func isList(_ field: pfj_field) -> Bool {
        unsafe present >> field.rawValue & 1 != 0 && values[Int(field.rawValue)].kind == PFJ_LIST
    }

    @inline(__always)
    func hasAny(of mask: UInt32) -> Bool { present & mask != 0 }

    @inline(__always)
    func has(_ field: EventField) -> Bool { present & field.bit != 0 }

    @inline(__always)
    private func value(_ field: EventField) -> UnsafeMutablePointer<pfj_value> { unsafe values + Int(field.rawValue) }

    /// The earliest field of the table stands, whatever the order in which they are asked for.
    @inline(__always)
    mutating func note(_ kind: Fault.Kind, _ field: EventField) {
        let fault = Fault(kind: kind, field: field)
        if fault.field.rawValue < worst >> Fault.kindBits { worst = fault.code }
    }

    /// The text of a field; of no bytes where it is absent or wrong.
    @inline(__always)
    mutating func text(_ field: EventField) -> FieldText {
        let value = unsafe value(field)
        guard has(field) else { return unsafe FieldText(start: UnsafeRawPointer(value), count: 0) }
        if unsafe pfj_form(value) <= UInt64(field.limit) {
            return unsafe FieldText(
                start: UnsafeRawPointer(value.pointee.bytes.unsafelyUnwrapped), count: Int(value.pointee.length))
        }
        unsafe note(value.pointee.kind == PFJ_STRING ? .tooLong : .bad, field)
        return unsafe FieldText(start: UnsafeRawPointer(value), count: 0)
    }

    /// The hash of a text; 0 where it is absent or empty.
    @inline(__always)
    mutating func hash(_ field: EventField) -> UInt64 { Self.hash(text(field)) }

    @inline(__always)
    static func hash(_ text: FieldText) -> UInt64 {
        text.isEmpty ? 0 : unsafe StableHash.hash(RawSpan(_unsafeStart: text.start, byteCount: text.count))
    }

    // MARK: Fields of a known form

    /// Whether those fields of these that are there are short texts and short numbers.
    @inline(__always)
    func hasOnlyShort(texts: UInt32, numbers: UInt32) -> Bool {
        present & (texts | numbers) & ~(shortTexts & texts | shortNumbers & numbers) == 0
    }

    /// The text of a field that is there, and is one.
    @inline(__always)
    func known(text field: EventField) -> FieldText {
        let value = unsafe value(field)
        return unsafe FieldText(
            start: UnsafeRawPointer(value.pointee.bytes.unsafelyUnwrapped), count: Int(value.pointee.length))
    }

    /// The number of a field that is there, and has one.
    @inline(__always)
    func known(number field: EventField) -> Int64 { unsafe value(field).pointee.integer }

    /// What the text of a field that is there, and is one, is known again by.
    @inline(__always)
    func digest(_ field: EventField) -> UInt64 { unsafe pfj_digest(value(field)) }

    /// nil where the field is no integer.
    func integer(_ field: EventField) -> Int64? {
        let value = unsafe value(field).pointee
        return unsafe value.kind == PFJ_INTEGER ? value.integer : nil
    }

    /// Makes a number of a field.
    mutating func put(_ number: Int64, in field: EventField) {
        unsafe value(field).pointee.kind = PFJ_INTEGER
        unsafe value(field).pointee.integer = number
    }

    /// From here on the field is absent.
    mutating func remove(_ field: EventField) { present &= ~field.bit }

    // MARK: Any field

    /// The id of a text.
    @inline(__always)
    mutating func id(_ field: EventField, in texts: inout TextTable) -> UInt32 {
        let text = text(field)
        if text.isEmpty { return TextTable.empty }
        return unsafe texts.intern(RawSpan(_unsafeStart: text.start, byteCount: text.count))
    }

    /// Milliseconds since the epoch; ``Event/absent`` where it is absent or 0.
    @inline(__always)
    mutating func time(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        let value = unsafe value(field)
        if unsafe value.pointee.kind == PFJ_INTEGER {
            let integer = unsafe value.pointee.integer
            if integer > 0, integer < Instant.nanosecondsFrom { return integer }
        }
        if let time = unsafe Self.otherTime(value) { return time }
        note(.bad, field)
        return Event.absent
    }

    @inline(never)
    private static func otherTime(_ value: UnsafePointer<pfj_value>) -> Int64? {
        let value = unsafe value.pointee
        var time: Int64?
        if unsafe value.kind == PFJ_INTEGER {
            time = unsafe Instant.milliseconds(of: value.integer)
        } else if unsafe value.kind == PFJ_STRING {
            time = unsafe Instant.milliseconds(
                of: RawSpan(_unsafeStart: value.bytes, byteCount: Int(value.length)))
        }
        return time == 0 ? Event.absent : time
    }

    /// Microseconds of a number of milliseconds.
    @inline(__always)
    mutating func microseconds(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        if let amount = unsafe Self.microseconds(value(field)) { return amount }
        note(.bad, field)
        return Event.absent
    }

    @inline(never)
    private static func microseconds(_ value: UnsafePointer<pfj_value>) -> Int64? {
        let value = unsafe value.pointee
        switch unsafe value.kind {
        case PFJ_INTEGER: return unsafe Microseconds.of(milliseconds: value.integer)
        case PFJ_NUMBER:
            return unsafe Microseconds.of(
                number: RawSpan(_unsafeStart: value.bytes, byteCount: Int(value.length)))
        default: return nil
        }
    }

    @inline(__always)
    mutating func flag(_ field: EventField) -> Bool {
        guard has(field) else { return false }
        let kind = unsafe value(field).pointee.kind
        if kind != PFJ_TRUE, kind != PFJ_FALSE { note(.bad, field) }
        return kind == PFJ_TRUE
    }

    /// The scope that is named, in any case; nil where none is.
    @inline(__always)
    mutating func scope() -> Scope? {
        let text = text(.scope)
        if text.isEmpty { return nil }
        if let scope = Self.scope(named: text) { return scope }
        note(.bad, .scope)
        return nil
    }

    @inline(never)
    private static func scope(named text: FieldText) -> Scope? {
        if text.spells("app") { return .app }
        if text.spells("scene") { return .scene }
        if text.spells("activity") { return .activity }
        if text.spells("view") { return .view }
        return nil
    }
}

/// A text where it stands, never null; as long as the parser opens no other.
@safe
struct FieldText: BitwiseCopyable {
    let start: UnsafeRawPointer
    let count: Int

    @inline(__always)
    fileprivate init(start: UnsafeRawPointer, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    @inline(__always)
    var isEmpty: Bool { count == 0 }

    /// Whether the bytes are an ASCII word of lower case, in any case.
    fileprivate func spells(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let byte = unsafe start.load(fromByteOffset: index, as: UInt8.self)
            if unsafe byte | 0x20 != word.utf8Start[index] { return false }
        }
        return true
    }
}
