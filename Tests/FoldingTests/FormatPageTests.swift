import Foundation
import Testing

@testable import Folding

/// The page of the checkpoint's format says what the tables here say.
@Suite struct FormatPageTests {
    private static func rows(under head: String) throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/Checkpointing/Checkpointing.docc/Format.md"),
            encoding: .utf8)
        let table = try #require(page.components(separatedBy: head + "\n").dropFirst().first)
        return table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix { $0.hasPrefix("|") }
            .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    @Test func itNamesEveryColumnInItsOrder() throws {
        #expect(try Self.rows(under: "| column | holds |").map { $0[0] } == StateColumn.allCases.map { "\($0)" })
        #expect(PerColumn<Int>(repeating: 0).count == StateColumn.allCases.count)
    }

    @Test func itNamesEveryPartByItsBit() throws {
        let parts: [(String, HeldParts)] = [
            ("echoes", .echoes), ("scenes", .scenes), ("activities", .activities), ("views", .views),
            ("graces", .graces), ("resources", .resources), ("clock", .clock), ("offsets", .offsets), ("ids", .ids),
            ("contents", .contents), ("succeeded", .succeeded), ("endedCounts", .endedCounts),
            ("announcedViews", .announcedViews), ("announcedClasses", .announcedClasses),
            ("undecidedViews", .undecidedViews), ("heldByNumber", .heldByNumber), ("heldByTime", .heldByTime),
            ("resigns", .resigns), ("lastTold", .lastTold), ("steppedFrom", .steppedFrom),
        ]
        let rows = try Self.rows(under: "| bit | part |")
        #expect(rows == parts.map { ["\($0.1.rawValue.trailingZeroBitCount)", $0.0] })
        #expect(HeldParts(parts.map(\.1)) == .all)
    }
}
