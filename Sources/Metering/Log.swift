internal import Dispatch
internal import Glibc
internal import Synchronization

/// Writes lines to a file descriptor from a queue of its own. Whoever logs never waits for the reader of the
/// descriptor: what does not fit the bound is dropped and counted, and the next line that fits says so.
package final class Log: Sendable {
    /// Lines wait in at most so many bytes.
    package static let capacity = 1 << 20

    private struct State {
        var waiting = ""
        /// Lines that wait, without those that tell of lost ones; and how many lost ones these tell of.
        var lines: UInt64 = 0
        var told: UInt64 = 0
        var isWriting = false
        var unreported: UInt64 = 0
    }

    private let state = Mutex(State())
    private let writer = DispatchQueue(label: "phasefold.log")
    private let descriptor: Int32
    private let level: LogLevel
    private let format: LogFormat
    private let lost: Counter

    /// - Parameters:
    ///   - descriptor: stays open as long as the log lives.
    ///   - lost: counts the lines that were dropped.
    package init(level: LogLevel = .info, format: LogFormat = .text, descriptor: Int32 = 2, lost: Counter) {
        self.level = level
        self.format = format
        self.descriptor = descriptor
        self.lost = lost
    }

    package func error(_ source: String, _ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        write(.error, source, message, fields)
    }

    package func warning(_ source: String, _ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        write(.warning, source, message, fields)
    }

    package func info(_ source: String, _ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        write(.info, source, message, fields)
    }

    package func debug(_ source: String, _ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        write(.debug, source, message, fields)
    }

    /// Whether lines of `level` are written: for those that cost something to make.
    package func writes(_ level: LogLevel) -> Bool {
        level >= self.level
    }

    /// - Parameters:
    ///   - source: the part of the program that speaks, as `kafka`.
    ///   - message: one sentence without a line feed.
    package func write(
        _ level: LogLevel, _ source: String, _ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]
    ) {
        guard writes(level) else { return }
        let fields = fields.map { (name: $0.key, value: $0.value) }
        let line = LogLine(level: level, time: LogTime.now(), source: source, message: message, fields: fields)
        enqueue(line.rendered(as: format))
    }

    private func enqueue(_ line: String) {
        let mustStart = state.withLock { state -> Bool in
            var line = line
            if state.unreported > 0 { line = notice(of: state.unreported) + line }
            guard state.waiting.utf8.count + line.utf8.count <= Log.capacity else {
                state.unreported += 1
                lost.add()
                return false
            }
            state.told += state.unreported
            state.lines += 1
            state.unreported = 0
            state.waiting += line
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { writer.async { self.drain() } }
    }

    private func notice(of count: UInt64) -> String {
        LogLine(
            level: .warning, time: LogTime.now(), source: "log", message: "lines were lost",
            fields: [("lines", .integer(count))]
        ).rendered(as: format)
    }

    private func drain() {
        while true {
            let batch = state.withLock { state -> State in
                let batch = state
                (state.waiting, state.lines, state.told) = ("", 0, 0)
                if batch.waiting.isEmpty { state.isWriting = false }
                return batch
            }
            if batch.waiting.isEmpty { return }
            let bytes = Array(batch.waiting.utf8)
            let written = Log.writeAll(bytes, to: descriptor)
            if written < bytes.count { drop(batch, bytes[written...]) }
        }
    }

    /// Lines that nobody takes, as of a full disk: the next one that is taken tells how many.
    private func drop(_ batch: State, _ left: ArraySlice<UInt8>) {
        let count = min(UInt64(left.count { $0 == UInt8(ascii: "\n") }), batch.lines)
        lost.add(count)
        state.withLock { $0.unreported += count + batch.told }
    }

    /// Writes until all is out, or nobody takes more.
    /// - Returns: how many bytes were written.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var done = 0
        while done < bytes.count {
            let wrote = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
            }
            if wrote > 0 {
                done += wrote
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&ready, 1, 1000)
            } else if errno != EINTR {
                return done
            }
        }
        return done
    }

    /// Waits until what was logged before is written, at most so long; false where time ran out.
    @discardableResult
    package func flush(timeoutMilliseconds: Int = 2000) -> Bool {
        let done = DispatchSemaphore(value: 0)
        writer.async { done.signal() }
        return done.wait(timeout: .now() + .milliseconds(timeoutMilliseconds)) == .success
    }
}
