import Lifecycle
import Testing

@testable import Folding

/// What states need beside themselves comes back, however they come and go.
@Suite struct StateMemoryTests {
    private static let epoch: Int64 = 1_698_000_000_000
    private static let day: Int64 = 86_400_000

    /// Each generation has all that a device can have, and is gone before the next one comes.
    @Test func devicesThatExpireGiveAllBack() {
        let fold = Fold { $0.stateTTL = 3_600_000 }
        var bytes: [Int] = []
        for generation in 0..<12 as Range<Int64> {
            let begin = Self.epoch + generation * Self.day
            for device in 0..<300 { fold.take(Self.life(of: generation * 1000 + Int64(device), begin)) }
            #expect(fold.devices == 300)
            bytes.append(fold.partBytes)
        }
        #expect(fold.core.context.clocks.count == 300)
        #expect(bytes[1] > 0 && bytes.allSatisfy { $0 <= bytes[1] }, "\(bytes)")
    }

    /// A record as large as they may be waits for its end in memory; once folded it takes none.
    @Test func aLargeRecordLeavesNothingBehind() {
        let fold = Fold { _ in }
        fold.take([Fold.event(.heartbeat, of: 0, at: Self.epoch)])
        for device in 1...8 as ClosedRange<Int64> {
            // The youngest first: all are held, and sorted.
            let record = (0..<1100 as Range<Int64>).map { number in
                Fold.event(.heartbeat, of: device, at: Self.epoch - number, received: Self.epoch + 1000)
            }
            fold.take(record, isOneRecord: true)
        }
        #expect(fold.devices == 9)
        #expect(fold.partBytes <= 4 * PagedMemory.pageSize, "\(fold.partBytes) bytes")
    }

    /// Thousands in one record, of which half wait for the others: each is looked for among few.
    @Test(.timeLimit(.minutes(1))) func eventsOfOneMomentAreFoldedInTime() {
        let fold = Fold { _ in }
        let record = (0..<3000 as Range<Int64>).map { number in
            let edge: Edge = number < 1500 ? .activate : .enterForeground
            var event = Fold.event(edge, of: 1, at: Self.epoch, received: Self.epoch + 1000)
            event.session = UInt64(number) + 1
            event.flags = .bridged
            return event
        }
        fold.take(record, isOneRecord: true)
        #expect(fold.core.context.counts.folded == 3000)
    }

    /// What waits for older events is bounded, however many of them came together.
    @Test func recordsInDisorderPileUpNoEvents() {
        let fold = Fold { $0.reorderDelay = 3_600_000 }
        for second in 0..<30 as Range<Int64> {
            let record = (0..<40 as Range<Int64>).map { number in
                let time = Self.epoch + second * 1000
                return Fold.event(.heartbeat, of: 1, at: time - number, received: time)
            }
            fold.take(record, isOneRecord: true)
        }
        let held = fold.core.context.store[fold.core.table[0].cold]?.heldByTime.count
        #expect(held == FoldingLimits().reorderBuffer)
    }

    /// A checkpoint makes no part that a state had no need of.
    @Test func tellingAStateLetsItBe() {
        let fold = Fold { _ in }
        fold.core.notesChanges = true
        for device in 0..<10_000 as Range<Int64> {
            fold.take([Fold.event(.sceneActivate, of: device, at: Self.epoch)])
        }
        let bytes = fold.partBytes
        #expect(!fold.core.saveChanges(pass: 1, fold.lexicon).isEmpty)
        #expect(fold.partBytes == bytes)
        let cold = fold.core.context.store[fold.core.table[0].cold]
        #expect(cold?.hasVisits == false && cold?.hasGraces == false)
    }

    /// A device that is used every day has few entries in the wheel, though each day moves its end.
    @Test func timersDoNotPileUp() {
        let fold = Fold { _ in }
        for hour in 0..<(24 * 40) as Range<Int64> {
            let time = Self.epoch + hour * 3_600_000
            fold.take([Fold.event(.activate, of: 1, at: time)])
            fold.take([Fold.event(.resign, of: 1, at: time + 60_000)])
            fold.take([Fold.event(.enterBackground, of: 1, at: time + 60_500)])
        }
        #expect(fold.core.wheel.count < 40, "\(fold.core.wheel.count) entries for one device")
    }

    private static func life(of device: Int64, _ begin: Int64) -> [Event] {
        let edges: [(Edge, UInt64)] = [
            (.launch, 0), (.sceneConnect, 1), (.sceneEnterForeground, 1), (.sceneActivate, 1), (.activate, 0),
            (.viewWillAppear, 2), (.viewDidAppear, 2), (.activityCreate, 3), (.activityStart, 3),
            (.activityResume, 3), (.resourceStart, 4), (.overlayShown, 0), (.sceneResign, 1), (.activityPause, 3),
            (.resign, 0), (.sceneActivate, 1), (.sceneResign, 1),
        ]
        var events: [Event] = []
        for (number, (edge, instance)) in edges.enumerated() {
            var event = Fold.event(edge, of: device, at: begin + Int64(number) * 300)
            event.instance = instance
            event.eventID = UInt64(number) + 1
            event.process = UInt64(number / 6) + 1
            event.sent = event.time + 1
            event.monotonic = event.time * 1000
            // A gap, so that some wait.
            if number > 12 { event.sequence = Int64(number == 13 ? 1 : number * 2) }
            events.append(event)
        }
        return events
    }
}

/// A partition's fold, as it is inside.
final class Fold {
    var core: FoldCore
    var lexicon = Lexicon()
    private var contributions = ContributionBatch()

    init(_ change: (inout FoldingLimits) -> Void) {
        var limits = FoldingLimits()
        change(&limits)
        core = FoldCore(limits, lexicon: &lexicon)
    }

    var devices: Int { core.table.count }
    var partBytes: Int { core.context.partByteCount }

    func take(_ events: [Event], isOneRecord: Bool = false) {
        var batch = EventBatch()
        for (number, event) in events.enumerated() {
            batch.events.append(event)
            if !isOneRecord { batch.events[number].record = UInt32(number) }
        }
        core.fold(batch, into: &contributions)
        contributions.removeAll()
    }

    static func event(_ edge: Edge, of device: Int64, at time: Int64, received: Int64? = nil) -> Event {
        let hash = StableHash.hash("device-\(device)")
        return Event(InstallationKey(high: hash, low: hash &* 31), edge, time: time, received: received ?? time)
    }
}
