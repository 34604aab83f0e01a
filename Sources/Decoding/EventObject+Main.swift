import CSimdJSON
import Lifecycle

/// The main fields: those that nearly every event has.
extension EventObject {
    /// Whether the main fields can be read as they are: an event with this device, app, name and time is not wrong by
    /// them.
    @inline(__always)
    func isPlain(receives: Bool) -> Bool {
        let numbers = receives ? Self.mainNumbers : Self.mainNumbers & ~EventField.received.bit
        return hasOnlyShort(texts: Self.mainTexts, numbers: numbers)
            && has(.event) && has(.deviceID) && has(.appID) && has(.time)
            && known(text: .event).count != 0 && known(text: .deviceID).count != 0 && known(text: .appID).count != 0
            && known(number: .time) != 0
    }

    /// Notes what is wrong with the main fields, and makes them such as can be read as they are: what is wrong, or
    /// stands for nothing, is absent then, and a time a number of milliseconds.
    ///
    /// - Parameter receives: whether the time of receiving counts.
    @inline(never)
    mutating func examine(receives: Bool) {
        for field in EventField.allCases where Self.mainTexts & field.bit != 0 {
            if text(field).isEmpty { remove(field) }
        }
        examine(time: .time)
        if receives { examine(time: .received) }
        let sequence = counter(.sequence)
        if sequence == Event.absent { remove(.sequence) }
    }

    private mutating func examine(time field: EventField) {
        let time = time(field)
        if time == Event.absent { remove(field) } else { put(time, in: field) }
    }

    /// A counter: 0 to 2⁵³ - 1, which every source can hold exactly.
    private mutating func counter(_ field: EventField) -> Int64 {
        guard has(field) else { return Event.absent }
        if let integer = integer(field), UInt64(bitPattern: integer) < 1 << 53 { return integer }
        note(.bad, field)
        return Event.absent
    }

    /// The hash of a main field; 0 where it is absent or empty.
    @inline(__always)
    func known(hash field: EventField) -> UInt64 { has(field) ? Self.hash(known(text: field)) : 0 }

    /// What a main field's text is known again by; 0 where it is absent.
    @inline(__always)
    func known(digest field: EventField) -> UInt64 { has(field) ? digest(field) : 0 }

    /// A main field's number; ``Event/absent`` where it is absent.
    @inline(__always)
    func known(counter field: EventField) -> Int64 { has(field) ? known(number: field) : Event.absent }
}
