import Lifecycle

/// The attributes that are looked at, of a resource, a record or its body; every other is passed over.
enum OTLPKey: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    // Whose it is, in the order in which one stands in for the other
    case deviceID
    case installationID
    case instanceID
    case sessionID
    // Which app, where
    case serviceName
    case serviceNamespace
    case serviceVersion
    case osName
    case osType
    case osVersion
    case modelIdentifier
    case modelName
    // How the event is called, in the order in which they are asked
    case otelEventName
    case eventName
    case name
    // The state, in the order in which they are asked
    case iosAppState
    case androidAppState
    case iosState
    case androidState
    // What is on the screen
    case activityName
    case screenName
    case elementType
    case elementName
    case elementID
    case lifecycleAction
    case startType

    /// The attribute's name in the semantic conventions, or in the SDK that sends it.
    var name: String {
        switch self {
        case .deviceID: "device.id"
        case .installationID: "app.installation.id"
        case .instanceID: "service.instance.id"
        case .sessionID: "session.id"
        case .serviceName: "service.name"
        case .serviceNamespace: "service.namespace"
        case .serviceVersion: "service.version"
        case .osName: "os.name"
        case .osType: "os.type"
        case .osVersion: "os.version"
        case .modelIdentifier: "device.model.identifier"
        case .modelName: "device.model.name"
        case .otelEventName: "otel.event.name"
        case .eventName: "event.name"
        case .name: "name"
        case .iosAppState: "ios.app.state"
        case .androidAppState: "android.app.state"
        case .iosState: "ios.state"
        case .androidState: "android.state"
        case .activityName: "activity.name"
        case .screenName: "app.screen.name"
        case .elementType: "element.type"
        case .elementName: "element.name"
        case .elementID: "element.id"
        case .lifecycleAction: "lifecycle.action"
        case .startType: "start.type"
        }
    }

    @inline(__always)
    var bit: UInt32 { 1 << UInt32(rawValue) }

    /// Those that make up a group.
    static var dimensions: UInt32 {
        serviceName.bit | serviceNamespace.bit | serviceVersion.bit | osName.bit | osType.bit | osVersion.bit
            | modelIdentifier.bit | modelName.bit
    }

    /// Those that name a record.
    static var names: UInt32 { otelEventName.bit | eventName.bit | name.bit }
    static var states: UInt32 { iosAppState.bit | androidAppState.bit | iosState.bit | androidState.bit }
    static var identities: UInt32 { deviceID.bit | installationID.bit | instanceID.bit | sessionID.bit }

    /// The first key of a set, in the order of the cases, which is the order in which they stand in for one another.
    @inline(__always)
    static func first(of set: UInt32) -> OTLPKey? {
        set == 0 ? nil : OTLPKey(rawValue: UInt8(truncatingIfNeeded: set.trailingZeroBitCount))
    }
}

/// Finds a key by its bytes.
struct OTLPKeyTable: Sendable {
    private static let size = 128
    private var hashes = ContiguousArray<UInt64>(repeating: 0, count: size)
    private var keys = ContiguousArray(repeating: OTLPKey.name, count: size)
    /// The lengths that keys have, one bit each: of all, and of those that name a record.
    private var lengths: UInt64 = 0
    private var lengthsOfNames: UInt64 = 0

    init() {
        for key in OTLPKey.allCases {
            let hash = StableHash.hash(key.name)
            var place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
            while hashes[place] != 0 { place = (place + 1) & (Self.size - 1) }
            hashes[place] = hash
            keys[place] = key
            lengths |= 1 << UInt64(key.name.utf8.count)
            if key.bit & OTLPKey.names != 0 { lengthsOfNames |= 1 << UInt64(key.name.utf8.count) }
        }
    }

    /// Whether any of the keys has so many bytes.
    @inline(__always)
    func hasKey(ofLength length: Int, among wanted: UInt32) -> Bool {
        let lengths = wanted == OTLPKey.names ? lengthsOfNames : lengths
        return length < 64 && lengths >> UInt64(length) & 1 == 1
    }

    func key(_ name: RawSpan) -> OTLPKey? {
        guard hasKey(ofLength: name.byteCount, among: UInt32.max) else { return nil }
        let hash = StableHash.hash(name)
        var place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
        while hashes[place] != 0 {
            if hashes[place] == hash { return keys[place] }
            place = (place + 1) & (Self.size - 1)
        }
        return nil
    }
}
