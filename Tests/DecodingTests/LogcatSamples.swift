@testable import Decoding
import Lifecycle
import Testing

/// Runs lines through a decoder and gives events with their texts spelled out.
final class LogcatReading {
    var decoder: LogcatDecoder
    var lexicon = Lexicon()
    var batch = EventBatch()

    init(_ change: (inout DecodingOptions) -> Void = { _ in }) {
        var options = DecodingOptions()
        options.fileName = "bugreport.txt"
        options.logcatYear = 2023
        change(&options)
        decoder = LogcatDecoder(options)
    }

    /// Each text is a record.
    func read(_ records: [String], key: String? = nil, timestamp: Int64 = Event.absent) {
        for record in records { read(record, key: key, timestamp: timestamp) }
    }

    func read(_ record: String, key: String? = nil, timestamp: Int64 = Event.absent) {
        let value = Array(record.utf8)
        let keyBytes = key.map { Array($0.utf8) }
        read(value, key: keyBytes, timestamp: timestamp)
    }

    func read(_ value: [UInt8], key: [UInt8]?, timestamp: Int64 = Event.absent) {
        if let key {
            unsafe decoder.decode(
                value.span.bytes, key: key.span.bytes, timestamp: timestamp, lexicon: &lexicon, into: &batch)
        } else {
            unsafe decoder.decode(value.span.bytes, key: nil, timestamp: timestamp, lexicon: &lexicon, into: &batch)
        }
        batch.records += 1
    }

    var events: [Event] { Array(batch.events) }
    var edges: [Edge] { batch.events.map(\.edge) }
    var codes: [String] { batch.rejections.map(\.code.code) }
    var exitReasons: [String] { batch.events.filter { $0.edge == .exit }.map { lexicon.texts[$0.exitReason] } }

    func app(_ event: Event) -> String { lexicon.texts[lexicon.groups[event.group].app] }
    var apps: [String] { batch.events.map(app) }
}

/// 2023-10-22T18:40:00Z in ms.
let evening: Int64 = 1_698_000_000_000

func line(_ seconds: String, _ pid: Int, _ rest: String) -> String {
    "10-22 18:40:\(seconds)  \(pid)  \(pid) I \(rest)"
}
