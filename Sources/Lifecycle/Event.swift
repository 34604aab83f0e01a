/// One lifecycle event of a batch, decoded: fixed size, no references. Texts are ids of the task's ``Lexicon`` where
/// they are few and stand in the output, and 64-bit hashes where only their equality matters.
@usableFromInline package struct Event: BitwiseCopyable, Sendable {
    /// Stands for an absent time or number.
    @inlinable package static var absent: Int64 { Int64.min }

    /// Whose event it is.
    @usableFromInline package var installation: InstallationKey
    /// Device wall clock when it happened, ms since the epoch.
    @usableFromInline package var time: Int64
    /// Receive time, ms since the epoch: the record's timestamp. ``absent`` where `replay` knows none.
    @usableFromInline package var received: Int64
    /// Device wall clock when the batch was sent, ms since the epoch, or ``absent``.
    @usableFromInline package var sent: Int64
    /// Device monotonic clock, µs, or ``absent``.
    @usableFromInline package var monotonic: Int64
    /// Counter of the process, or ``absent``.
    @usableFromInline package var sequence: Int64
    /// Hashes; 0 where the source sent none.
    @usableFromInline package var process: UInt64
    @usableFromInline package var session: UInt64
    @usableFromInline package var boot: UInt64
    @usableFromInline package var eventID: UInt64
    @usableFromInline package var instance: UInt64
    @usableFromInline package var className: UInt64
    /// The name of an ``Edge/unknown`` event, as sent; 0 for every other.
    @usableFromInline package var unknownName: UInt64
    /// Time the app's own handler took, µs, or ``absent``.
    @usableFromInline package var handler: Int64
    /// Id in ``Lexicon/groups``.
    @usableFromInline package var group: UInt32
    /// Ids in ``Lexicon/texts``; ``TextTable/empty`` where the source sent none.
    @usableFromInline package var reason: UInt32
    @usableFromInline package var resource: UInt32
    @usableFromInline package var exitReason: UInt32
    /// The record it came in, counted from the start of the batch: events of one record are put in order together.
    @usableFromInline package var record: UInt32
    @usableFromInline package var edge: Edge
    /// The scope that the source named, or that of the edge; an edge of any scope may belong to a view, say.
    @usableFromInline package var scope: Scope
    @usableFromInline package var flags: Flags

    @usableFromInline package struct Flags: OptionSet, BitwiseCopyable, Sendable {
        @usableFromInline package let rawValue: UInt8
        @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The launch was prewarmed.
        @inlinable package static var prewarm: Flags { Flags(rawValue: 1) }
        /// The event comes from a bridge (Flutter, React Native): its edge is a state.
        @inlinable package static var bridged: Flags { Flags(rawValue: 2) }
        /// An exit written by the system that names its process (Android's event log): it ends that process or none.
        @inlinable package static var namesItsProcess: Flags { Flags(rawValue: 4) }
    }

    /// An event with everything absent but whose, when and what; of the edge's scope, or of the app where it has none.
    @inlinable
    package init(_ installation: InstallationKey, _ edge: Edge, time: Int64, received: Int64) {
        self.init(installation, edge, edge.scope ?? .app, time: time, received: received)
    }

    /// An event with everything absent but whose, when and what.
    @inlinable @inline(__always)
    package init(_ installation: InstallationKey, _ edge: Edge, _ scope: Scope, time: Int64, received: Int64) {
        self.installation = installation
        self.time = time
        self.received = received
        sent = Event.absent
        monotonic = Event.absent
        sequence = Event.absent
        process = 0
        session = 0
        boot = 0
        eventID = 0
        instance = 0
        className = 0
        unknownName = 0
        handler = Event.absent
        group = 0
        reason = 0
        resource = 0
        exitReason = 0
        record = 0
        self.edge = edge
        self.scope = scope
        flags = []
    }

    /// Only moves stream time to `received`.
    @inlinable
    package static func tick(received: Int64) -> Event {
        Event(InstallationKey(high: 0, low: 0), .tick, time: received, received: received)
    }
}

/// What could not be read, for the dead-letter topic.
@usableFromInline package struct Rejection: Sendable, Equatable {
    /// The record, counted from the start of the batch.
    @usableFromInline package var record: Int
    /// The event within the record; nil where the whole record is unreadable.
    @usableFromInline package var index: Int?
    @usableFromInline package var code: RejectionCode

    package init(record: Int, index: Int?, code: RejectionCode) {
        self.record = record
        self.index = index
        self.code = code
    }
}

/// Why an event or a record could not be read.
@usableFromInline package enum RejectionCode: Sendable, Hashable {
    case invalidJSON
    case tooDeep
    case recordTooLarge
    case notAnObject
    case missing(field: String)
    case bad(field: String)
    case tooLong(field: String)
    case invalidOTLP
    case invalidLogcat

    /// The code as it stands in the header `phasefold.error.code`.
    package var code: String {
        switch self {
        case .invalidJSON: "invalid_json"
        case .tooDeep: "too_deep"
        case .recordTooLarge: "record_too_large"
        case .notAnObject: "not_an_object"
        case .missing(let field): "missing_\(field)"
        case .bad(let field): "bad_\(field)"
        case .tooLong(let field): "too_long_\(field)"
        case .invalidOTLP: "invalid_otlp"
        case .invalidLogcat: "invalid_logcat"
        }
    }
}
