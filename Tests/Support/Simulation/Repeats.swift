/// What `delivery.guarantee=at_least_once` promises: nothing is lost, and what counts twice is bounded.
final class Repeats {
    /// Records that were sent again since a commit had failed.
    var resent = 0
    /// Events by window and group: of every record once, and as stage 1 has said.
    private var once: [[UInt8]: Int] = [:]
    private var said: [[UInt8]: Int] = [:]

    typealias Rows = [(key: [UInt8], value: [UInt8])]

    /// Takes rows of the totals so far.
    func take(_ once: Rows, _ said: Rows) {
        for row in once { self.once[row.key] = Self.events(row.value) }
        for row in said { self.said[row.key] = Self.events(row.value) }
    }

    /// - Parameter limit: events that may count twice.
    /// - Returns: what is missing yet; nil where all is there.
    func undone(_ rows: [[UInt8]: Row], limit: Int) throws -> String? {
        for (key, count) in once.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let (name, stated) = (Checks.text(key), said[key] ?? 0)
            if stated < count { throw Violation("I1", "stage 1 at \(name): \(stated) events of \(count)") }
            let shown = rows[key].map { Self.events($0) } ?? 0
            if shown < count { return "\(name): \(shown) events of \(count)" }
            if shown > stated { throw Violation("I1", "stage 2 at \(name): \(shown) events, and \(stated) came") }
        }
        let twice = said.values.reduce(0, +) - once.values.reduce(0, +)
        if twice > limit { throw Violation("I1", "\(twice) events count twice, at most \(limit) may") }
        return nil
    }

    /// Those of a row that came in time, under any name.
    private static func events(_ row: Row) -> Int {
        Int((row.number("events") ?? 0) + (row.number("events_other") ?? 0))
    }

    private static func events(_ value: [UInt8]) -> Int { Row(value).map { events($0) } ?? 0 }
}
