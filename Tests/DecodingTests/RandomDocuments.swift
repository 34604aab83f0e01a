/// SplitMix64: the same numbers from the same seed everywhere.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}

/// Makes texts that are events, or nearly.
struct DocumentMaker {
    var random: Random
    /// How it writes: blanks after a comma, a colon, a brace.
    var blanks = ["", "", ""]
    /// Whether some texts shall be no JSON.
    var makesErrors = true

    init(seed: UInt64) { random = Random(state: seed) }

    static let fields =
        RejectionTests.strings + [
            "ts", "seq", "mono_ms", "sent_ts", "handler_ms", "prewarm", "bridged", "rx_ts", "unknown", "properties", "",
            "device_idx", "a_very_long_name_of_a_field_that_nobody_knows",
        ]

    /// One record: an object, an array, lines, or something broken.
    mutating func record() -> [UInt8] {
        blanks = [random.pick(["", "", " "]), random.pick(["", "", " ", "\t"]), random.pick(["", "", " ", "\n"])]
        var text: String
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            text = "[" + (0..<Int.random(in: 0..<4, using: &random)).map { _ in element() }.joined(separator: ",") + "]"
        case 1: text = (0..<Int.random(in: 1..<4, using: &random)).map { _ in element() }.joined(separator: "\n")
        default: text = object()
        }
        if random.chance(10) {
            text = random.pick([" ", "\n", "\r\n"]) + text + random.pick([" ", "\n", "\r\n", "\t"])
        }
        var bytes = Array(text.utf8)
        if makesErrors, random.chance(15), !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.insert(random.pick(Array("\"\\{}[]:, \n0-.e\u{1}".utf8)), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    private mutating func element() -> String { random.chance(10) ? value(of: "", 0) : object() }

    mutating func object() -> String {
        var names = ["device_id", "app_id", "event", "ts"].filter { _ in !random.chance(3) }
        for _ in 0..<Int.random(in: 0..<8, using: &random) { names.append(random.pick(Self.fields)) }
        if !makesErrors { names = names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
        if random.chance(10) { names.shuffle(using: &random) }
        let members = names.map { name in
            key(name) + ":" + blanks[1] + value(of: name, 0)
        }
        return "{" + blanks[2] + members.joined(separator: "," + blanks[0]) + blanks[2] + "}"
    }

    private mutating func key(_ name: String) -> String {
        var name = name
        if random.chance(10) {
            let words = name.split(separator: "_")
            name = words.dropFirst().reduce(String(words.first ?? "")) {
                $0 + $1.prefix(1).uppercased() + $1.dropFirst()
            }
        }
        if random.chance(3) { name = name.replacing("e", with: "\\u0065") }
        return "\"" + name + "\""
    }

    private mutating func value(of name: String, _ depth: Int) -> String {
        if random.chance(5) { return random.pick(["null", "true", "false", "\"\"", "0", "-0", "[]", "{}"]) }
        if random.chance(90) {
            switch name {
            case "ts", "sent_ts", "rx_ts": return time()
            case "seq": return String(Int.random(in: 0..<100, using: &random))
            case "mono_ms", "handler_ms": return number()
            case "prewarm", "bridged": return random.pick(["true", "false"])
            case "scope": return random.pick(["\"app\"", "\"view\"", "\"SCENE\"", "\"activity\""])
            case "event": return random.pick(["\"didBecomeActive\"", "\"launch\"", "\"purchase\"", "\"paused\""])
            case "": break
            default: return string()
            }
        }
        switch Int.random(in: 0..<(depth < 3 ? 7 : 4), using: &random) {
        case 0, 1: return string()
        case 2: return number()
        case 3: return time()
        case 4: return random.pick(["true", "false", "null"])
        case 5:
            let items = (0..<Int.random(in: 0..<3, using: &random)).map { _ in value(of: "", depth + 1) }
            return "[" + blanks[1] + items.joined(separator: "," + blanks[0]) + blanks[2] + "]"
        default:
            let names = ["a", "ts", "device_id"].prefix(Int.random(in: 0..<4, using: &random))
            let items = names.map { name in "\"\(name)\":" + value(of: "", depth + 1) }
            return "{" + items.joined(separator: ",") + "}"
        }
    }

    private mutating func string() -> String {
        var text = ""
        let pieces =
            ["a", "bc", "0123456789", "com.example.app", "é", "\u{1F600}", " ", "/", "{", "}", ",", ":", "]"]
            + (random.chance(30) ? ["\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00"] : [])
            + (makesErrors && random.chance(3) ? ["\\ud83d", "\\x", "\u{1}", "\t"] : [])
        for _ in 0..<Int.random(in: 0..<6, using: &random) { text += random.pick(pieces) }
        if random.chance(2) { text += String(repeating: "x", count: random.pick([60, 250, 1020])) }
        return "\"" + text + "\""
    }

    private mutating func number() -> String {
        let valid = [
            "0", "1", "-1", "12", "250", "123456789", "12.5", "0.25", "1234567.125", "-3.75", "1e3", "25e-2", "1.5E+2",
            "12345678", "999999999999999999", "9223372036854775807", "123456789012345678901234567890",
        ]
        if makesErrors, random.chance(5) {
            return random.pick(["01", "1.", "-", "+1", ".5", "1e", "NaN", "1_0", "0x1"])
        }
        return random.pick(valid)
    }

    private mutating func time() -> String {
        let digit = Int.random(in: 0..<10, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "\"2023-10-22T18:40:0\(digit).\(Int.random(in: 1..<999, using: &random))Z\""
        case 1: return "\"2023-10-22T18:40:00+02:\(Int.random(in: 10..<70, using: &random))\""
        case 2: return String(Int64.random(in: 1_698_000_000_000_000_000..<1_699_000_000_000_000_000, using: &random))
        default: return String(Int64.random(in: 1_698_000_000_000..<1_699_000_000_000, using: &random))
        }
    }
}
