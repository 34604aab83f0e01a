internal import Glibc

/// A line on standard error that shows how far a command is, where that is a terminal; else nothing.
struct Progress {
    static let width = 79
    private static let interval = Duration.milliseconds(100)

    private let isShown: Bool
    private let noun: String
    private let started = ContinuousClock.now
    private var last = ContinuousClock.now
    private var drawn = false

    /// - Parameter noun: what is counted, in the plural.
    init(counting noun: String, isShown: Bool = isatty(2) == 1) {
        self.noun = noun
        self.isShown = isShown
    }

    /// Draws at most ten times a second.
    ///
    /// - Parameters:
    ///   - count: what has been counted so far.
    ///   - fraction: how much is done, 0 to 1; nil where nobody knows.
    mutating func update(count: Int, fraction: Double?) {
        guard isShown else { return }
        let now = ContinuousClock.now
        guard now - last >= Progress.interval else { return }
        last = now
        drawn = true
        let elapsed = Progress.seconds(now - started)
        Output.complain("\r" + Progress.line(count, noun, fraction: fraction, elapsed: elapsed) + "\u{1B}[K")
    }

    /// Takes the line away.
    mutating func clear() {
        if drawn { Output.complain("\r\u{1B}[K") }
        drawn = false
    }

    /// Seconds since the beginning.
    var elapsed: Double { Progress.seconds(ContinuousClock.now - started) }

    /// `[=====>     ]  45 %  12,345,678 events  2.31 M/s  0:12 left`
    static func line(_ count: Int, _ noun: String, fraction: Double?, elapsed: Double) -> String {
        let rate = elapsed > 0 ? Double(count) / elapsed : 0
        let counted = "\(Figures.grouped(count)) \(noun)  \(Figures.short(rate))/s"
        guard let fraction else { return "\(counted)  \(Figures.clock(elapsed))" }
        let done = min(max(fraction, 0), 1)
        let percent = String(Int(done * 100))
        var tail = "\(String(repeating: " ", count: 3 - percent.count))\(percent) %  \(counted)"
        if done > 0 { tail += "  \(Figures.clock(elapsed / done - elapsed)) left" }
        let room = max(0, width - tail.count - 3)
        let filled = Int(done * Double(room))
        let head = filled > 0 && filled < room ? ">" : ""
        let bar = String(repeating: "=", count: max(0, filled - head.count)) + head
        return "[\(bar)\(String(repeating: " ", count: room - bar.count))] \(tail)"
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
