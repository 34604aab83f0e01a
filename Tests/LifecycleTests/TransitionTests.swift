import Foundation
import Lifecycle
import Testing

@Suite struct TransitionTests {
    /// The specification's table, written down once more: L legal, M missing, A missing where announced,
    /// I illegal, F illegal unless first; the edges in the order of ``PhaseEdge``.
    static let specified: [(Phase, String)] = [
        (.unknown, "LLLLL"), (.notRunning, "IIIII"), (.inactive, "ILILL"), (.active, "IILML"),
        (.background, "LAIFL"),
    ]

    @Test func everyPairIsJudgedAsSpecified() {
        let letters: [Verdict: String] = [
            .legal: "L", .missing: "M", .missingIfAnnounced: "A", .illegal: "I", .illegalUnlessFirst: "F",
        ]
        #expect(Self.specified.map(\.0) == Phase.allCases)
        for (phase, row) in Self.specified {
            let found = PhaseEdge.allCases.map { letters[TransitionTable.verdict(phase, $0)] ?? "?" }
            #expect(found.joined() == row, "\(phase.name)")
        }
    }

    /// `PHASEFOLD_RENEW=1 swift test --filter TransitionTests` writes the page anew.
    @Test func thePageIsPrintedFromTheTable() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appendingPathComponent(TransitionPage.path)
        if ProcessInfo.processInfo.environment["PHASEFOLD_RENEW"] != nil {
            try Data(TransitionPage.text.utf8).write(to: url)
        }
        let page = try String(contentsOf: url, encoding: .utf8)
        #expect(
            page == TransitionPage.text,
            "\(TransitionPage.path) is old: PHASEFOLD_RENEW=1 swift test --filter TransitionTests writes it anew")
    }
}
