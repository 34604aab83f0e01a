import Lifecycle

/// What only some installations have: scenes, activities, views, ids to compare, events held back. Every list is
/// bounded; the bounds stand beside them.
///
/// Each list remembers that it changed, so that a commit of the checkpoint tells it only then. Little more than two
/// lines of the cache with what an edge of a scene or an activity needs; the rest stands in parts of its own.
struct ColdState: ~Copyable {
    /// Events that were folded since ``Device/Flags/hasCold``.
    var events: Int64 = 0
    /// What the checkpoint has not been told of.
    var unsaved: HeldParts = []
    /// Of ``succeeded`` and ``endedCounts`` those at the end that the checkpoint has not been told of, or all.
    var newSucceeded: UInt8 = 0
    var newEndedCounts: UInt8 = 0
    /// At most `instances.limit` each.
    var scenes = Few<Scene>()
    var activities = Few<Activity>()
    var echoes = Echoes()
    /// Processes and boots that have been succeeded, oldest first; at most ``succeededLimit``.
    var succeeded = Few<UInt32>()
    /// Their numbers; at most ``succeededLimit``.
    var endedCounts = Few<EndedCount>()
    var graces = Part<Graces>()
    var visits = Part<Visits>()
    var rare = Part<Rare>()

    static let succeededLimit = 15

    /// Asks for the lines that an edge of a scene or an activity reads.
    @inline(__always)
    fileprivate func prefetchParts() {
        scenes.prefetch()
        activities.prefetch()
        echoes.prefetch()
        graces.prefetch()
        visits.prefetch()
    }
}

/// What is known of views.
struct Visits: ~Copyable {
    /// At most `instances.limit` each.
    var views = Few<View>()
    /// Views and classes of views that announced an appearance.
    var announcedViews = Few<UInt64>()
    var announcedClasses = Few<UInt64>()
    /// What views did since a launch that is not decided yet.
    var undecidedViews = Few<UndecidedView>()

    /// What is read where there is none.
    nonisolated(unsafe) static let blank = unsafe Part.blank(Visits())
}

/// What hardly any state has for long.
struct Rare: ~Copyable {
    var clock = DeviceClock()
    /// What was added to the device time of the last event, and of the one that began the phase, ms.
    var lastOffset: Int64 = 0
    var sinceOffset: Int64 = 0
    /// Device time of the last event as its source told it, ms; see ``Device/Flags/toldApart``.
    var lastTold: Int64 = 0
    /// The edge before the last one, where the clock went back between them; see ``Device/Flags/stepCounted``.
    var steppedFrom = Moment.never
    var known = KnownEvents()
    /// Events with a number that wait for missing ones, as they came; at most `reorder.buffer`.
    var heldByNumber = Few<HeldEvent>()
    /// Events without one that wait for older ones, in their order; at most `reorder.buffer` beside one record's.
    var heldByTime = Few<HeldEvent>()
    /// Wall clock of the edges that left Active within the span of flapping, ms; at most the count and one.
    var resigns = Few<Int64>()

    /// What is read where there is none.
    nonisolated(unsafe) static let blank = unsafe Part.blank(Rare())
}

/// The ``ColdState`` of one device, as long as it has one. Parts that are not there read as new ones, and are made
/// where they are changed.
@safe
struct Cold {
    private let at: UnsafeMutablePointer<ColdState>
    private unowned(unsafe) let owner: SlabMemory

    fileprivate init(_ at: UnsafeMutablePointer<ColdState>, _ memory: SlabMemory) {
        unsafe self.at = unsafe at
        unsafe owner = memory
    }

    /// What its lists are made of.
    var memory: SlabMemory { unsafe owner }

    // MARK: What a checkpoint is told of

    /// All of it, as a checkpoint brings it back.
    var state: ColdState {
        @inline(__always) unsafeAddress { unsafe UnsafePointer(at) }
        @inline(__always) nonmutating unsafeMutableAddress { unsafe at }
    }

    var unsaved: HeldParts {
        get { unsafe at.pointee.unsaved }
        nonmutating set { unsafe at.pointee.unsaved = newValue }
    }
    var newSucceeded: Int {
        get { unsafe Int(at.pointee.newSucceeded) }
        nonmutating set { unsafe at.pointee.newSucceeded = UInt8(clamping: newValue) }
    }
    var newEndedCounts: Int {
        get { unsafe Int(at.pointee.newEndedCounts) }
        nonmutating set { unsafe at.pointee.newEndedCounts = UInt8(clamping: newValue) }
    }

    /// What is reached for to be changed is told with the next commit.
    @inline(__always)
    private func mark(_ part: HeldParts) { unsafe at.pointee.unsaved.insert(part) }

    // MARK: What most have

    var events: Int64 {
        get { unsafe at.pointee.events }
        nonmutating set { unsafe at.pointee.events = newValue }
    }
    var scenes: Few<Scene> {
        @inline(__always) _read { yield unsafe at.pointee.scenes }
        @inline(__always) nonmutating _modify {
            mark(.scenes)
            yield unsafe &at.pointee.scenes
        }
    }
    var activities: Few<Activity> {
        @inline(__always) _read { yield unsafe at.pointee.activities }
        @inline(__always) nonmutating _modify {
            mark(.activities)
            yield unsafe &at.pointee.activities
        }
    }
    var echoes: Echoes {
        @inline(__always) _read { yield unsafe at.pointee.echoes }
        @inline(__always) nonmutating _modify {
            mark(.echoes)
            yield unsafe &at.pointee.echoes
        }
    }
    var succeeded: Few<UInt32> {
        @inline(__always) _read { yield unsafe at.pointee.succeeded }
        nonmutating _modify {
            newSucceeded = ColdState.succeededLimit
            yield unsafe &at.pointee.succeeded
        }
    }
    var endedCounts: Few<EndedCount> {
        @inline(__always) _read { yield unsafe at.pointee.endedCounts }
        nonmutating _modify {
            newEndedCounts = ColdState.succeededLimit
            yield unsafe &at.pointee.endedCounts
        }
    }

    /// A process or a boot has been succeeded.
    func append(succeeded hash: UInt32) {
        unsafe at.pointee.succeeded.append(hash, limit: ColdState.succeededLimit, in: memory)
        newSucceeded += 1
    }

    /// So far its numbers had come.
    func append(ended count: EndedCount) {
        unsafe at.pointee.endedCounts.append(count, limit: ColdState.succeededLimit, in: memory)
        newEndedCounts += 1
    }

    // MARK: Parts

    var hasGraces: Bool { unsafe at.pointee.graces.isThere }
    var hasVisits: Bool { unsafe at.pointee.visits.isThere }
    var hasRare: Bool { unsafe at.pointee.rare.isThere }

    var graces: Graces {
        @inline(__always) unsafeAddress { unsafe at.pointee.graces.address(or: Graces.blank) }
        @inline(__always) nonmutating unsafeMutableAddress {
            mark(.graces)
            return unsafe at.pointee.graces.make(Graces.init, in: memory)
        }
    }
    var visits: Visits {
        @inline(__always) unsafeAddress { unsafe at.pointee.visits.address(or: Visits.blank) }
        @inline(__always) nonmutating unsafeMutableAddress {
            unsafe at.pointee.visits.make(Visits.init, in: memory)
        }
    }
    var rare: Rare {
        @inline(__always) unsafeAddress { unsafe at.pointee.rare.address(or: Rare.blank) }
        @inline(__always) nonmutating unsafeMutableAddress { unsafe at.pointee.rare.make(Rare.init, in: memory) }
    }

    /// What was added to the device time of the last event, ms: a state without a part for it stands for 0.
    var lastOffset: Int64 {
        get { rare.lastOffset }
        nonmutating set { if newValue != 0 || hasRare { rare.lastOffset = newValue } }
    }
    /// The same of the event that began the phase.
    var sinceOffset: Int64 {
        get { rare.sinceOffset }
        nonmutating set { if newValue != 0 || hasRare { rare.sinceOffset = newValue } }
    }
    var resources: Few<Resource> {
        @inline(__always) _read { yield unsafe at.pointee.graces.address(or: Graces.blank).pointee.resources }
        @inline(__always) nonmutating _modify {
            mark(.resources)
            yield unsafe &at.pointee.graces.make(Graces.init, in: memory).pointee.resources
        }
    }
    var views: Few<View> {
        @inline(__always) _read { yield visits.views }
        @inline(__always) nonmutating _modify {
            mark(.views)
            yield &visits.views
        }
    }
    var announcedViews: Few<UInt64> {
        @inline(__always) _read { yield visits.announcedViews }
        @inline(__always) nonmutating _modify {
            mark(.announcedViews)
            yield &visits.announcedViews
        }
    }
    var announcedClasses: Few<UInt64> {
        @inline(__always) _read { yield visits.announcedClasses }
        @inline(__always) nonmutating _modify {
            mark(.announcedClasses)
            yield &visits.announcedClasses
        }
    }
    var undecidedViews: Few<UndecidedView> {
        @inline(__always) _read { yield visits.undecidedViews }
        @inline(__always) nonmutating _modify {
            mark(.undecidedViews)
            yield &visits.undecidedViews
        }
    }
    var heldByNumber: Few<HeldEvent> {
        @inline(__always) _read { yield rare.heldByNumber }
        @inline(__always) nonmutating _modify {
            mark(.heldByNumber)
            yield &rare.heldByNumber
        }
    }
    var heldByTime: Few<HeldEvent> {
        @inline(__always) _read { yield rare.heldByTime }
        @inline(__always) nonmutating _modify {
            mark(.heldByTime)
            yield &rare.heldByTime
        }
    }
    var resigns: Few<Int64> {
        @inline(__always) _read { yield rare.resigns }
        @inline(__always) nonmutating _modify {
            mark(.resigns)
            yield &rare.resigns
        }
    }

    /// Holds events back.
    var holds: Bool { hasRare && !(heldByNumber.isEmpty && heldByTime.isEmpty) }

    /// Stream time at which the next held event is folded at the latest, ms.
    var releaseDue: Int64 {
        var due = Int64.max
        for index in heldByNumber.indices { due = min(due, heldByNumber[index].due) }
        for index in heldByTime.indices { due = min(due, heldByTime[index].due) }
        return due
    }

    /// What does not outlive the process.
    func forgetProcess() {
        forgetScreens()
        if hasVisits { views.removeAll() }
        if hasGraces { resources.removeAll() }
        echoes.removeAll()
    }

    /// Scenes and activities are gone, and whatever was pending with them.
    func forgetScreens() {
        scenes.removeAll()
        activities.removeAll()
        if hasVisits { undecidedViews.removeAll() }
        if hasGraces { graces.forget() }
    }
}

/// What is known of the numbers of a process that has been succeeded.
struct EndedCount {
    var process: UInt32
    var boot: UInt32
    /// As ``Device/sequenceNext`` and ``Device/sequenceSeen`` were.
    var next: Int64
    var seen: UInt64
}

/// An event that waits, with what was found out when it arrived.
struct HeldEvent {
    var event: Event
    var stamp: Stamp
    /// The time by which it is ordered.
    var place: Moment
    /// It came after one that is ordered after it.
    var isPutBack = false
    /// Stream time at which it is folded at the latest, ms.
    var due: Int64
}

/// The cold states of one partition, by index.
struct ColdStore: ~Copyable {
    let memory = SlabMemory()
    private var states = Pool<ColdState>()

    /// Bytes that the states and their parts take.
    var byteCount: Int { states.byteCount + memory.byteCount }

    subscript(index: UInt32) -> Cold? {
        @inline(__always) get {
            index == Device.noCold ? nil : unsafe Cold(states.address(index), memory)
        }
    }

    /// Asks for a state.
    @inline(__always)
    func prefetch(_ index: UInt32) {
        guard index != Device.noCold else { return }
        states.prefetch(index)
    }

    /// Asks for what a state, which should have been asked for before, has beside it.
    @inline(__always)
    func prefetchParts(_ index: UInt32) {
        guard index != Device.noCold else { return }
        unsafe states.address(index).pointee.prefetchParts()
    }

    mutating func make() -> UInt32 { states.insert(ColdState()) }

    mutating func remove(_ index: UInt32) {
        guard index != Device.noCold else { return }
        states.remove(index)
    }
}
