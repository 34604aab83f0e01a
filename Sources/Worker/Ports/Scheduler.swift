/// Time, threads and chance, as all of a worker has them: never from the system beside it.
///
/// ``DispatchScheduler`` is the real one. Another one may run many workers one step at a time, under a time of its own.
package protocol Scheduler: Sendable {
    /// Goes on whatever happens to the wall clock.
    var now: MonotonicTime { get }
    /// ms since the epoch; people and time servers set it, backwards too.
    var wallClock: Int64 { get }
    /// How many pieces of work can run side by side; at least 1.
    var processors: Int { get }

    /// - Parameter isBackground: nobody waits for its work.
    func queue(_ label: String, isBackground: Bool) -> any SerialQueue
    /// One that is counted up by signals, from 0.
    func semaphore() -> any WorkSemaphore
    /// Holds up the calling thread.
    func sleep(milliseconds: Int)
    /// Any number, as likely as any other.
    func random() -> UInt64
}

extension Scheduler {
    package func queue(_ label: String) -> any SerialQueue { queue(label, isBackground: false) }
}

/// Work one piece after another, in the order in which it came.
package protocol SerialQueue: AnyObject, Sendable {
    /// Does not wait.
    func async(_ work: @escaping @Sendable () -> Void)
    /// Waits for its turn, and until `work` has run. Never from the queue itself.
    func sync<Result>(_ work: () -> Result) -> Result
    /// Runs `work` on the queue every so often, the first time after one interval, until it is cancelled.
    func repeating(every milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> any WorkTimer
}

package protocol WorkTimer: AnyObject {
    /// From the timer's queue: no further run begins.
    func cancel()
}

package protocol WorkSemaphore: AnyObject, Sendable {
    func signal()
    /// - Returns: whether a signal came within the time.
    func wait(milliseconds: Int) -> Bool
}

/// A point of a clock that is never set.
package struct MonotonicTime: Sendable, Hashable {
    /// Since some beginning of the scheduler's own, ns; more than 0.
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// ns since an earlier point; 0 since a later one.
    package func nanoseconds(since earlier: MonotonicTime) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    package func milliseconds(since earlier: MonotonicTime) -> Int { Int(nanoseconds(since: earlier) / 1_000_000) }

    package func seconds(since earlier: MonotonicTime) -> Double { Double(nanoseconds(since: earlier)) / 1e9 }
}
