import Decoding
import Foundation
import Glibc
import Lifecycle
import Testing

/// The short way at the edges of what it looks at in advance.
@Suite struct PlainReaderTests {
    /// Memory of which the last byte is followed by none.
    @safe private struct LastPages: ~Copyable {
        static var size: Int { 16 * 4096 }
        private let start: UnsafeMutableRawPointer

        init() {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS
            let memory = unsafe mmap(nil, Self.size + 4096, PROT_READ | PROT_WRITE, flags, -1, 0)
            guard let memory = unsafe memory, unsafe mprotect(memory + Self.size, 4096, PROT_NONE) == 0 else {
                fatalError("no memory for a test")
            }
            unsafe start = memory
        }

        deinit { unsafe munmap(start, Self.size + 4096) }

        /// Gives `body` a text that ends so many bytes before the memory does.
        func withText(_ text: [UInt8], before distance: Int, _ body: (RawSpan) -> Void) {
            let from = Self.size - distance - text.count
            unsafe start.advanced(by: from).copyMemory(from: text, byteCount: text.count)
            body(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start + from), byteCount: text.count))
        }
    }

    @Test(arguments: [true, false])
    func nothingIsReadBehindTheMemoryOfARecord(looksWide: Bool) {
        let start = DifferentialTests.seed ?? UInt64.random(in: 0..<1_000_000_000)
        let pages = LastPages()
        var short = Bench()
        var full = Bench()
        short.decoder.looksWide = looksWide
        full.decoder.takesShortWay = false
        for round in 0..<UInt64(1000) {
            var maker = DocumentMaker(seed: start + round)
            let record = maker.record()
            full.batch.removeAll()
            full.decode(record, key: nil)
            for distance in [0, 1, 15, 16, 31, 32, 63, 64, 65] where record.count < 4096 {
                short.batch.removeAll()
                pages.withText(record, before: distance) { text in
                    short.decoder.decode(
                        text, key: nil, timestamp: Event.absent, lexicon: &short.lexicon, into: &short.batch)
                }
                let agree =
                    short.descriptions == full.descriptions && short.batch.rejections == full.batch.rejections
                let text = String(decoding: record, as: UTF8.self)
                #expect(agree, "PHASEFOLD_SEED=\(start + round), \(distance): \(text)")
                if !agree { return }
            }
        }
    }

    /// What one line is must not depend on those before and behind it, nor on what stands behind the last one.
    @Test(arguments: [true, false])
    func linesAreRecordsByThemselves(looksWide: Bool) {
        let start = DifferentialTests.seed ?? UInt64.random(in: 0..<1_000_000_000)
        let pages = LastPages()
        var bench = Bench { $0.maxRecordBytes = 600 }
        var single = Bench { $0.maxRecordBytes = 600 }
        bench.decoder.looksWide = looksWide
        single.decoder.takesShortWay = false
        for round in 0..<UInt64(400) {
            var maker = DocumentMaker(seed: start + round)
            var random = Random(state: start + round)
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 1..<8, using: &random) {
                text += random.chance(50) ? maker.record() : Array(json(#""p":{"a":"# + "\n1}").utf8)
                text += Array(random.pick(["\n", "\n", "\r\n", " \n", "\n\n", ""]).utf8)
            }
            guard text.count < 8192 else { continue }
            single.batch.removeAll()
            var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
            if lines.last == [] { lines.removeLast() }
            for line in lines {
                single.decode(Array(line.last == 0x0D ? line.dropLast() : line), key: nil)
            }
            for distance in [0, 1, 63, 64, 65] {
                bench.batch.removeAll()
                var rejections: [Rejection] = []
                pages.withText(text, before: distance) { text in
                    var start = 0
                    while start < text.byteCount {
                        start = bench.decoder.decode(
                            lines: text, from: start, enough: bench.batch.events.count + 2, lexicon: &bench.lexicon,
                            into: &bench.batch)
                        rejections += bench.batch.rejections
                        bench.batch.rejections = []
                    }
                }
                let agree =
                    bench.descriptions == single.descriptions && rejections == single.batch.rejections
                    && bench.batch.records == lines.count
                #expect(agree, "PHASEFOLD_SEED=\(start + round), \(distance): \(String(decoding: text, as: UTF8.self))")
                if !agree { return }
            }
        }
    }

    /// What stands behind a record that is cut off would complete it, and must not.
    @Test func whatStandsBehindIsNoPartOfARecord() {
        let more = #""seq":12,"properties":{"a":[true,"b"]},"session_id":"0123456789abcdef""#
        let whole = Array((json(more) + "  ").utf8)
        var bench = Bench()
        unsafe whole.withUnsafeBytes { bytes in
            for end in 1..<(whole.count - 2) {
                let text = unsafe RawSpan(_unsafeStart: bytes.baseAddress.unsafelyUnwrapped, byteCount: end)
                bench.decoder.decode(
                    text, key: nil, timestamp: Event.absent, lexicon: &bench.lexicon, into: &bench.batch)
            }
        }
        #expect(bench.batch.events.isEmpty)
        #expect(Set(bench.codes) == ["invalid_json"] && bench.codes.count == whole.count - 3)
    }

    /// Values of unknown fields, each valid in itself, and what two ways make of one byte changed in them.
    @Test(arguments: [true, false])
    func containersArePassedOverAsOnTheFullWay(looksWide: Bool) {
        let start = DifferentialTests.seed ?? UInt64.random(in: 0..<1_000_000_000)
        var random = Random(state: start)
        var short = Bench()
        var full = Bench()
        short.decoder.looksWide = looksWide
        full.decoder.takesShortWay = false
        for round in 0..<4000 {
            var record = Array(json(#""p":"# + container(&random, 0)).utf8)
            if random.chance(60) {
                let place = Int.random(in: 60..<record.count, using: &random)
                record[place] = random.pick(Array("{}[]:,\"\\ 0-1.eEutn\u{1}x\n".utf8))
            }
            for text in [record, Array("[".utf8) + record + Array("]".utf8), record + [0x0A] + record] {
                short.batch.removeAll()
                full.batch.removeAll()
                short.decode(text, key: nil)
                full.decode(text, key: nil)
                let agree =
                    short.descriptions == full.descriptions && short.batch.rejections == full.batch.rejections
                #expect(agree, "PHASEFOLD_SEED=\(start), \(round): \(String(decoding: text, as: UTF8.self))")
                if !agree { return }
            }
        }
    }

    private func container(_ random: inout Random, _ depth: Int) -> String {
        let blank = random.pick(["", "", "", " ", "\n", "\t "])
        // Now and then a tower, about as high as is allowed.
        if depth == 0, random.chance(10) {
            let height = Int.random(in: 58..<68, using: &random)
            let isObject = (0..<height).map { _ in random.chance(50) }
            let opening = isObject.map { $0 ? "{\"a\":" : "[" }.joined()
            return opening + "1" + isObject.reversed().map { $0 ? "}" : "]" }.joined()
        }
        guard depth < 5, random.chance(70) else {
            return random.pick([
                "0", "-1", "1.5", "-0.25e+10", "1E5", "123456789012345678901234567890", "true", "false", "null", "\"\"",
                #""text""#, #""é\n\u00e9\ud83d\ude00""#, #""0123456789abcdef""#, #""\\\"/""#, "01", "1.", #""\ud83d""#,
            ])
        }
        let isObject = random.chance(50)
        let items = (0..<Int.random(in: 0..<4, using: &random)).map { index in
            (isObject ? "\"k\(index)\"" + blank + ":" + blank : blank) + container(&random, depth + 1)
        }
        return (isObject ? "{" : "[") + items.joined(separator: blank + ",") + blank + (isObject ? "}" : "]")
    }

    /// Strings around the widths of a look, each with something in it that ends a run of plain ASCII, or nearly does.
    @Test(arguments: [true, false])
    func stringsOfEveryLength(looksWide: Bool) {
        var short = Bench()
        var full = Bench()
        short.decoder.looksWide = looksWide
        full.decoder.takesShortWay = false
        let marks: [[UInt8]] = [
            [], [0x1F], [0x20], [0x21], [0x23], [0x7F], [0x80], [0xC3, 0xA9], Array(#"\""#.utf8), Array("\\\\".utf8),
            [0x0A], [0],
        ]
        for length in 0...70 {
            for mark in marks {
                for place in Set([0, length / 2, length]) {
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    text.insert(contentsOf: mark, at: place)
                    let record =
                        Array(#"{"app_id":"a","device_id":""#.utf8) + text + Array(#"","event":"e","ts":1}"#.utf8)
                    short.decode(record, key: nil)
                    full.decode(record, key: nil)
                }
            }
        }
        #expect(short.descriptions == full.descriptions && short.codes == full.codes)
        #expect(short.batch.events.count > 500 && short.batch.rejections.count > 500)
    }

    static let limits: [(String, Int)] = [
        ("device_id", 256), ("app_id", 256), ("event", 1024), ("process_id", 1024), ("session_id", 1024),
        ("platform", 64), ("app_version", 64), ("os_version", 64), ("device_model", 64), ("instance", 1024),
    ]

    /// The short way tells what is surely short enough, and the others are looked at one by one.
    @Test(arguments: limits)
    func textsAtTheirLimits(field: String, limit: Int) {
        for length in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025] {
            let record = json("\"\(field)\":\"\(String(repeating: "x", count: length))\"")
            var short = Bench { $0.groupBy = Dimension.allCases }
            var full = Bench { $0.groupBy = Dimension.allCases }
            full.decoder.takesShortWay = false
            for _ in 0..<2 {
                short.decode(record)
                full.decode(record)
            }
            #expect(short.codes == (length > limit ? ["too_long_\(field)", "too_long_\(field)"] : []))
            #expect(short.descriptions == full.descriptions && short.codes == full.codes, "\(field), \(length)")
        }
    }

    /// The last one of a name counts, whatever those before it were.
    @Test(arguments: ["app_id", "event", "ts", "rx_ts", "seq", "platform", "process_id"])
    func fieldsThatStandTwice(field: String) {
        let long = String(repeating: "x", count: 70)
        let values = [
            #""text""#, "\"\"", "17", "0", "1.5", "-3", "null", "true", #""\#(long)""#, #""2023-10-22T18:40:00Z""#,
            "[1]",
            "1234567890123456", #""\u0041""#,
        ]
        for first in values {
            for second in values {
                let record = json("\"\(field)\":\(first),\"\(field)\":\(second)")
                var short = Bench { $0.honoursReceiveTime = true }
                var full = Bench { $0.honoursReceiveTime = true }
                full.decoder.takesShortWay = false
                for _ in 0..<2 {
                    short.decode(record)
                    full.decode(record)
                }
                #expect(short.descriptions == full.descriptions && short.codes == full.codes, "\(record)")
            }
        }
    }

    /// Dimensions are known again by digests: of one text in several places, of its parts, of zeros at its end.
    @Test func groupsAreToldApart() {
        var bench = Bench { $0.groupBy = Dimension.allCases }
        let texts = [
            "", "a", "b", "ab", "ba", #"a\u0000"#, "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "aaaaaaaa", "aaaaaaaaa",
        ]
        for _ in 0..<2 {
            for platform in texts {
                for version in texts {
                    for model in texts {
                        let dimensions = [("platform", platform), ("app_version", version), ("device_model", model)]
                        bench.decode(json(dimensions.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")))
                    }
                }
            }
        }
        let count = texts.count * texts.count * texts.count
        #expect(bench.batch.events.count == 2 * count && Set(bench.batch.events.map(\.group)).count == count)
        #expect(bench.batch.events.prefix(count).map(\.group) == bench.batch.events.suffix(count).map(\.group))
    }

    /// Times by all numbers of digits, and what is next to them.
    @Test(arguments: [true, false])
    func integersOfEveryLength(looksWide: Bool) {
        for digits in 1...20 {
            for first in ["1", "9", "0", "-1"] {
                let number = first + String("1234567890123456789".prefix(digits - 1))
                for ending in ["", " ", ".0", "e0", "x", ",1"] {
                    let record = json("\"seq\":\(number)\(ending)")
                    var short = Bench()
                    var full = Bench()
                    short.decoder.looksWide = looksWide
                    full.decoder.takesShortWay = false
                    for _ in 0..<3 {
                        short.decode(record)
                        full.decode(record)
                    }
                    #expect(short.descriptions == full.descriptions && short.codes == full.codes, "\(record)")
                }
            }
        }
    }

    /// A field that changes its form, and more layouts than are remembered.
    @Test(arguments: [true, false])
    func layoutsThatChange(looksWide: Bool) {
        var short = Bench { $0.honoursReceiveTime = true }
        var full = Bench { $0.honoursReceiveTime = true }
        short.decoder.looksWide = looksWide
        full.decoder.takesShortWay = false
        let times = ["1698000000000", #""2023-10-22T18:40:00Z""#, "null", "1698000000000000000", "true", "-5", "[]"]
        for round in 0..<2000 {
            let field = #""field\#(round % 300)":\#(round)"#
            let record = json("\(field),\"sent_ts\":\(times[round % 7]),\"rx_ts\":\(times[round % 5])")
            short.decode(record)
            full.decode(record)
        }
        #expect(short.descriptions == full.descriptions && short.codes == full.codes)
        #expect(short.batch.events.count > 1000)
    }
}
