import Foundation
import Testing

/// Holds the sources to the rules of the house: what SwiftPM and the compiler do not hold.
@Suite struct HouseTests {
    static let functionLimit = 70
    static let fileLimit = 500
    static let lineLimit = 120

    @Test func thereIsSomethingToRead() {
        #expect(Repository.swiftFiles.count > 20)
        #expect(Repository.swiftFiles.contains { $0.path == "Sources/Lifecycle/Edge.swift" })
    }

    @Test func theTableOfDirectionsIsBottomUp() throws {
        for row in Directions.rows {
            for name in row.mayImport {
                let other = try #require(Directions.rows.first { $0.target == name })
                #expect(other.level < row.level, "\(row.target) is beside or below \(name)")
            }
        }
    }

    @Test func everyTargetStandsInTheTable() throws {
        let targets = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appendingPathComponent("Sources").path)
        for target in targets where !target.hasPrefix(".") {
            #expect(Directions.rows.contains { $0.target == target }, "Sources/\(target) is not in Directions.rows")
        }
    }

    @Test(arguments: Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") })
    func aTargetImportsOnlyWhatStandsBelowIt(file: Repository.File) throws {
        let target = try #require(file.target)
        let allowed = try #require(Directions.allowed(for: target))
        for module in SwiftSource(file.text).imports {
            #expect(allowed.contains(module), "\(file.path) imports \(module)")
        }
    }

    @Test(arguments: Repository.codeFiles)
    func filesAndLinesAreShort(file: Repository.File) {
        let lines = file.lines
        #expect(lines.count <= HouseTests.fileLimit, "\(file.path) has \(lines.count) lines")
        for (index, line) in lines.enumerated() where line.count > HouseTests.lineLimit {
            Issue.record("\(file.path):\(index + 1) has \(line.count) columns")
        }
    }

    @Test(arguments: Repository.swiftFiles)
    func functionsAreShort(file: Repository.File) {
        for function in SwiftSource(file.text).functions where function.length > HouseTests.functionLimit {
            Issue.record("\(file.path):\(function.line) is a function of \(function.length) lines")
        }
    }

    @Test(arguments: Repository.codeFiles.filter { !$0.path.hasPrefix("Tests/HouseTests/") })
    func nothingIsLeftForLater(file: Repository.File) {
        for (index, line) in file.lines.enumerated() {
            for mark in ["TODO", "FIXME"] where line.contains(mark) {
                Issue.record("\(file.path):\(index + 1) says \(mark)")
            }
        }
    }

    /// A metric that nothing sets is a promise.
    @Test func everyMetricIsSetSomewhere() throws {
        let table = "Sources/Metering/MetricTable.swift"
        let text = try #require(Repository.swiftFiles.first { $0.path == table }).text
        let names = text.matches(of: /package let (\w+) = \w+Definition\(/).map { String($0.1) }
        #expect(names.count > 30)
        let others = Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") && $0.path != table }.map(\.text)
        for name in names {
            let use = try Regex("\\\\\\.\(name)\\b")
            #expect(others.contains { $0.firstMatch(of: use) != nil }, "nothing sets \(name)")
        }
    }

    @Test func theTopLevelIsTidy() throws {
        let allowed: Set<String> = ["Package.swift", "Sources", "Tests", "Benchmarks", "deploy", "README.md"]
        let entries = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        for entry in entries where !entry.hasPrefix(".") {
            #expect(allowed.contains(entry), "\(entry) stands at the top level")
        }
    }

    @Test func everySwiftTargetIsStrict() throws {
        let manifest = try String(
            contentsOf: Repository.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        for setting in [
            ".swiftLanguageMode(.v6)", ".strictMemorySafety()", ".treatAllWarnings(as: .error)",
            ".enableUpcomingFeature(\"MemberImportVisibility\")", ".enableUpcomingFeature(\"ExistentialAny\")",
            ".enableUpcomingFeature(\"InternalImportsByDefault\")",
        ] {
            #expect(manifest.contains(setting))
        }
        let declarations = Manifest.targets(in: manifest)
        #expect(declarations.count >= 2)
        for declaration in declarations where !Manifest.isC(declaration) {
            #expect(declaration.contains("swiftSettings: strict"), "not strict: \(declaration)")
        }
    }
}

/// Package.swift, read as text.
enum Manifest {
    /// What stands between the parentheses of every call that makes a target.
    static func targets(in text: String) -> [Substring] {
        var found: [Substring] = []
        for call in [".target(", ".executableTarget(", ".testTarget("] {
            var rest = text[...]
            while let range = rest.firstRange(of: call) {
                rest = rest[range.upperBound...]
                var depth = 1
                let end = rest.firstIndex { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return depth == 0
                }
                found.append(rest[..<(end ?? rest.endIndex)])
            }
        }
        return found
    }

    /// A face of C or C++ compiles no Swift: its name begins with a C before another capital.
    static func isC(_ declaration: Substring) -> Bool {
        guard let range = declaration.firstRange(of: "name: \"C") else { return false }
        return declaration[range.upperBound...].first?.isUppercase == true
    }
}
