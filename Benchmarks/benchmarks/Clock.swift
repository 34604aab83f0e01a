internal import Glibc

/// CPU time and memory, as the system counts them.
enum Clock {
    /// CPU seconds of this thread.
    static var thread: Double { read(CLOCK_THREAD_CPUTIME_ID) }
    /// CPU seconds of this process, all threads.
    static var process: Double { read(CLOCK_PROCESS_CPUTIME_ID) }
    /// Seconds that only go forward.
    static var wall: Double { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Bytes of this process that are in memory now.
    static var resident: Int {
        guard let text = Machine.text(of: "/proc/self/statm") else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
