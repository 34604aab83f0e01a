import Lifecycle

/// A file of records, whatever they hold, and what happens beside them.
///
/// A line is a record; one that begins with `>` moves the time on by so many seconds, with `=` it gives the records
/// behind it a time of receipt, with `|` it closes an epoch. In a line the byte 30 stands for a line feed.
enum ReplayTarget {
    static let settings = [
        "group.by": "app_id,platform,app_version,os_version,device_model", "group.limit": "3",
        "window.sizes": "1m", "window.grace": "1h", "logcat.year": "2026", "reorder.buffer": "4",
        "instances.limit": "3", "state.ttl": "1h", "histogram.max_buckets": "16",
    ]

    static func take(_ bytes: [UInt8]) {
        var run = PartitionRun(settings)
        var timestamp = Event.absent
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            switch line.first {
            case UInt8(ascii: ">"):
                let seconds = Int64(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 60
                run.advance(to: 1_767_225_600_000 + (seconds % (400 * 86_400)) * 1000)
            case UInt8(ascii: "="):
                let seconds = Int64(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 0
                timestamp = 1_767_225_600_000 + (seconds % (400 * 86_400)) * 1000
            case UInt8(ascii: "|"):
                run.closeEpoch()
            default:
                run.ingest(line.map { $0 == 0x1E ? 0x0A : $0 }, timestamp: timestamp)
            }
        }
        _ = run.finish(events: nil)
    }
}
