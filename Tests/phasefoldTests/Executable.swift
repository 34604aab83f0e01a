import Foundation
import Testing

/// The program as a person or a script runs it.
enum Executable {
    struct Result {
        var status: Int32
        var out: String
        var err: String

        var lines: [String] { out.split(separator: "\n").map(String.init) }
    }

    /// It lies beside the bundle of the tests.
    static let url = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("phasefold")

    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) throws -> Result {
        try run(list: arguments, input: input, environment: environment)
    }

    /// Runs lines of bash in which `$0` is the program.
    static func shell(_ lines: String) throws -> Result {
        try run(list: ["-c", lines, url.path], program: URL(fileURLWithPath: "/bin/bash"))
    }

    /// Runs it to its end, at most `seconds`.
    static func run(
        list arguments: [String], input: String = "", environment: [String: String] = [:], program: URL = url,
        seconds: Double = 60
    ) throws -> Result {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("phasefold-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = ["in", "out", "err"].map { folder.appendingPathComponent($0) }
        for name in names { try Data(name.lastPathComponent == "in" ? input : "").write(to: name) }
        process.standardInput = try FileHandle(forReadingFrom: names[0])
        process.standardOutput = try FileHandle(forWritingTo: names[1])
        process.standardError = try FileHandle(forWritingTo: names[2])
        try process.run()
        let watch = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: watch)
        process.waitUntilExit()
        watch.cancel()
        return Result(
            status: process.terminationStatus, out: try String(contentsOf: names[1], encoding: .utf8),
            err: try String(contentsOf: names[2], encoding: .utf8))
    }
}

extension Data {
    init(_ text: String) { self.init(text.utf8) }
}

/// A file that is gone after the test.
final class TemporaryFile {
    let path: String

    convenience init(_ text: String) throws { try self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("phasefold-\(UUID().uuidString)")
        path = url.path
        try Data(bytes).write(to: url)
    }

    static func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
