import Foundation
import Testing

/// The files of the package that the tests read.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct File: CustomTestStringConvertible {
        /// Relative to the root.
        var path: String
        var text: String

        var testDescription: String { path }

        var lines: [Substring] {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last == "" { lines.removeLast() }
            return lines
        }

        /// `Sources/Kafka/Consumer.swift` → `Kafka`; nil outside Sources, Tests and Benchmarks.
        var target: String? {
            let parts = path.split(separator: "/")
            guard parts.count > 2, ["Sources", "Tests", "Benchmarks"].contains(parts[0]) else { return nil }
            return String(parts[1])
        }
    }

    /// All files below `folder` whose names end in one of `endings`, by path.
    static func files(_ folder: String, endings: Set<String>) throws -> [File] {
        let base = root.appendingPathComponent(folder)
        guard let walk = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil) else { return [] }
        var found: [File] = []
        for case let url as URL in walk where endings.contains(url.pathExtension) {
            let path = String(url.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count + 1))
            found.append(File(path: path, text: try String(contentsOf: url, encoding: .utf8)))
        }
        return found.sorted { $0.path < $1.path }
    }

    static let swiftFiles: [File] = {
        let folders = ["Sources", "Tests", "Benchmarks"]
        return folders.flatMap { folder in (try? files(folder, endings: ["swift"])) ?? [] }
    }()

    /// Everything that somebody wrote as code.
    static let codeFiles: [File] = {
        let folders = ["Sources", "Tests", "Benchmarks", "deploy"]
        let endings: Set<String> = ["c", "cpp", "h", "hpp", "modulemap", "py", "sh", ""]
        let others = folders.flatMap { folder in (try? files(folder, endings: endings)) ?? [] }
        let manifest = (try? String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)) ?? ""
        return swiftFiles + others.filter { !$0.text.isEmpty } + [File(path: "Package.swift", text: manifest)]
    }()
}

extension Repository.File: CustomStringConvertible {
    var description: String { path }
}
