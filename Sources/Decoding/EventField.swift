/// The fields of an event in JSON, in the order of `pfj_field`: what is wrong with an event is told by the first
/// of them that is wrong.
enum EventField: UInt32, CaseIterable, BitwiseCopyable {
    case deviceID
    case appID
    case event
    case time
    case sequence
    case processID
    case sessionID
    case bootID
    case monotonic
    case sent
    case eventID
    case scope
    case instance
    case className
    case platform
    case appVersion
    case osVersion
    case deviceModel
    case reason
    case resource
    case exitReason
    case handler
    case prewarm
    case bridged
    case received

    /// The name in snake case.
    var name: String {
        switch self {
        case .deviceID: "device_id"
        case .appID: "app_id"
        case .event: "event"
        case .time: "ts"
        case .sequence: "seq"
        case .processID: "process_id"
        case .sessionID: "session_id"
        case .bootID: "boot_id"
        case .monotonic: "mono_ms"
        case .sent: "sent_ts"
        case .eventID: "event_id"
        case .scope: "scope"
        case .instance: "instance"
        case .className: "class"
        case .platform: "platform"
        case .appVersion: "app_version"
        case .osVersion: "os_version"
        case .deviceModel: "device_model"
        case .reason: "reason"
        case .resource: "resource"
        case .exitReason: "exit_reason"
        case .handler: "handler_ms"
        case .prewarm: "prewarm"
        case .bridged: "bridged"
        case .received: "rx_ts"
        }
    }

    /// The most bytes that its text may have.
    @inline(__always)
    var limit: Int {
        switch self {
        case .deviceID, .appID: 256
        case .platform, .appVersion, .osVersion, .deviceModel: 64
        default: 1024
        }
    }

    /// Its bit among the fields that the C side has read.
    @inline(__always)
    var bit: UInt32 { 1 << rawValue }
}

/// What is wrong with a field.
struct Fault: BitwiseCopyable {
    enum Kind: UInt32, BitwiseCopyable {
        case missing
        case bad
        case tooLong
    }

    var kind: Kind
    var field: EventField

    @inline(__always)
    init(kind: Kind, field: EventField) {
        self.kind = kind
        self.field = field
    }

    static var kindBits: UInt32 { 2 }

    /// nil where the code is no fault's.
    init?(code: UInt32) {
        guard let kind = Kind(rawValue: code & 3), let field = EventField(rawValue: code >> Self.kindBits) else {
            return nil
        }
        self.init(kind: kind, field: field)
    }

    /// In the order of the fields.
    @inline(__always)
    var code: UInt32 { field.rawValue << Self.kindBits | kind.rawValue }
}
