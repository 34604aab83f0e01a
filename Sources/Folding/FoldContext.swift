import Lifecycle

/// What a machine needs beside its own state: limits, time, and a place for what it contributes.
///
/// A reference, since it goes along with every step of every event and must not be copied on the way.
final class FoldContext {
    let limits: FoldingLimits
    let spans: FoldSpans
    let names: FoldNames
    var contributions = ContributionBatch()
    /// Installations that were heard of in a new quarter of an hour, in order.
    var sightings: ContiguousArray<Sighting> = []
    var store = ColdStore()
    var clocks = ClockStore()
    /// Bytes that only some devices need.
    var partByteCount: Int { store.byteCount + clocks.byteCount }
    /// What their lists are made of.
    var memory: SlabMemory { store.memory }
    var counts = FoldCounts()
    /// The largest receive time, also of events whose receive time is assumed, ms; timers go by it.
    var stream = Moment.absent
    /// The largest receive time that a record told, ms; windows are final by it.
    var watermark = Moment.absent
    /// A record of several events is being taken in: what it holds back waits for its end.
    var isInRecord = false
    /// Such an event is held.
    var holdsOfRecord = false
    /// The device times of the edges from which a step of the clock to the event in hand was counted.
    private var regressions: ContiguousArray<Int64> = []

    /// ``TextTable/hash(of:)`` by id, as far as it was told.
    private var textHashes: ContiguousArray<UInt64> = []

    /// Takes in the texts that are new.
    func learn(_ texts: borrowing TextTable) {
        while textHashes.count < texts.count { textHashes.append(texts.hash(of: UInt32(textHashes.count))) }
    }

    /// A hash of a text that means the same in every process.
    func hash(ofText id: UInt32) -> UInt64 {
        Int(id) < textHashes.count ? textHashes[Int(id)] : UInt64(id)
    }
    /// Place of the edge in hand among the events of its device, by ``Cold/events``; that of an edge whose effect had
    /// to wait is its own.
    var order: Int64 = 0

    /// The edge from which the clock went back to the event in hand; ``Moment/never`` where it did not.
    var steppedFrom = Moment.never

    /// Another event is folded.
    func beginEvent() {
        steppedFrom = Moment.never
        if !regressions.isEmpty { regressions.removeAll(keepingCapacity: true) }
    }

    /// Counts a step of the device's clock between two edges, once for the pair.
    func countRegression(from first: Moment, at stamp: Stamp) {
        guard !regressions.contains(first.time) else { return }
        regressions.append(first.time)
        count(.clockRegression, at: stamp)
    }

    init(limits: FoldingLimits, names: FoldNames) {
        self.limits = limits
        self.names = names
        spans = FoldSpans(limits)
    }

    func emit(
        _ kind: Contribution.Kind, value: Int64 = 1, at stamp: Stamp, text: UInt32 = 0, installation: UInt64 = 0
    ) {
        emit(kind, value: value, time: stamp.corrected, group: stamp.group, text: text, installation: installation)
    }

    func emit(
        _ kind: Contribution.Kind, value: Int64 = 1, time: Int64, group: UInt32, text: UInt32 = 0,
        installation: UInt64 = 0
    ) {
        contributions.append(
            Contribution(
                kind, value: value, time: time, stream: watermark, group: group, text: text,
                installation: installation))
    }

    func count(_ anomaly: Anomaly, at stamp: Stamp, _ number: Int64 = 1) {
        emit(.anomaly(anomaly), value: number, at: stamp)
    }

    func count(_ counter: Counter, at stamp: Stamp) {
        emit(.count(counter), at: stamp)
    }

    /// Adds an instance to those of its kind; of as many as there may be, the one that was heard of longest ago goes.
    func keep<Instance>(_ instance: Instance, in list: inout Few<Instance>) {
        if list.count >= limits.instancesLimit { counts.forgotten += 1 }
        list.append(instance, limit: limits.instancesLimit, in: memory)
    }
}

/// How long stream time is to pass, from a receive time on, before a limit is judged by it, ms.
struct FoldSpans {
    let stuck: Int64
    let silence: Int64
    let expiry: Int64
    /// Of a device in the foreground that says nothing: silence, or its expiry where that is sooner.
    let foreground: Int64

    init(_ limits: FoldingLimits) {
        stuck = Self.wait(limits.stuckInactiveAfter, limits)
        silence = Self.wait(limits.silenceTimeout, limits)
        expiry = limits.stateTTL &+ 1
        foreground = min(silence, expiry)
    }

    /// Exactly the limit is not over it; one shorter than what uploads may take waits for those.
    static func wait(_ limit: Int64, _ limits: FoldingLimits) -> Int64 {
        limit &+ (limit < limits.reorderTimeout ? limits.reorderTimeout : 0) &+ 1
    }
}

/// What became of the events, for the sum that says that none was dropped in silence.
package struct FoldCounts: Sendable, Equatable {
    /// All that came, those that wait included.
    package var arrived = 0
    package var folded = 0
    /// Folded ones with an unknown name.
    package var other = 0
    package var duplicates = 0
    package var late = 0
    /// Scenes, activities, views and resources that were forgotten, as their installation had `instances.limit` others.
    package var forgotten = 0

    package init() {}
}

/// Ids of the names that the rules speak of.
struct FoldNames {
    /// What must stop at the resignation.
    let foreground: [UInt32]
    /// What may run on in the background.
    let background: [UInt32]
    let observer: UInt32
    /// Stands for an exit without a reason.
    let unknownReason: UInt32

    init(limits: FoldingLimits, lexicon: inout Lexicon) {
        var foreground: [UInt32] = []
        for name in ["animation", "timer", "sensor", "video", "camera", "location"] {
            foreground.append(lexicon.texts.intern(name))
        }
        var background: [UInt32] = []
        for name in limits.resourceBackground { background.append(lexicon.texts.intern(name)) }
        self.foreground = foreground
        self.background = background
        observer = lexicon.texts.intern("observer")
        unknownReason = lexicon.texts.intern("unknown")
    }
}
