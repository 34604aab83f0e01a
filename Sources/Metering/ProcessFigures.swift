internal import Glibc

/// What the process itself costs, under the names that dashboards expect of every program.
package struct ProcessFigures: Sendable {
    private let metrics: Metrics
    private let started: Double

    package init(_ metrics: Metrics) {
        self.metrics = metrics
        started = Double(LogTime.now()) / 1000
    }

    /// Brings the figures up to date; called before they are shown.
    package func refresh() {
        metrics.gauge(\.processStart).set(started)
        metrics.gauge(\.processCPU).set(ProcessFigures.cpuSeconds())
        if let bytes = ProcessFigures.residentBytes() { metrics.gauge(\.processMemory).set(bytes) }
        if let files = ProcessFigures.openFiles() { metrics.gauge(\.processFiles).set(files) }
    }

    /// CPU seconds of the process, all threads, user and system.
    package static func cpuSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Resident bytes; nil where the system does not tell.
    package static func residentBytes() -> Int? {
        guard let file = unsafe fopen("/proc/self/statm", "re") else { return nil }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func openFiles() -> Int? {
        guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        return max(0, count - 3)
    }
}
