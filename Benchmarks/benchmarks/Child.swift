internal import Foundation
internal import Glibc

/// A program that runs beside this one, bounded in time.
struct Child {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// What it used, all of its threads and children.
    struct Usage {
        /// CPU seconds in the program itself.
        var user: Double
        /// CPU seconds in the system.
        var system: Double
        /// The most bytes in memory.
        var resident: Int
        var status: Int32

        /// CPU seconds, user and system.
        var seconds: Double { user + system }
    }

    private let pid: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - seconds: it is ended after so long, whatever becomes of this process.
    ///   - output: a file that takes standard output and, where `errors` names none, standard error.
    init(_ program: String, _ arguments: [String], seconds: Int, output: String, errors: String? = nil) throws {
        let words = ["timeout", "--kill-after=5", String(seconds), program] + arguments
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors ?? "/dev/null", flags, 0o600)
        var texts = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for unsafe text in unsafe texts { unsafe free(text) } }
        var pid: pid_t = 0
        let code = unsafe posix_spawnp(&pid, "timeout", &actions, nil, &texts, environ)
        guard code == 0 else { throw Failure(description: "\(program) could not be started: error \(code)") }
        self.pid = pid
    }

    /// SIGTERM.
    func stop() { Glibc.kill(pid, SIGTERM) }

    /// SIGKILL, to the program first and then to what watches its time; waits for their end.
    func kill() {
        if let text = Machine.text(of: "/proc/\(pid)/task/\(pid)/children") {
            for word in text.split(separator: " ") { if let child = pid_t(word) { Glibc.kill(child, SIGKILL) } }
        }
        Glibc.kill(pid, SIGKILL)
        _ = wait()
    }

    /// Waits for its end.
    func wait() -> Usage {
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        let (user, system) = (Self.seconds(usage.ru_utime), Self.seconds(usage.ru_stime))
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        return Usage(user: user, system: system, resident: usage.ru_maxrss * 1024, status: code)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// Runs a program to its end and gives what it printed.
    static func output(of program: String, _ arguments: [String], seconds: Int = 60) throws -> String {
        let file = Scratch.path("output")
        defer { unsafe _ = unlink(file) }
        _ = try Child(program, arguments, seconds: seconds, output: file).wait()
        return Machine.text(of: file) ?? ""
    }

    /// The program that is measured.
    static var phasefold: String { beside("phasefold") }

    /// A program that was built beside this one.
    static func beside(_ name: String) -> String {
        URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// This program.
    static var own: String { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path }
}

/// Files that are gone when the benchmarks end.
enum Scratch {
    static let folder: URL = {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("phasefold-bench-\(getpid())")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }()

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static func remove() { try? FileManager.default.removeItem(at: folder) }
}
