import Lifecycle
import Testing

@testable import Folding

/// What clocks tell beside times takes memory of the devices alone that tell it, and as long as they do.
@Suite struct DeviceMomentsTests {
    private static let epoch: Int64 = 1_698_000_000_000
    private static let key = InstallationKey(high: 1, low: 2)
    private static let marks: [Device.Mark] = [.since, .last, .latencyFrom]

    /// Moments of all kinds that devices and checkpoints tell of.
    private static let moments: [Moment] = [
        .never,
        Moment(time: epoch, monotonic: Moment.absent, domain: 0, setting: 0),
        Moment(time: epoch + 1, monotonic: 5_000_000, domain: 7, setting: 0),
        Moment(time: epoch + 2, monotonic: 6_000_000, domain: 0, setting: 0),
        Moment(time: epoch + 3, monotonic: Moment.absent, domain: 0, setting: 3),
        Moment(time: epoch + 4, monotonic: Moment.absent, domain: 0, setting: Moment.fixed),
        Moment(time: epoch + 5, monotonic: Moment.absent, domain: 9, setting: 0),
        Moment(time: Moment.absent, monotonic: Moment.absent, domain: 0, setting: 0),
        Moment(time: Moment.absent, monotonic: 8, domain: 4, setting: Moment.fixed),
    ]

    /// Whatever three moments follow each other in a state, each is what was set last.
    @Test func momentsAreWhatWasSet() {
        let context = Fold { _ in }.core.context
        var device = Device(Self.key)
        var expected = [Moment](repeating: .never, count: 3)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let which = Int.random(in: 0..<3, using: &random)
            expected[which] = Self.moments[Int.random(in: 0..<Self.moments.count, using: &random)]
            device.set(Self.marks[which], expected[which], context)
            #expect(Self.marks.map { device.moment($0, context) } == expected)
            let isUsual = expected.allSatisfy { $0 == Self.moments[1] || $0 == .never }
            #expect(context.clocks.count == (isUsual ? 0 : 1))
        }
    }

    private static func event(_ edge: Edge, of device: Int64, second: Int64, monotonic: Bool = true) -> Event {
        var event = Fold.event(edge, of: device, at: epoch + second * 1000)
        event.process = 77
        if monotonic { event.monotonic = second * 1_000_000 }
        return event
    }

    private static let edges: [Edge] = [.launch, .activate, .resign, .enterBackground]

    @Test func mostDevicesHaveNone() {
        let fold = Fold { _ in }
        for (second, edge) in Self.edges.enumerated() {
            fold.take((1...5).map { Self.event(edge, of: $0, second: Int64(second), monotonic: $0 == 3) })
        }
        #expect(fold.devices == 5)
        #expect(fold.core.context.clocks.count == 1)
        #expect(fold.core.context.partByteCount > fold.core.context.store.byteCount)
        // A source that tells no such clock any more: once the last moment from before has been replaced, it is gone.
        for (second, edge) in Self.edges.enumerated() {
            fold.take([Self.event(edge, of: 3, second: 60 + Int64(second), monotonic: false)])
        }
        #expect(fold.core.context.clocks.count == 0)
    }

    @Test func noneIsLeftOfDevicesThatExpired() {
        let fold = Fold { $0.stateTTL = 3_600_000 }
        for second in 0..<4 as Range<Int64> {
            fold.take((0..<100).map { Self.event(Self.edges[Int(second)], of: $0, second: second) })
        }
        #expect(fold.core.context.clocks.count == 100)
        fold.take([Self.event(.heartbeat, of: 1000, second: 90_000, monotonic: false)])
        #expect(fold.devices == 1)
        #expect(fold.core.context.clocks.count == 0)
    }

    /// A state that is told again takes the place of the one before, and what has ended is gone.
    @Test func aRestorationLeavesNoneBehind() throws {
        let writer = Fold { $0.stateTTL = 3_600_000 }
        writer.core.notesChanges = true
        let reader = Fold { $0.stateTTL = 3_600_000 }
        func pass(_ number: UInt64) throws {
            for block in writer.core.saveChanges(pass: number, writer.lexicon) {
                let count = try unsafe reader.core.restore(
                    block.bytes.span.bytes, stream: writer.core.context.stream, places: 1000, &reader.lexicon)
                #expect(count == block.entries)
            }
        }
        for round in 0..<6 as Range<Int64> {
            for (second, edge) in Self.edges.enumerated() {
                // Every other round half of them tell no such clock.
                fold(writer, edge, second: round * 10 + Int64(second), monotonic: { $0 % 2 == 0 || round % 2 == 0 })
                try pass(UInt64(round / 2))
            }
            #expect(reader.core.context.clocks.count == writer.core.context.clocks.count)
            #expect(writer.core.context.clocks.count == (round % 2 == 0 ? 40 : 20))
        }
        reader.core.context.stream = writer.core.context.stream
        let isSame = reader.core.snapshot(reader.lexicon) == writer.core.snapshot(writer.lexicon)
        #expect(isSame)
        writer.take([Self.event(.heartbeat, of: 1000, second: 90_000, monotonic: false)])
        try pass(3)
        #expect(writer.core.context.clocks.count == 0)
        #expect(reader.core.context.clocks.count == 0)
    }

    private func fold(_ fold: Fold, _ edge: Edge, second: Int64, monotonic: (Int64) -> Bool) {
        fold.take((0..<40).map { Self.event(edge, of: $0, second: second, monotonic: monotonic($0)) })
    }
}
