import Dispatch
import Foundation

/// Virtual time, and threads of which one at a time runs: the one that has the baton.
///
/// A thread that waits gives the baton away; who has it next is drawn from the seed among all that could go on. Where
/// nobody can, time jumps to the next event. So a run is decided by its seed alone, whatever the machine does.
///
/// All of it is touched by whoever has the baton.
final class World: @unchecked Sendable {
    /// ms since the world began.
    private(set) var now: Int64 = 0
    let trace: Trace
    var random: Random
    /// How likely whoever could go on is held up for a while, as by a busy machine.
    var hesitation = 0.0

    private var events = EventHeap()
    private var ready: [Runnable] = []
    private var idle: [Strand] = []
    private var strands = 0
    private var stepsAtThisTime = 0
    private var isClosed = false
    private var current: Strand

    /// The calling thread has the baton.
    init(seed: UInt64, trace: Trace) {
        random = Random(seed: seed)
        self.trace = trace
        current = Strand(number: 0)
    }

    // MARK: Events

    /// Runs `work` at a later time, which must not wait.
    /// - Parameter actor: who is asleep while it is frozen, and for whom nothing happens any more once it is dead.
    func after(_ delay: Int64, for actor: Actor? = nil, _ work: @escaping () -> Void) {
        events.push(DueEvent(time: now + max(delay, 0), actor: actor, work: work))
    }

    private func run(_ event: DueEvent) {
        guard let actor = event.actor else { return event.work() }
        switch actor.state {
        case .alive: event.work()
        case .frozen, .dead: actor.heldEvents.append(event.work)
        }
    }

    // MARK: Waiting

    /// What ``wait(_:until:)`` will wait for.
    func pause() -> Pause { Pause(strand: current) }

    /// - Parameter time: nil waits for ever.
    /// - Returns: whether it was resumed; false where the time is over.
    @discardableResult
    func wait(_ pause: Pause, until time: Int64? = nil) -> Bool {
        if let time {
            let pause = pause
            after(time - now, for: pause.strand.actor) { [self] in
                if pause.state == .waiting { end(pause, as: .over) }
            }
        }
        precondition(pause.strand === current)
        if pause.state == .made {
            pause.state = .waiting
            giveAway(from: pause.strand)
        }
        return pause.state == .resumed
    }

    func resume(_ pause: Pause) {
        switch pause.state {
        case .made: pause.state = .resumed
        case .waiting: end(pause, as: .resumed)
        case .resumed, .over: return
        }
    }

    private func end(_ pause: Pause, as state: Pause.State) {
        pause.state = state
        ready.append(.strand(pause.strand))
    }

    func sleep(_ milliseconds: Int64) {
        wait(pause(), until: now + max(milliseconds, 0))
    }

    /// A place where another thread may come first, or the actor may die.
    func step() {
        guard let actor = current.actor else { return }
        actor.countStep()
        if actor.state == .alive, !random.happens(0.2) { return }
        ready.append(.strand(current))
        giveAway(from: current)
    }

    var actor: Actor? { current.actor }
    var holder: Strand { current }

    // MARK: Queues

    func makeReady(_ queue: SimulatedQueue) {
        ready.append(.queue(queue))
    }

    // MARK: The baton

    /// Returns when the strand has the baton again: never where its actor has died.
    private func giveAway(from strand: Strand) {
        hand(pick(), from: strand)
    }

    private func hand(_ next: Runnable, from strand: Strand) {
        switch next {
        case .strand(let other):
            if other === strand { return }
            current = other
            other.semaphore.signal()
        case .queue(let queue):
            let helper = idle.popLast() ?? spawn()
            helper.take(queue)
            current = helper
            helper.semaphore.signal()
        }
        strand.semaphore.wait()
    }

    private func spawn() -> Strand {
        strands += 1
        let strand = Strand(number: strands)
        let thread = Thread { [self] in serve(strand) }
        thread.stackSize = 1 << 20
        thread.start()
        return strand
    }

    /// The life of a thread that runs the work of queues.
    private func serve(_ strand: Strand) {
        strand.semaphore.wait()
        while !isClosed {
            if let queue = strand.queue {
                queue.runFirst(on: strand)
                strand.drop()
            }
            let next = pick()
            if case .queue(let queue) = next {
                strand.take(queue)
                continue
            }
            idle.append(strand)
            hand(next, from: strand)
        }
    }

    /// Who goes on; time passes until there is somebody.
    private func pick() -> Runnable {
        while true {
            if let runnable = draw() { return runnable }
            guard let event = events.pop() else {
                preconditionFailure("nobody can go on, and nothing is to come")
            }
            if event.time > now {
                now = event.time
                stepsAtThisTime = 0
            }
            run(event)
        }
    }

    private func draw() -> Runnable? {
        while !ready.isEmpty {
            let index = ready.count == 1 ? 0 : random.below(ready.count)
            let runnable = ready[index]
            ready.swapAt(index, ready.count - 1)
            ready.removeLast()
            guard let actor = runnable.actor else { return note(runnable) }
            switch actor.state {
            case .frozen, .dead: actor.heldRunnables.append(runnable)
            case .alive:
                if hesitation > 0, random.happens(hesitation) {
                    after(random.number(1...200)) { [self] in ready.append(runnable) }
                    continue
                }
                if case .queue(let queue) = runnable, let turn = queue.takeTurn() {
                    return note(.strand(turn))
                }
                return note(runnable)
            }
        }
        return nil
    }

    private func note(_ runnable: Runnable) -> Runnable {
        stepsAtThisTime += 1
        precondition(stepsAtThisTime < 1_000_000, "time does not go on")
        trace.note(UInt64(bitPattern: now) << 20 ^ UInt64(runnable.number))
        return runnable
    }

    // MARK: Life and death

    func thaw(_ actor: Actor) {
        if actor.state == .frozen { revive(actor) }
    }

    /// What the actor was about to do goes on. Of the dead only when nothing is looked at any more: see ``close()``.
    func revive(_ actor: Actor) {
        actor.state = .alive
        for work in actor.heldEvents { events.push(DueEvent(time: now, actor: actor, work: work)) }
        ready += actor.heldRunnables
        actor.heldEvents = []
        actor.heldRunnables = []
    }

    /// Whether no thread but the calling one is in the middle of something, or about to be.
    var isAtRest: Bool { idle.count == strands && ready.isEmpty }

    /// The end of the world: its threads end, and what they would have done is forgotten. Only where it is at rest.
    func close() {
        precondition(isAtRest, "a thread that waits for something never ends")
        isClosed = true
        let idle = self.idle
        (self.idle, ready, events) = ([], [], EventHeap())
        for strand in idle { strand.semaphore.signal() }
    }
}

/// A process of the simulated machines, or whatever else dies as a whole.
final class Actor {
    enum State {
        case alive
        /// Nothing of it goes on, and it does not know.
        case frozen
        /// Nothing of it goes on while anybody looks.
        case dead
    }

    let number: Int
    let name: String
    var state = State.alive
    /// Added to the true time by its wall clock, ms.
    var clockOffset: Int64 = 0
    fileprivate var heldEvents: [() -> Void] = []
    fileprivate var heldRunnables: [Runnable] = []
    /// What happens to it after so many steps of its threads.
    var plan: (steps: Int, work: () -> Void)?

    init(number: Int, name: String) {
        self.number = number
        self.name = name
    }

    fileprivate func countStep() {
        guard let due = plan else { return }
        plan?.steps -= 1
        guard due.steps <= 1 else { return }
        plan = nil
        due.work()
    }
}

/// A thread.
final class Strand: @unchecked Sendable {
    let number: Int
    fileprivate let semaphore = DispatchSemaphore(value: 0)
    fileprivate var queue: SimulatedQueue?

    fileprivate init(number: Int) {
        self.number = number
    }

    fileprivate var actor: Actor? { queue?.actor }

    fileprivate func take(_ queue: SimulatedQueue) {
        self.queue = queue
        queue.holder = self
    }

    fileprivate func drop() {
        queue?.release()
        queue = nil
    }
}

/// One wait of one thread.
final class Pause {
    fileprivate enum State {
        case made, waiting, resumed, over
    }

    fileprivate let strand: Strand
    fileprivate var state = State.made

    fileprivate init(strand: Strand) {
        self.strand = strand
    }
}

private enum Runnable {
    case strand(Strand)
    case queue(SimulatedQueue)

    var actor: Actor? {
        switch self {
        case .strand(let strand): strand.actor
        case .queue(let queue): queue.actor
        }
    }

    var number: Int {
        switch self {
        case .strand(let strand): strand.number
        case .queue(let queue): 1 << 16 + queue.number
        }
    }
}

/// A serial queue of an actor, without a thread of its own.
final class SimulatedQueue {
    private enum Item {
        case work(() -> Void)
        /// A thread waits for its turn.
        case turn(Pause)
    }

    let number: Int
    let actor: Actor
    private let world: World
    private var items: [Item] = []
    private var isReady = false
    fileprivate var holder: Strand?

    init(number: Int, _ actor: Actor, _ world: World) {
        self.number = number
        self.actor = actor
        self.world = world
    }

    func add(_ work: @escaping () -> Void) {
        items.append(.work(work))
        callIfIdle()
    }

    private func callIfIdle() {
        guard holder == nil, !isReady, !items.isEmpty else { return }
        isReady = true
        world.makeReady(self)
    }

    fileprivate func runFirst(on strand: Strand) {
        isReady = false
        guard case .work(let work) = items.removeFirst() else {
            preconditionFailure("a turn is no work")
        }
        work()
    }

    fileprivate func release() {
        holder = nil
        callIfIdle()
    }

    /// Gives the queue to the thread whose turn it is, if one's is.
    fileprivate func takeTurn() -> Strand? {
        guard case .turn(let pause) = items.first else { return nil }
        items.removeFirst()
        isReady = false
        holder = pause.strand
        pause.state = .resumed
        return pause.strand
    }

    /// On the calling thread, in its turn.
    func sync<Result>(_ work: () -> Result) -> Result {
        world.step()
        precondition(holder !== world.holder, "a queue waits for itself")
        if holder == nil, items.isEmpty {
            holder = world.holder
        } else {
            let pause = world.pause()
            items.append(.turn(pause))
            callIfIdle()
            world.wait(pause)
        }
        defer { release() }
        return work()
    }
}
