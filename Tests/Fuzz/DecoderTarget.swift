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
        return batch.events.map { describe($0) } + batch.rejections.map { "\($0)" } + ["\(batch.otherTelemetry)"]
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
