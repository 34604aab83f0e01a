import Decoding
import Foundation
import Lifecycle
import Testing

/// Two readers of the same texts have to agree. A seed is printed with what it breaks; `PHASEFOLD_SEED` replays it.
@Suite struct DifferentialTests {
    static let seed = ProcessInfo.processInfo.environment["PHASEFOLD_SEED"].flatMap(UInt64.init)
    static let rounds = 3000

    private static func startingSeed() -> UInt64 { seed ?? UInt64.random(in: 0..<1_000_000_000) }

    private static func isJSON(_ text: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
    }

    @Test(arguments: [true, false])
    func bothWaysGiveTheSameEvents(looksWide: Bool) {
        let start = Self.startingSeed()
        var short = Bench { $0.honoursReceiveTime = true }
        var full = Bench { $0.honoursReceiveTime = true }
        short.decoder.looksWide = looksWide
        full.decoder.takesShortWay = false
        var events = 0
        for round in 0..<UInt64(Self.rounds) {
            var maker = DocumentMaker(seed: start + round)
            let record = maker.record()
            short.batch.removeAll()
            full.batch.removeAll()
            short.decode(record, key: Array("key".utf8))
            full.decode(record, key: Array("key".utf8))
            let agree =
                short.descriptions == full.descriptions && short.batch.rejections == full.batch.rejections
            #expect(agree, "PHASEFOLD_SEED=\(start + round): \(String(decoding: record, as: UTF8.self))")
            if !agree { return }
            events += short.batch.events.count
        }
        #expect(events > Self.rounds / 5)
    }

    @Test func foundationReadsTheSame() throws {
        let start = Self.startingSeed()
        var events = 0
        for round in 0..<UInt64(Self.rounds) {
            var maker = DocumentMaker(seed: start + round)
            maker.makesErrors = round % 2 == 0
            let text = round % 2 == 0 ? String(decoding: maker.record(), as: UTF8.self) : maker.object()
            guard !text.utf8.contains(UInt8(ascii: "\n")) else { continue }
            var bench = Bench()
            bench.decode(text)
            let isJSON = Self.isJSON(text)
            // Foundation cannot hold every number that JSON can write.
            if !isJSON, Self.isJSON(text.replacing(/[eE][-+]?[0-9]{3,}/, with: "e1")) { continue }
            // It takes a comma before a closing bracket, which is none of JSON's.
            if isJSON, text.contains(/,[ \t\r]*[}\]]/) { continue }
            let comment = Comment(rawValue: "PHASEFOLD_SEED=\(start + round): \(text)")
            let isInvalid = bench.codes.contains { $0.hasPrefix("invalid_json") }
            #expect(isInvalid != isJSON || text.isBlank, comment)
            guard isJSON, round % 2 == 1 else { continue }
            let expected = NaiveReader.read(text)
            #expect((bench.batch.events.first.map(NaiveReader.describe) ?? bench.codes[0]) == expected, comment)
            events += bench.batch.events.count
        }
        #expect(events > Self.rounds / 10)
    }
}

extension String {
    /// By bytes: a line's two end marks are one `Character`, which is neither of them.
    fileprivate var isBlank: Bool { utf8.allSatisfy { " \r\n\t".utf8.contains($0) } }
}

/// Reads an object with Foundation alone, field by field in the order of the specification's table.
private enum NaiveReader {
    static func describe(_ event: Event) -> String {
        [
            "\(event.installation)", event.edge.name, "\(event.time)", "\(event.sent)", "\(event.sequence)",
            "\(event.process)", "\(event.session)", "\(event.boot)", "\(event.monotonic)", "\(event.eventID)",
            event.scope.name, "\(event.instance)", "\(event.className)", "\(event.handler)",
            "\(event.flags.rawValue)",
        ].joined(separator: " ")
    }

    static func read(_ text: String) -> String {
        guard
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        else { return "not_an_object" }
        var reader = Reader(object: object)
        return reader.read()
    }

    private struct Reader {
        let object: [String: Any]
        var faults: [String] = []

        func value(_ name: String) -> Any? {
            let words = name.split(separator: "_")
            let camel = words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            let value = object[name] ?? object[camel]
            return value is NSNull ? nil : value
        }

        mutating func text(_ name: String, limit: Int = 1024, isRequired: Bool = false) -> String? {
            guard let value = value(name) else {
                if isRequired { faults.append("missing_\(name)") }
                return nil
            }
            guard let text = value as? String else {
                faults.append("bad_\(name)")
                return nil
            }
            if text.utf8.count > limit { faults.append("too_long_\(name)") }
            if text.isEmpty, isRequired { faults.append("missing_\(name)") }
            return text.isEmpty ? nil : text
        }

        mutating func hash(_ name: String) -> UInt64 { text(name).map { StableHash.hash($0) } ?? 0 }

        func isNumber(_ value: Any) -> NSNumber? {
            guard let number = value as? NSNumber, !(value is Bool && CFBooleanLike.isBoolean(number)) else {
                return nil
            }
            return number
        }

        mutating func time(_ name: String) -> Int64 {
            guard let value = value(name) else { return Event.absent }
            if let text = value as? String, let time = TimeText.read(text) { return time == 0 ? Event.absent : time }
            if let number = isNumber(value), let integer = Int64("\(number)"), integer > -100_000_000_000_000_000 {
                let time = integer >= 100_000_000_000_000_000 ? integer / 1_000_000 : integer
                return time == 0 ? Event.absent : time
            }
            faults.append("bad_\(name)")
            return Event.absent
        }

        mutating func microseconds(_ name: String) -> Int64 {
            guard let value = value(name) else { return Event.absent }
            if let number = isNumber(value), abs(number.doubleValue) <= 9e12 {
                return Int64((number.doubleValue * 1000).rounded())
            }
            faults.append("bad_\(name)")
            return Event.absent
        }

        mutating func flag(_ name: String) -> Bool {
            guard let value = value(name) else { return false }
            if let number = value as? NSNumber, CFBooleanLike.isBoolean(number) { return number.boolValue }
            faults.append("bad_\(name)")
            return false
        }

        mutating func read() -> String {
            let device = text("device_id", limit: 256, isRequired: true)
            let app = text("app_id", limit: 256, isRequired: true)
            let name = text("event", isRequired: true)
            let time = time("ts")
            if time == Event.absent { faults.append("missing_ts") }
            let sequence = counter()
            let hashes = ["process_id", "session_id", "boot_id"].map { hash($0) }
            let monotonic = microseconds("mono_ms")
            let sent = self.time("sent_ts")
            let eventID = hash("event_id")
            let scope = scope()
            let names = ["instance", "class"].map { hash($0) }
            for dimension in ["platform", "app_version", "os_version", "device_model"] {
                _ = text(dimension, limit: 64)
            }
            for other in ["reason", "resource", "exit_reason"] { _ = text(other) }
            let handler = microseconds("handler_ms")
            let flags = (flag("prewarm") ? 1 : 0) + (flag("bridged") ? 2 : 0)
            if let fault = faults.first { return fault }
            var vocabulary = Vocabulary()
            var spelling = name ?? ""
            let edge = spelling.withUTF8 { bytes in
                vocabulary.edge(unsafe RawSpan(_unsafeElements: bytes), scope: scope, bridged: flags & 2 != 0)
            }
            return [
                "\(key(device ?? "", app ?? ""))", edge.name, "\(time)", "\(sent)", "\(sequence)", "\(hashes[0])",
                "\(hashes[1])", "\(hashes[2])", "\(monotonic)", "\(eventID)",
                (scope ?? edge.scope ?? .app).name, "\(names[0])", "\(names[1])", "\(handler)", "\(flags)",
            ].joined(separator: " ")
        }

        private mutating func counter() -> Int64 {
            guard let value = value("seq") else { return Event.absent }
            if let number = isNumber(value), let integer = Int64("\(number)"), (0..<(1 << 53)).contains(integer) {
                return integer
            }
            faults.append("bad_seq")
            return Event.absent
        }

        private mutating func scope() -> Scope? {
            guard let name = text("scope") else { return nil }
            let scope = Scope.allCases.first { $0.name == name.lowercased() }
            if scope == nil, faults.last != "too_long_scope" { faults.append("bad_scope") }
            return scope
        }
    }
}

/// Whether a number of Foundation's was written as true or false.
private enum CFBooleanLike {
    static func isBoolean(_ number: NSNumber) -> Bool { unsafe String(cString: number.objCType) == "c" }
}

/// The few forms of time that ``DocumentMaker`` writes, read by Foundation.
private enum TimeText {
    static func read(_ text: String) -> Int64? {
        guard let dot = text.firstIndex(of: "."), text.hasSuffix("Z") else {
            let minutes = text.suffix(2)
            guard text.utf8.count == 25, minutes < "60" else { return nil }
            return (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) * 1000 }
        }
        let digits = text[text.index(after: dot)...].dropLast()
        guard let date = try? Date(String(text[..<dot]) + "Z", strategy: .iso8601) else { return nil }
        let fraction = (digits + "00").prefix(3)
        return Int64(date.timeIntervalSince1970) * 1000 + (Int64(fraction) ?? 0)
    }
}
