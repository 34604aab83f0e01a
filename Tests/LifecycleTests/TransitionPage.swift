import Lifecycle

/// The reference page of the machine, printed from its table.
enum TransitionPage {
    /// Where the page stands, relative to the root of the package.
    static let path = "Sources/Lifecycle/Lifecycle.docc/Transitions.md"

    static var text: String {
        """
        # Transitions

        What becomes of a phase at each edge. An app and each of its scenes are such a machine; activities lead to
        the same edges of the app.

        \(table)

        - A phase in bold is reached as usual: the interval that was open ends observed.
        - *missing*: an edge between was not reported. The open interval ends inferred, and `missing_event` is counted.
        - *missing once announced*: the same where the installation has sent `enter_foreground` before; else as usual.
        - *illegal*: the machine goes to the phase that the edge implies, and `illegal_transition` is counted. An edge
          that repeats the one which opened the phase changes nothing else; any other ends the open interval inferred.
        - *illegal unless first*: as usual as the first edge after a launch or a connection, illegal later on.

        A launch is no edge of this table: it begins a process from any phase. A launch in `active` or `inactive` tells
        that the process before died in the foreground.

        ## States

        Values of scenePhase and of bridges are states. The edge follows from the value and the phase; a value that
        repeats the phase is none.

        \(values)

        """
    }

    private static var table: String {
        let edges = PhaseEdge.allCases
        let head = ["phase"] + edges.map { "`\($0.name)`" }
        let rows = Phase.allCases.map { phase in
            ["`\(phase.name)`"] + edges.map { cell(TransitionTable.verdict(phase, $0), $0.phase) }
        }
        return grid(head, rows)
    }

    private static func cell(_ verdict: Verdict, _ next: Phase) -> String {
        switch verdict {
        case .legal: "**\(next.name)**"
        case .missing: "\(next.name), *missing*"
        case .illegal: "\(next.name), *illegal*"
        case .missingIfAnnounced: "\(next.name), *missing once announced*"
        case .illegalUnlessFirst: "\(next.name), *illegal unless first*"
        }
    }

    private static var values: String {
        let values: [(String, PhaseEdge)] = [
            ("active, resumed", .activate), ("inactive", .resign), ("background, paused, hidden", .enterBackground),
            ("detached", .terminate),
        ]
        let head = ["phase"] + values.map(\.0) + ["inactive after a launch"]
        let rows = Phase.allCases.map { phase in
            ["`\(phase.name)`"]
                + values.map { edge(TransitionTable.edge(of: $0.1, in: phase, launched: false)) }
                + [edge(TransitionTable.edge(of: .resign, in: phase, launched: true))]
        }
        return grid(head, rows)
    }

    private static func edge(_ edge: PhaseEdge?) -> String { edge.map { "`\($0.name)`" } ?? "none" }

    private static func grid(_ head: [String], _ rows: [[String]]) -> String {
        let rule = head.map { _ in "---" }
        return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}
