import Worker

/// The scheduler of one simulated process.
final class SimulatedScheduler: Scheduler, @unchecked Sendable {
    private let world: World
    let actor: Actor
    private var chance: Random
    private var queues = 0

    /// The true time when the world begins, ms since the epoch.
    static let epoch: Int64 = 1_767_225_600_000
    /// The monotonic clock when the world begins, ns.
    private static let uptime: UInt64 = 100_000_000_000

    init(_ world: World, _ actor: Actor) {
        self.world = world
        self.actor = actor
        chance = world.random.branch()
    }

    var now: MonotonicTime { MonotonicTime(nanoseconds: Self.uptime + UInt64(world.now) * 1_000_000) }

    var wallClock: Int64 { Self.epoch + world.now + actor.clockOffset }

    var processors: Int { 2 }

    func queue(_ label: String, isBackground: Bool) -> any SerialQueue { Queue(makeQueue(), world) }

    func makeQueue() -> SimulatedQueue {
        queues += 1
        return SimulatedQueue(number: actor.number * 64 + queues % 64, actor, world)
    }

    func semaphore() -> any WorkSemaphore { Semaphore(world) }

    func sleep(milliseconds: Int) {
        world.step()
        world.sleep(Int64(milliseconds))
    }

    func random() -> UInt64 { chance.next() }
}

private final class Queue: SerialQueue, @unchecked Sendable {
    private let queue: SimulatedQueue
    private let world: World

    init(_ queue: SimulatedQueue, _ world: World) {
        self.queue = queue
        self.world = world
    }

    func async(_ work: @escaping @Sendable () -> Void) { queue.add(work) }

    func sync<Result>(_ work: () -> Result) -> Result { queue.sync(work) }

    func repeating(every milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> any WorkTimer {
        Timer(queue, world, Int64(milliseconds), work)
    }
}

/// Runs that could not begin in time come as one.
private final class Timer: WorkTimer {
    private var isOver = false
    private var isDue = false

    init(_ queue: SimulatedQueue, _ world: World, _ interval: Int64, _ work: @escaping () -> Void) {
        schedule(queue, world, interval, work)
    }

    private func schedule(
        _ queue: SimulatedQueue, _ world: World, _ interval: Int64, _ work: @escaping () -> Void
    ) {
        world.after(interval, for: queue.actor) { [self] in
            if isOver { return }
            if !isDue {
                isDue = true
                queue.add { [self] in
                    isDue = false
                    if !isOver { work() }
                }
            }
            schedule(queue, world, interval, work)
        }
    }

    func cancel() { isOver = true }
}

private final class Semaphore: WorkSemaphore, @unchecked Sendable {
    private let world: World
    private var count = 0
    private var waiting: [Pause] = []

    init(_ world: World) {
        self.world = world
    }

    func signal() {
        if waiting.isEmpty {
            count += 1
        } else {
            world.resume(waiting.removeFirst())
        }
    }

    func wait(milliseconds: Int) -> Bool {
        if count > 0 {
            count -= 1
            return true
        }
        let pause = world.pause()
        waiting.append(pause)
        if world.wait(pause, until: world.now + Int64(milliseconds)) { return true }
        waiting.removeAll { $0 === pause }
        return false
    }
}
