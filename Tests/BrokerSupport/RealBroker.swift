package import Foundation
internal import Synchronization

/// A real Kafka broker on loopback, for tests: in a temporary folder of its own, gone with the test process.
package final class RealBroker: Sendable {
    /// The folder with the `broker` script: `KAFKA_HOME`, else `../shared/kafka` beside the package; nil if neither is.
    package static let home: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let places =
            [ProcessInfo.processInfo.environment["KAFKA_HOME"].map { URL(filePath: $0) }].compactMap { $0 }
            + [package.deletingLastPathComponent().appending(path: "shared/kafka")]
        return places.first {
            FileManager.default.isExecutableFile(atPath: $0.appending(path: "broker").path)
        }
    }()

    /// Whether tests against a real broker can run; where not, they say "skipped: no Kafka".
    package static var isPresent: Bool { home != nil }

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// A transaction that has timed out is ended at once and not up to 10 s later.
    private static let environment = [
        "KAFKA_HEAP": "512m", "KAFKA_EXTRA": "transaction.abort.timed.out.transaction.cleanup.interval.ms=1000",
    ]

    private static let common = Mutex<RealBroker?>(nil)

    /// The one that all tests share which do not stop it. Started at the first call.
    package static func shared() throws -> RealBroker {
        try common.withLock { broker in
            if let broker { return broker }
            let started = try RealBroker()
            broker = started
            return started
        }
    }

    package let bootstrap: String
    /// Of its data, its log and its port.
    package let directory: URL

    /// Starts one. It ends with the process at the latest, however that ends.
    package init() throws {
        guard let home = Self.home else { throw Failure(description: "skipped: no Kafka") }
        directory = FileManager.default.temporaryDirectory.appending(path: "phasefold-broker-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let script = home.appending(path: "broker").path
        try Self.guardian(script: script, directory: directory.path)
        bootstrap = try Self.run(script, ["start", directory.path], environment: Self.environment)
        Self.running.withLock { $0.append((script, directory)) }
    }

    /// SIGKILL; its data and its port stay.
    package func kill() throws {
        _ = try Self.run(script, ["kill", directory.path])
    }

    /// Starts it again after ``kill()``.
    package func restart() throws {
        let address = try Self.run(script, ["start", directory.path], environment: Self.environment)
        if address != bootstrap { throw Failure(description: "the broker came back at \(address)") }
    }

    /// Ends it and removes its data.
    package func stop() {
        Self.running.withLock { list in list.removeAll { $0.directory == directory } }
        Self.end(script, directory)
    }

    /// The program that starts and kills it.
    package var script: String { Self.home?.appending(path: "broker").path ?? "" }

    private static let running = Mutex<[(script: String, directory: URL)]>([])

    /// Ends the broker when the test process is gone, were it by a crash; and in time at a normal exit.
    private static func guardian(script: String, directory: String) throws {
        let loop = """
            while kill -0 "$1" 2>/dev/null; do sleep 0.5; [ -d "$3" ] || exit 0; done
            "$2" kill "$3"; rm -rf "$3"
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", loop, "sh", String(ProcessInfo.processInfo.processIdentifier), script, directory]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        _ = atExit
    }

    private static let atExit: Void = {
        atexit { RealBroker.running.withLock { $0.forEach { RealBroker.end($0.script, $0.directory) } } }
    }()

    private static func end(_ script: String, _ directory: URL) {
        _ = try? run(script, ["kill", directory.path])
        try? FileManager.default.removeItem(at: directory)
    }

    /// Foundation takes a program for running as long as anyone holds the descriptors that it inherited, a broker in
    /// the background too: so they are closed first.
    private static let closing = """
        for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done 2>/dev/null
        exec "$@"
        """

    /// Runs a program and gives what it prints, without the last line end.
    @discardableResult
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], input: URL? = nil
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", closing, "bash", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let output = try Printed()
        let complaints = try Printed()
        defer { [output, complaints].forEach { $0.remove() } }
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        process.standardOutput = output.handle
        process.standardError = complaints.handle
        try process.run()
        process.waitUntilExit()
        let text = try output.text
        guard process.terminationStatus == 0 else {
            // One line, as logs are read by lines.
            let said = [text, try complaints.text].joined(separator: "\n").replacing("\n", with: " | ")
            throw Failure(description: "\(program) \(arguments) ended with \(process.terminationStatus): \(said)")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}

/// What a program prints. A file, as a pipe would have to be emptied meanwhile.
private struct Printed {
    let handle: FileHandle
    private let file: URL

    init() throws {
        file = FileManager.default.temporaryDirectory.appending(path: "phasefold-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        handle = try FileHandle(forWritingTo: file)
    }

    var text: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

    func remove() { try? FileManager.default.removeItem(at: file) }
}
