/// One input partition: its stream time, its installations, and when stream time alone changes something in them.
final class Partition {
    private let options: Options
    private let limits: Limits
    private let ledger: Ledger
    private let native: NativeInput
    private let telemetry: OTLPInput
    private var logcat: LogcatInput
    private var installations: [String: Installation] = [:]
    private var dues = DueTimes()
    /// Largest receive time seen, told or assumed.
    private var stream = Int.min
    private(set) var rejected: [String: Int] = [:]

    init(totals: Totals, name: String) {
        options = totals.options
        limits = Limits(totals.options)
        ledger = Ledger(totals: totals)
        native = NativeInput(options: totals.options)
        telemetry = OTLPInput(options: totals.options)
        logcat = LogcatInput(options: totals.options, file: name)
    }

    /// Folds the events of one record.
    func fold(record line: [UInt8]) {
        guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return }
        var touched: [String: Installation] = [:]
        for event in events(of: line) {
            let installation = take(event)
            touched[installation.identity] = installation
        }
        for installation in touched.values {
            installation.endRecord(stream: stream)
            dues.note(installation)
        }
    }

    /// The end of the input: all held events fold, open intervals stay open.
    func endInput() {
        for installation in installations.values { installation.endInput() }
    }

    /// The events of a record, whose format its content tells.
    private func events(of record: [UInt8]) -> [Event] {
        let lines = record.split(separator: 0x0A)
        if isLog(lines) {
            return lines.compactMap { line in
                logcat.event(of: String(decoding: Self.bare(line), as: UTF8.self), rejected: &rejected)
            }
        }
        do throws(JSONText.Failure) {
            return events(of: try JSONText.read(record))
        } catch {
            // Objects may stand line by line in one record.
            guard lines.count > 1 else {
                rejected[error == .tooDeep ? "too_deep" : "invalid_json", default: 0] += 1
                return []
            }
            return lines.flatMap { events(of: [UInt8]($0)) }
        }
    }

    /// By the first line with text: JSON opens with a bracket, a line of a log with a stamp.
    private func isLog(_ lines: [ArraySlice<UInt8>]) -> Bool {
        let format = options.text("input.format")
        guard format == "auto", let first = lines.map(Self.bare).first(where: { !$0.isEmpty }) else {
            return format == "logcat"
        }
        let opening = first.first { $0 != 0x20 && $0 != 0x09 }
        if opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[") { return false }
        return LogcatInput.isLog(String(decoding: first, as: UTF8.self))
    }

    /// Without the return of a line that ends in two characters.
    private static func bare(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == 0x0D ? line.dropLast() : line
    }

    private func events(of value: JSONText) -> [Event] {
        OTLPInput.isRequest(value)
            ? telemetry.events(of: value, rejected: &rejected) : native.events(of: value, rejected: &rejected)
    }

    private func take(_ event: Event) -> Installation {
        if let received = event.received {
            ledger.watermark = max(ledger.watermark, received)
            advance(to: received)
        }
        if event.ts == 0 { event.ts = event.received ?? max(stream, 0) }
        let identity = event.device + "\u{0}" + event.app
        var installation = installations[identity] ?? newInstallation(identity)
        installation.prepare(event, stream: stream)
        advance(to: event.receive)
        if installation.arrivals > 1, stream - installation.lastStream > limits.stateTimeToLive {
            installation = newInstallation(identity)
            installation.prepare(event, stream: stream)
        }
        installation.accept(event, stream: stream)
        dues.note(installation)
        return installation
    }

    private func newInstallation(_ identity: String) -> Installation {
        let new = Installation(identity: identity, limits: limits, ledger: ledger)
        installations[identity] = new
        return new
    }

    /// Timers that are due by a receive time fire before its record is folded.
    private func advance(to time: Int) {
        guard time > stream else { return }
        stream = time
        while let installation = dues.next(passedBy: stream) {
            installation.advance(to: stream)
            dues.note(installation)
        }
    }
}

/// A heap of the times at which installations want to be looked at; entries that have become stale do no harm.
private struct DueTimes {
    private var heap: [(due: Int, installation: Installation)] = []
    private var noted: [ObjectIdentifier: Int] = [:]

    mutating func note(_ installation: Installation) {
        let name = ObjectIdentifier(installation)
        guard let due = installation.nextDue, noted[name].map({ due < $0 }) ?? true else { return }
        noted[name] = due
        heap.append((due, installation))
        var place = heap.count - 1
        while place > 0, heap[place].due < heap[(place - 1) / 2].due {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func next(passedBy time: Int) -> Installation? {
        guard let first = heap.first, first.due < time else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while let child = [2 * place + 1, 2 * place + 2].filter({ $0 < heap.count }).min(by: {
            heap[$0].due < heap[$1].due
        }), heap[child].due < heap[place].due {
            heap.swapAt(place, child)
            place = child
        }
        let name = ObjectIdentifier(first.installation)
        if noted[name] == first.due { noted[name] = nil }
        return first.installation
    }
}
