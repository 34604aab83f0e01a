import CSimdJSON
import Lifecycle

/// The fields of one JSON object as they are asked for; remembers the first of them that is wrong.
@safe
struct EventObject {
    private let object: pfj_object
    private(set) var fault: Fault?

    init(_ object: pfj_object) {
        unsafe self.object = object
    }

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
        unsafe object.present >> field.rawValue & 1 != 0 && object.values[Int(field.rawValue)].kind == PFJ_LIST
    }

    @inline(__always)
    func hasAny(of mask: UInt32) -> Bool { unsafe object.present & mask != 0 }

    @inline(__always)
    func has(_ field: EventField) -> Bool { unsafe object.present & field.bit != 0 }

    @inline(__always)
    private func value(_ field: EventField) -> pfj_value { unsafe object.values[Int(field.rawValue)] }

    /// The earliest field of the table stands, whatever the order in which they are asked for.
    mutating func note(_ kind: Fault.Kind, _ field: EventField) {
        if let fault, fault.field.rawValue <= field.rawValue { return }
        fault = Fault(kind: kind, field: field)
    }

    /// The text of a field; of no bytes where it is absent or wrong.
    @inline(__always)
    mutating func text(_ field: EventField) -> UnsafeRawBufferPointer {
        guard has(field) else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        let value = unsafe value(field)
        if unsafe value.kind == PFJ_STRING && Int(value.length) <= field.limit {
            return unsafe UnsafeRawBufferPointer(start: value.bytes, count: Int(value.length))
        }
        unsafe note(value.kind == PFJ_STRING ? .tooLong : .bad, field)
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The hash of a text; 0 where it is absent or empty.
    @inline(__always)
    mutating func hash(_ field: EventField, if isWanted: Bool = true) -> UInt64 {
        let text = unsafe text(field)
        return unsafe text.isEmpty || !isWanted ? 0 : StableHash.hash(RawSpan(_unsafeBytes: text))
    }

    /// The id of a text.
    mutating func id(_ field: EventField, in texts: inout TextTable) -> UInt32 {
        let text = unsafe text(field)
        return unsafe text.isEmpty ? TextTable.empty : texts.intern(RawSpan(_unsafeBytes: text))
    }

    /// Milliseconds since the epoch; ``Event/absent`` where it is absent or 0.
    mutating func time(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        let value = unsafe value(field)
        var time: Int64?
        if unsafe value.kind == PFJ_INTEGER {
            time = unsafe Instant.milliseconds(of: value.integer)
        } else if unsafe value.kind == PFJ_STRING {
            time = unsafe Instant.milliseconds(
                of: RawSpan(_unsafeStart: value.bytes, byteCount: Int(value.length)))
        }
        guard let time else {
            note(.bad, field)
            return Event.absent
        }
        return time == 0 ? Event.absent : time
    }

    /// A counter: 0 to 2⁵³ - 1, which every source can hold exactly.
    mutating func counter(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        let value = unsafe value(field)
        if unsafe value.kind == PFJ_INTEGER, unsafe (0..<(1 << 53)).contains(value.integer) {
            return unsafe value.integer
        }
        note(.bad, field)
        return Event.absent
    }

    /// Microseconds of a number of milliseconds.
    mutating func microseconds(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        let value = unsafe value(field)
        var amount: Int64?
        if unsafe value.kind == PFJ_INTEGER {
            amount = unsafe Microseconds.of(milliseconds: value.integer)
        } else if unsafe value.kind == PFJ_NUMBER {
            amount = unsafe Microseconds.of(
                number: RawSpan(_unsafeStart: value.bytes, byteCount: Int(value.length)))
        }
        if amount == nil { note(.bad, field) }
        return amount ?? Event.absent
    }

    mutating func flag(_ field: EventField) -> Bool {
        guard has(field) else { return false }
        let kind = unsafe value(field).kind
        if kind != PFJ_TRUE, kind != PFJ_FALSE { note(.bad, field) }
        return kind == PFJ_TRUE
    }

    /// The scope that is named, in any case; nil where none is.
    mutating func scope() -> Scope? {
        let text = unsafe text(.scope)
        if unsafe text.isEmpty { return nil }
        if unsafe text.spells("app") { return .app }
        if unsafe text.spells("scene") { return .scene }
        if unsafe text.spells("activity") { return .activity }
        if unsafe text.spells("view") { return .view }
        note(.bad, .scope)
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are an ASCII word of lower case, in any case.
    fileprivate func spells(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in indices where unsafe self[index] | 0x20 != word.utf8Start[index] { return false }
        return true
    }
}
