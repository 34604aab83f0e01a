internal import Dispatch
internal import Foundation
internal import Glibc

/// The system's clocks, and its queues as they are.
package struct DispatchScheduler: Scheduler {
    package init() {}

    package var now: MonotonicTime { MonotonicTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    package var wallClock: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    package var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

    package func queue(_ label: String, isBackground: Bool) -> any SerialQueue {
        SystemQueue(label, isBackground ? .utility : .unspecified)
    }

    package func semaphore() -> any WorkSemaphore { SystemSemaphore() }

    package func sleep(milliseconds: Int) { _ = usleep(UInt32(clamping: milliseconds * 1000)) }

    package func random() -> UInt64 { .random(in: .min ... .max) }
}

/// A queue of the system.
final class SystemQueue: SerialQueue {
    let queue: DispatchQueue

    init(_ label: String, _ qos: DispatchQoS) {
        queue = DispatchQueue(label: label, qos: qos)
    }

    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func sync<Result>(_ work: () -> Result) -> Result { queue.sync(execute: work) }

    func repeating(every milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> any WorkTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds))
        source.setEventHandler(handler: work)
        source.activate()
        return SystemTimer(source)
    }
}

private final class SystemTimer: WorkTimer {
    private let source: any DispatchSourceTimer

    init(_ source: any DispatchSourceTimer) {
        self.source = source
    }

    func cancel() { source.cancel() }
}

private final class SystemSemaphore: WorkSemaphore {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }

    func wait(milliseconds: Int) -> Bool {
        semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }
}
