import CSimdJSON
import Lifecycle

/// The fields of one JSON object as they are asked for; remembers the first of them that is wrong.
///
/// Inlined where events are made, so that it lives in registers.
@safe
struct EventObject {
    private let present: UInt32
    private let values: UnsafePointer<pfj_value>
    /// ``Fault/code`` of the first fault in the order of the fields; greater than any where there is none.
    private var worst = UInt32.max

    @inline(__always)
    init(_ object: pfj_object) {
        unsafe present = object.present
        unsafe values = object.values
    }

    @inline(__always)
    var isFaulty: Bool { worst != UInt32.max }

    /// What is wrong with it; nil where nothing is.
    var fault: Fault? { Fault(code: worst) }

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
    private func value(_ field: EventField) -> UnsafePointer<pfj_value> { unsafe values + Int(field.rawValue) }

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
    mutating func hash(_ field: EventField) -> UInt64 {
        let text = text(field)
        return text.isEmpty ? 0 : unsafe StableHash.hash(RawSpan(_unsafeStart: text.start, byteCount: text.count))
    }

    /// Goes on with a hash from this field's text; where it is not wanted, only finds out what is wrong with it.
    @inline(__always)
    mutating func extend(_ hash: inout UInt64, with field: EventField, if isWanted: Bool) {
        let text = text(field)
        guard isWanted else { return }
        hash = unsafe StableHash.extend(hash, with: RawSpan(_unsafeStart: text.start, byteCount: text.count))
    }

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

    /// A counter: 0 to 2⁵³ - 1, which every source can hold exactly.
    @inline(__always)
    mutating func counter(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        let value = unsafe value(field)
        let integer = unsafe value.pointee.integer
        if unsafe value.pointee.kind == PFJ_INTEGER, UInt64(bitPattern: integer) < 1 << 53 { return integer }
        note(.bad, field)
        return Event.absent
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
