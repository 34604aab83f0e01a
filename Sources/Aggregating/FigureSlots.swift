package import Lifecycle

/// The plain numbers of a record, each with a place of its own in a set of 64.
///
/// The places are part of the packed form: what is added goes to the end, and the form's version with it.
package struct FigureSlot: BitwiseCopyable, Sendable, Hashable {
    package let place: UInt8

    @inlinable
    init(_ place: Int) { self.place = UInt8(truncatingIfNeeded: place) }

    package static var events: FigureSlot { FigureSlot(0) }
    package static var eventsOther: FigureSlot { FigureSlot(1) }
    package static var lateEvents: FigureSlot { FigureSlot(2) }
    package static func counter(_ counter: Counter) -> FigureSlot { FigureSlot(3 + Int(counter.rawValue)) }
    package static func count(_ class: InactiveClass) -> FigureSlot { FigureSlot(14 + 2 * Int(`class`.rawValue)) }
    package static func sum(_ class: InactiveClass) -> FigureSlot { FigureSlot(15 + 2 * Int(`class`.rawValue)) }
    package static func count(_ interval: IntervalKind) -> FigureSlot { FigureSlot(22 + 2 * Int(interval.rawValue)) }
    package static func sum(_ interval: IntervalKind) -> FigureSlot { FigureSlot(23 + 2 * Int(interval.rawValue)) }
    package static func count(inferred phase: Phase) -> FigureSlot { FigureSlot(28 + 2 * Int(phase.rawValue)) }
    package static func sum(inferred phase: Phase) -> FigureSlot { FigureSlot(29 + 2 * Int(phase.rawValue)) }
    package static func anomaly(_ anomaly: Anomaly) -> FigureSlot { FigureSlot(38 + Int(anomaly.rawValue)) }
    /// How many places are taken.
    static let count = 59
}

/// A number for each place, whether it occurred or not: 472 bytes, in which adding is one addition.
struct DenseFigures {
    private var numbers = InlineArray<59, Int64>(repeating: 0)

    @inline(__always)
    mutating func add(_ value: Int64, to slot: FigureSlot) {
        let place = Int(slot.place)
        numbers[place] = numbers[place].addingUpToLimit(value)
    }

    /// What is not 0.
    var set: FigureSet { FigureSet(numbers.span) }
}

/// Numbers that are not negative, kept only where not 0: 16 bytes, and a heap block of 32 + 8 bytes a number.
package struct FigureSet: Sendable, Equatable {
    /// Bit p: the number of place p is kept, at as many numbers as lower bits are set.
    private(set) var places: UInt64 = 0
    private(set) var numbers: ContiguousArray<Int64> = []

    package init() {}

    /// What is not 0 of all numbers, by their places.
    init(_ all: Span<Int64>) {
        for place in all.indices where all[place] != 0 { places |= 1 << UInt64(place) }
        numbers.reserveCapacity(places.nonzeroBitCount)
        var rest = places
        while rest != 0 {
            numbers.append(all[rest.trailingZeroBitCount])
            rest &= rest &- 1
        }
    }

    var isEmpty: Bool { places == 0 }

    package subscript(slot: FigureSlot) -> Int64 {
        let bit: UInt64 = 1 << UInt64(slot.place)
        return places & bit == 0 ? 0 : numbers[(places & (bit &- 1)).nonzeroBitCount]
    }

    @inline(__always)
    package mutating func add(_ value: Int64, to slot: FigureSlot) {
        let bit: UInt64 = 1 << UInt64(slot.place)
        let rank = slot.place == 0 ? 0 : (places & (bit &- 1)).nonzeroBitCount
        if places & bit != 0 {
            numbers[rank] = numbers[rank].addingUpToLimit(value)
        } else if value != 0 {
            take(value, bit: bit, at: rank)
        }
    }

    mutating func merge(_ other: borrowing FigureSet) {
        var rest = other.places
        var rank = 0
        while rest != 0 {
            add(other.numbers[rank], to: FigureSlot(rest.trailingZeroBitCount))
            rank += 1
            rest &= rest &- 1
        }
    }

    @inline(never)
    private mutating func take(_ value: Int64, bit: UInt64, at rank: Int) {
        if numbers.isEmpty { numbers.reserveCapacity(4) }
        numbers.insert(value, at: rank)
        places |= bit
    }
}
