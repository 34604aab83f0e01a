internal import Lifecycle

/// The form in which decoded events go from stage 0 to stage 1: many in a record, without a text twice.
///
/// A version byte and the rest of a ``PackedHeader``; the texts (count, then length and bytes of each, UTF-8); the
/// groups (count, then five texts of each by number); the events. Numbers are varints, signed ones zigzag. An event
/// begins with the bits of ``PackedFields`` that tell what follows; its receive time is the difference from that of
/// the event before, stream time and device time that from its receive time. An edge is its number in ``Edge``, so a
/// change there is a new version.
enum PackedFormat {
    static let version: UInt8 = 2
}

/// Which fields an event has.
struct PackedFields: OptionSet {
    let rawValue: UInt32

    /// The first of its source record: events of one record are put in order together.
    static let beginsRecord = PackedFields(rawValue: 1 << 0)
    static let received = PackedFields(rawValue: 1 << 1)
    static let sent = PackedFields(rawValue: 1 << 2)
    static let monotonic = PackedFields(rawValue: 1 << 3)
    static let sequence = PackedFields(rawValue: 1 << 4)
    static let process = PackedFields(rawValue: 1 << 5)
    static let session = PackedFields(rawValue: 1 << 6)
    static let boot = PackedFields(rawValue: 1 << 7)
    static let eventID = PackedFields(rawValue: 1 << 8)
    static let instance = PackedFields(rawValue: 1 << 9)
    static let className = PackedFields(rawValue: 1 << 10)
    static let unknownName = PackedFields(rawValue: 1 << 11)
    static let handler = PackedFields(rawValue: 1 << 12)
    static let reason = PackedFields(rawValue: 1 << 13)
    static let resource = PackedFields(rawValue: 1 << 14)
    static let exitReason = PackedFields(rawValue: 1 << 15)
    static let flags = PackedFields(rawValue: 1 << 16)
    /// The first of its source record, whose receive time is not the stream time.
    static let stream = PackedFields(rawValue: 1 << 17)
    static let known = PackedFields(rawValue: (1 << 18) - 1)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(of event: borrowing Event) {
        var fields: PackedFields = []
        if event.received != Event.absent { fields.insert(.received) }
        if event.sent != Event.absent { fields.insert(.sent) }
        if event.monotonic != Event.absent { fields.insert(.monotonic) }
        if event.sequence != Event.absent { fields.insert(.sequence) }
        if event.handler != Event.absent { fields.insert(.handler) }
        if event.process != 0 { fields.insert(.process) }
        if event.session != 0 { fields.insert(.session) }
        if event.boot != 0 { fields.insert(.boot) }
        if event.eventID != 0 { fields.insert(.eventID) }
        if event.instance != 0 { fields.insert(.instance) }
        if event.className != 0 { fields.insert(.className) }
        if event.unknownName != 0 { fields.insert(.unknownName) }
        if event.reason != TextTable.empty { fields.insert(.reason) }
        if event.resource != TextTable.empty { fields.insert(.resource) }
        if event.exitReason != TextTable.empty { fields.insert(.exitReason) }
        if !event.flags.isEmpty { fields.insert(.flags) }
        self = fields
    }
}

/// Why packed events cannot be read.
package enum PackedEventsError: Error, Equatable, Sendable {
    /// Written by a program whose format this one does not know.
    case version(UInt8)
    /// Its bytes are not those of any events.
    case malformed
}
