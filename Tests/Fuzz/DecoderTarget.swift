import Decoding
import Lifecycle

/// One record, whatever it holds.
enum DecoderTarget {
    /// The short way must give what the full way gives, and a decoder that knows the record what a new one does.
    static func takeJSON(_ bytes: [UInt8]) {
        var short = Reading(.json)
        var full = Reading(.json)
        full.decoder.takesShortWay = false
        var narrow = Reading(.json)
        narrow.decoder.looksWide = false
        for key in [nil, Array("key".utf8)] as [[UInt8]?] {
            let found = short.read(bytes, key: key)
            let expected = full.read(bytes, key: key)
            check(found == expected, "the short way gave \(found), the full one \(expected)")
            let seen = narrow.read(bytes, key: key)
            check(seen == expected, "the short way of narrow looks gave \(seen), the full one \(expected)")
            let again = short.read(bytes, key: key)
            check(again == found, "at first \(found), then \(again)")
        }
    }

    /// A line must give what it gives as a record by itself.
    static func takeLines(_ bytes: [UInt8]) {
        var together = Reading(.json)
        var apart = Reading(.json)
        apart.decoder.takesShortWay = false
        let expected = apart.readLinesApart(bytes)
        for _ in 0..<2 {
            let found = together.readLines(bytes)
            check(found == expected, "lines gave \(found), each by itself \(expected)")
        }
    }

    static func take(_ bytes: [UInt8], as format: RecordFormat) {
        var reading = Reading(format)
        let found = reading.read(bytes, key: nil)
        // A log remembers its lines; every other record means the same whenever it comes.
        let again = reading.read(bytes, key: nil)
        check(format == .logcat || again == found, "at first \(found), then \(again)")
        var auto = Reading(.auto)
        _ = auto.read(bytes, key: Array("key".utf8))
    }
}

/// A decoder with what it fills.
private struct Reading: ~Copyable {
    var decoder: RecordDecoder
    private var lexicon = Lexicon()
    private var batch = EventBatch(capacity: 16)

    init(_ format: RecordFormat) {
        var options = DecodingOptions()
        options.format = format
        options.honoursReceiveTime = true
        options.logcatYear = 2026
        options.groupBy = Dimension.allCases
        decoder = RecordDecoder(options)
    }

    /// What a record gave, in words.
    mutating func read(_ bytes: [UInt8], key: [UInt8]?) -> [String] {
        batch.removeAll()
        let value = unsafe bytes.span.bytes
        if let key {
            decoder.decode(
                value, key: unsafe key.span.bytes, timestamp: 1_767_225_600_000, lexicon: &lexicon, into: &batch)
        } else {
            decoder.decode(value, key: nil, timestamp: 1_767_225_600_000, lexicon: &lexicon, into: &batch)
        }
        check(batch.records == 1, "one record counts as \(batch.records)")
        return found
    }

    /// What lines gave, in words.
    mutating func readLines(_ bytes: [UInt8]) -> [String] {
        batch.removeAll()
        var rejections: [Rejection] = []
        var start = 0
        while start < bytes.count {
            start = unsafe decoder.decode(
                lines: bytes.span.bytes, from: start, enough: batch.events.count + 3, lexicon: &lexicon, into: &batch)
            rejections += batch.rejections
            batch.rejections = []
        }
        batch.rejections = rejections
        return found + ["\(batch.records)"]
    }

    /// What they gave as records by themselves.
    mutating func readLinesApart(_ bytes: [UInt8]) -> [String] {
        batch.removeAll()
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last == [] { lines.removeLast() }
        for line in lines {
            let record = Array(line.last == 0x0D ? line.dropLast() : line)
            unsafe decoder.decode(
                record.span.bytes, key: nil, timestamp: Event.absent, lexicon: &lexicon, into: &batch)
        }
        return found + ["\(batch.records)"]
    }

    private var found: [String] {
        batch.events.map { describe($0) } + batch.rejections.map { "\($0)" } + ["\(batch.otherTelemetry)"]
    }

    private func describe(_ event: Event) -> String {
        let group = lexicon.groups[event.group]
        let ids = [
            event.reason, event.resource, event.exitReason, group.app, group.platform, group.appVersion,
            group.osVersion, group.deviceModel,
        ]
        var plain = event
        (plain.reason, plain.resource, plain.exitReason, plain.group) = (0, 0, 0, 0)
        return String(reflecting: plain) + ids.map { " " + lexicon.texts[$0] }.joined()
    }
}
