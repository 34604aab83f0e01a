import Lifecycle
import Testing

@testable import Folding

@Suite struct DeviceClockTests {
    static let tolerance: Int64 = 300_000

    @Test func theSmallestOfTheLast16Counts() {
        let clock = ClockInMemory()
        #expect(clock.offset == 0)
        for step in 0..<16 as Range<Int64> {
            clock.observe(sent: step, received: 500 + 2 * step, tolerance: Self.tolerance)
        }
        #expect(clock.offset == 500)
        clock.observe(sent: 16, received: 16 + 900, tolerance: Self.tolerance)
        #expect(clock.offset == 501, "the first has left the window")
    }

    @Test func oneUploadShowsOneDifference() {
        let clock = ClockInMemory()
        clock.observe(sent: 0, received: 100, tolerance: Self.tolerance)
        clock.observe(sent: 10, received: 400_010, tolerance: Self.tolerance)
        clock.observe(sent: 10, received: 400_010, tolerance: Self.tolerance)
        #expect(clock.setting == 0, "the second event of a hung upload tells nothing new")
        #expect(clock.offset == 100)
    }

    @Test func twoDeparturesToOneSideAreASetting() {
        let clock = ClockInMemory()
        clock.observe(sent: 0, received: 100, tolerance: Self.tolerance)
        clock.observe(sent: 3_600_000, received: 300, tolerance: Self.tolerance)
        #expect(clock.setting == 0)
        clock.observe(sent: 3_601_000, received: 1_200, tolerance: Self.tolerance)
        #expect(clock.setting == 1 && clock.canonical(clock.tag) == 1)
        #expect(clock.offset == -3_599_800)
        #expect(clock.offset(of: 0) == 100)
    }

    @Test func departuresToBothSidesAreNone() {
        let clock = ClockInMemory()
        clock.observe(sent: 0, received: 0, tolerance: Self.tolerance)
        clock.observe(sent: 1, received: 400_000, tolerance: Self.tolerance)
        clock.observe(sent: 900_000, received: 2, tolerance: Self.tolerance)
        #expect(clock.setting == 0)
        #expect(clock.offset == 0)
    }

    @Test func exactlyTheToleranceDepartsNot() {
        let clock = ClockInMemory()
        clock.observe(sent: 0, received: 0, tolerance: Self.tolerance)
        clock.observe(sent: 1_000_000, received: 700_000, tolerance: Self.tolerance)
        #expect(clock.offset == -300_000)
    }

    @Test func beyondTenYearsIsIgnored() {
        let clock = ClockInMemory()
        clock.observe(sent: 0, received: 1_700_000_000_000, tolerance: Self.tolerance)
        #expect(clock.offset == 0)
        clock.observe(sent: .min, received: .max, tolerance: Self.tolerance)
        #expect(clock.offset == 0)
    }
}

@Suite struct KnownEventsTests {
    @Test func the64LastIDsAreExact() {
        let seen = KnownInMemory()
        var answers: [Bool] = []
        for id in Array(1...64) + [1, 65, 1, 64] as [UInt64] {
            answers.append(seen.isKnown(id: id, received: 0, window: 1000))
        }
        // Of the last four: 1 is still there; 65 is new and takes its place; so 1 is new again; 64 is there.
        #expect(answers == Array(repeating: false, count: 64) + [true, false, false, true])
    }

    @Test func anIDIsForgottenAfterItsWindow() {
        let seen = KnownInMemory()
        let answers = [0, 1001, 2001].map { seen.isKnown(id: 7, received: $0, window: 1000) }
        #expect(answers == [false, false, true])
    }

    @Test func contentIsMoreThanTheEdge() {
        let seen = KnownInMemory()
        let base = Event(InstallationKey(high: 1, low: 2), .viewDidAppear, time: 5, received: 9)
        var events = [base]
        for change in 0..<8 {
            var other = base
            switch change {
            case 0: other.instance = 1
            case 1: other.className = 1
            case 2: other.session = 1
            case 3: other.process = 1
            case 4: other.resource = 1
            case 5: other.unknownName = 1
            case 6: other.time = 6
            default: other.scope = .app
            }
            events.append(other)
        }
        events.append(base)
        let answers = events.map { seen.isKnown(content: $0, resource: UInt64($0.resource)) }
        #expect(answers == Array(repeating: false, count: 9) + [true])
    }
}

/// A clock with memory for its lists, which outlives it.
private final class ClockInMemory {
    private var clock = DeviceClock()
    private let memory = SlabMemory()

    func observe(sent: Int64, received: Int64, tolerance: Int64) {
        clock.observe(sent: sent, received: received, tolerance: tolerance, in: memory)
    }

    var offset: Int64 { clock.offset }
    var setting: UInt32 { clock.setting }
    var tag: UInt32 { clock.tag }
    func canonical(_ id: UInt32) -> UInt32 { clock.canonical(id) }
    func offset(of id: UInt32) -> Int64 { clock.offset(of: id) }
}

/// Known events with memory for their lists, which outlives them.
private final class KnownInMemory {
    private var known = KnownEvents()
    private let memory = SlabMemory()

    func isKnown(id: UInt64, received: Int64, window: Int64) -> Bool {
        known.isKnown(id: id, received: received, window: window, in: memory)
    }

    func isKnown(content event: Event, resource: UInt64) -> Bool {
        known.isKnown(content: event, resource: resource, in: memory)
    }
}
