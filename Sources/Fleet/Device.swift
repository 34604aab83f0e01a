internal import Lifecycle

/// One installation: what it does next, and what it knows of what it has done.
struct Device: Sendable {
    var random: Random
    /// When the next event happens, true time in ms since the epoch, and when it is received.
    var due: Int64
    var received: Int64
    /// When the upload that is being gathered leaves.
    var sent: Int64
    /// The next change after the heartbeats before it.
    var change: Int64 = 0
    var nextBeat: Int64 = 0

    // What the truth is told from.
    var phaseStart: Int64 = 0
    var phaseReceived: Int64 = 0
    /// Begin of the latency that is being measured.
    var opened: Int64 = 0
    /// The last event, and when it was received.
    var last: Int64 = 0
    var lastReceived: Int64 = 0

    /// When the process before this one died in the foreground, true time.
    var died: Int64 = 0
    /// The next process begins only after this receive time.
    var barrier = Int64.min

    var sequence: UInt32 = 0
    var process: UInt32 = 0
    let profile: UInt16
    /// From sending to receiving, ms.
    let lag: UInt16
    /// Wall clock of the device less true time, ms.
    var skew: Int32 = 0
    /// Events of this process that were lost since the last one that was not.
    var missing: UInt8 = 0
    var step: Step
    var changeStep = Step.depart
    var phase = Phase.unknown
    var reason = Reason.none
    /// The reason of the edge that began the phase.
    var phaseReason = Reason.none
    /// Milliseconds of the handler, where measured.
    var handler: UInt16 = 0
    var former = FormerProcess.unseen
    /// Resignations of the running burst, and how many it will have; 0: none.
    var burst: UInt8 = 0
    var burstSize: UInt8 = 0
    /// How many of the burst's resignations have left Active, as far as anyone knows.
    var burstLeft: UInt8 = 0
    var episode = Episode.none
    var stage: UInt8 = 0
    /// Activities by number: the one on top, the one below it (0: none), how many were made, and those of an episode.
    var top: UInt16 = 0
    var below: UInt16 = 0
    var made: UInt16 = 0
    var old: UInt16 = 0
    var new: UInt16 = 0
    /// When the view of the episode began to load and when it appeared, true time; 0 where that is not measured.
    var viewLoaded: Int64 = 0
    var viewShown: Int64 = 0
    /// When the app resigned while the camera ran, true time; 0 where it was not known to be active.
    var ranOn: Int64 = 0
    /// It has shown a privacy overlay, and one is shown now.
    var knowsCover = false
    var isCovered = false
    /// What comes once the scene is connected.
    var afterConnect = Step.foreground
    var echoed = Step.foreground
    /// What comes after an echo.
    var postponed = Postponed()
    /// Pause and stop of an activity, while nobody knows yet what they mean.
    var paused = Undecided()
    var stopped = Undecided()
    /// The last event is overtaken by the next one.
    var overtaken = false
    var traits: Traits = []

    struct Postponed: Sendable {
        var step = Step.vanish
        var due: Int64 = 0
        var reason = Reason.none
        var handler: UInt16 = 0
    }

    /// An edge of an activity within its grace.
    struct Undecided: Sendable {
        var isPending = false
        var time: Int64 = 0
        var received: Int64 = 0
        var reason = Reason.none
        var burst: UInt8 = 0
    }

    struct Traits: OptionSet, Sendable {
        let rawValue: UInt16
        /// Its source sends foreground edges.
        static let sendsForeground = Traits(rawValue: 1)
        /// The process has a launch that was reported.
        static let launched = Traits(rawValue: 2)
        /// The process has been active.
        static let used = Traits(rawValue: 4)
        /// This inactive interval has been counted as stuck.
        static let stuck = Traits(rawValue: 8)
        /// The process was started ahead of use.
        static let prewarmed = Traits(rawValue: 16)
        /// The return to the foreground that is under way will not succeed.
        static let aborting = Traits(rawValue: 32)
        /// Its source tells of the background late and knows no inactive.
        static let tellsLate = Traits(rawValue: 64)
        /// The event to come will be lost on its way.
        static let lost = Traits(rawValue: 128)
        /// Now and then without a network for hours.
        static let offlineProne = Traits(rawValue: 256)
        /// Sends no process id, and numbers its events through all processes.
        static let countsOn = Traits(rawValue: 512)
        /// The application's notifications echo those of its scenes.
        static let echoes = Traits(rawValue: 1024)
        /// Opens a second scene now and then.
        static let hasSideScene = Traits(rawValue: 2048)
        /// The main scene is connected.
        static let connected = Traits(rawValue: 4096)
        /// What its pauses and stops mean is known after a grace.
        static let hasGraces = Traits(rawValue: 8192)
        /// Nothing but its connection is known of the main scene.
        static let fresh = Traits(rawValue: 32768)
        /// A process is never killed: nobody could tell it from one that lives.
        static let immortal = Traits(rawValue: 16384)
    }

    /// - Parameter firstWithin: its first event happens within so many ms of the start.
    init(index: Int, profile: UInt16, source: FleetOptions.Source, options: FleetOptions, firstWithin: Int64) {
        let faults = options.faults
        random = Random(seed: options.seed, index: UInt64(index))
        self.profile = profile
        lag = UInt16(40 + min(random.draw(Spread(60, 1)), 900))
        due = options.start + random.below(max(1, firstWithin))
        sent = .min
        received = .min
        step = .launch
        if faults.contains(.late), random.chance(Habits.offlineProne) { traits.insert(.offlineProne) }
        if source == .processLifecycle { traits.insert(.tellsLate) }
        if !options.fields.contains(.process) { traits.insert(.countsOn) }
        switch source {
        case .appDelegate, .processLifecycle: break
        case .scenes:
            if random.chance(500) { traits.insert(.echoes) }
            // Offline the main scene would be forgotten, and the other one take its place.
            if random.chance(250), !traits.contains(.offlineProne) { traits.insert(.hasSideScene) }
            traits.insert(.sendsForeground)
        case .activities:
            traits.formUnion([.sendsForeground, .hasGraces])
            if !options.fields.contains(.process) { traits.insert(.immortal) }
            made = 1
            top = 1
        }
        if faults.contains(.skew) {
            let most = options.fields.contains(.sent) ? Habits.largeSkew : Habits.smallSkew
            skew = Int32(random.within(-most...most))
        }
        if source == .appDelegate {
            if !random.chance(250) { traits.insert(.sendsForeground) }
            if traits.contains(.sendsForeground), random.chance(300) { step = .foreground }
        }
        if step == .foreground || source == .activities { process = 1 }
        if source == .scenes, step == .foreground { traits.insert(.connected) }
        schedule()
    }

    /// Decides when the next event is received: with the upload that is being gathered, or with a new one.
    private mutating func schedule() {
        let noticed = due + lateness
        guard noticed > sent else { return }
        let hold: Int64
        let kind = random.below(100)
        if traits.contains(.offlineProne), random.chance(Habits.offline) {
            hold = random.within(kind < 85 ? Habits.offlineFor : Habits.offlineTooLong)
        } else if kind < 70 {
            hold = random.below(1_500)
        } else {
            hold = kind < 95 ? random.within(1_500...12_000) : random.within(12_000...60_000)
        }
        sent = noticed + hold
        received = sent + Int64(lag)
    }

    /// What comes next, and how much later.
    mutating func plan(_ step: Step, after delay: Int64) {
        self.step = step
        due += delay
        schedule()
    }

    /// What comes next, at a given time.
    mutating func plan(_ step: Step, at time: Int64) {
        self.step = step
        due = time
        schedule()
    }
}

extension Device {
    var tellsLate: Bool { traits.contains(.tellsLate) }

    /// How long after it happened the source notices the event to come, ms; its time says when it was noticed.
    var lateness: Int64 { tellsLate && step == .enterBackground ? Habits.processLateness : 0 }

    /// The time that the event to come bears, true time: that of a death where it tells of one.
    var stamp: Int64 { step == .exitReport ? died : due + lateness }
}
