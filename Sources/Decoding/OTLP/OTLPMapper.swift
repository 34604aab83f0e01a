import Lifecycle

/// What lifecycle telemetry is called; a record of any other name is other telemetry.
enum OTLPName: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case appLifecycle
    case elementLifecycle
    case appCrash
    case deviceCrash
    // Spans of an activity, however long
    case created
    case resumed
    case paused
    case stopped
    case destroyed
    case restarted
    case appStart

    var name: StaticString {
        switch self {
        case .appLifecycle: "device.app.lifecycle"
        case .elementLifecycle: "app.ui.lifecycle"
        case .appCrash: "app.crash"
        case .deviceCrash: "device.crash"
        case .created: "Created"
        case .resumed: "Resumed"
        case .paused: "Paused"
        case .stopped: "Stopped"
        case .destroyed: "Destroyed"
        case .restarted: "Restarted"
        case .appStart: "AppStart"
        }
    }

    /// The edge at the start of an activity's span.
    var activityEdge: Edge? {
        switch self {
        case .created: .activityCreate
        case .resumed: .activityResume
        case .paused: .activityPause
        case .stopped: .activityStop
        case .destroyed: .activityDestroy
        case .restarted: .activityRestart
        case .appStart: .launch
        case .appLifecycle, .elementLifecycle, .appCrash, .deviceCrash: nil
        }
    }

    /// nil for other telemetry.
    init?(_ text: UnsafeRawBufferPointer) {
        let bytes = unsafe RawSpan(_unsafeBytes: text)
        guard let found = Self.allCases.first(where: { bytes.isText($0.name) }) else { return nil }
        self = found
    }
}

/// Makes events of OpenTelemetry log records and spans, from what their reader finds in any order.
///
/// One request after the other: ``beginRequest(_:)``, for each resource ``beginResource()`` and its attributes, for
/// each record ``beginRecord(isSpan:)``, its fields, and ``endRecord(vocabulary:lexicon:into:)``. Texts are not copied
/// and must stay where they are: those of a resource until the next one begins, those of a record until it ends.
@safe
struct OTLPMapper: ~Copyable {
    let grouping: Grouping
    /// The app of a record that names none.
    var defaultApp = ScratchText(capacity: EventField.appID.limit)
    let keys = OTLPKeyTable()
    var resource = OTLPAttributes()
    var record = OTLPAttributes()
    /// Of a key-value body; only states count there.
    var body = OTLPAttributes()
    var origin = Origin(timestamp: Event.absent, record: 0)
    /// Of the record within its request.
    var index = 0
    /// The group of records that say nothing of it themselves; nil until one is asked for.
    var resourceGroup: UInt32?

    var isSpan = false
    /// The record's own name: of a log record `event_name`, of a span its name.
    var ownName = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// ns since the epoch; 0 where there is none. Of a span its start.
    var time: UInt64 = 0
    /// ns since the epoch; 0 where there is none. Of a span its end.
    var secondTime: UInt64 = 0
    /// The earliest time of each kind of a span's events, ns since the epoch; `UInt64.max` where there is none.
    var eventTimes = ContiguousArray(repeating: UInt64.max, count: ActivityKind.allCases.count)
    /// Whether any of ``eventTimes`` is set.
    var hasEvents = false
    /// Where a name is put together.
    var scratch = ScratchText(capacity: 2 * EventField.appID.limit + 2)

    init(_ options: DecodingOptions) {
        grouping = Grouping(options.groupBy)
        for byte in (options.defaultAppID ?? "").utf8 { defaultApp.append(byte) }
    }

    mutating func beginRequest(_ origin: Origin) {
        self.origin = origin
        index = 0
    }

    mutating func beginResource() {
        resource.removeAll()
        resourceGroup = nil
    }

    mutating func beginRecord(isSpan: Bool) {
        self.isSpan = isSpan
        record.removeAll()
        body.removeAll()
        unsafe ownName = UnsafeRawBufferPointer(start: nil, count: 0)
        time = 0
        secondTime = 0
        if hasEvents {
            for kind in eventTimes.indices { eventTimes[kind] = UInt64.max }
            hasEvents = false
        }
    }

    /// An event within a span: `activityPreResumed` and the like.
    mutating func add(spanEvent name: RawSpan, time: UInt64) {
        guard time != 0, let kind = ActivityKind(ofSpanEvent: name) else { return }
        eventTimes[Int(kind.rawValue)] = min(eventTimes[Int(kind.rawValue)], time)
        hasEvents = true
    }

    private var hasOwnName: Bool { unsafe !ownName.isEmpty }

    /// The name of the record; nil for other telemetry.
    var lifecycleName: OTLPName? {
        var text = unsafe isSpan ? UnsafeRawBufferPointer(start: nil, count: 0) : ownName
        if isSpan || !hasOwnName, let key = OTLPKey.first(of: record.present & OTLPKey.names) {
            unsafe text = record[key]
        }
        if unsafe text.isEmpty { unsafe text = ownName }
        guard let name = unsafe OTLPName(text) else { return nil }
        // Only spans show an activity, and only one without length shows anything else.
        if name.activityEdge != nil { return isSpan ? name : nil }
        return !isSpan || secondTime == time || secondTime == 0 ? name : nil
    }

    /// The value that the record gives, else that of its resource.
    func value(_ key: OTLPKey) -> UnsafeRawBufferPointer {
        unsafe record.has(key) ? record[key] : resource[key]
    }

    /// The first value there is of the keys.
    func value(_ key: OTLPKey, or other: OTLPKey) -> UnsafeRawBufferPointer {
        let value = unsafe value(key)
        return unsafe value.isEmpty ? self.value(other) : value
    }
}

/// The callbacks of an activity that a span tells of.
enum ActivityKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case created
    case started
    case resumed
    case paused
    case stopped
    case destroyed

    var name: StaticString {
        switch self {
        case .created: "Created"
        case .started: "Started"
        case .resumed: "Resumed"
        case .paused: "Paused"
        case .stopped: "Stopped"
        case .destroyed: "Destroyed"
        }
    }

    var edge: Edge {
        switch self {
        case .created: .activityCreate
        case .started: .activityStart
        case .resumed: .activityResume
        case .paused: .activityPause
        case .stopped: .activityStop
        case .destroyed: .activityDestroy
        }
    }

    /// Before, in and after a callback (`activityPreCreated`, `activityCreated`, `activityPostCreated`); the second is
    /// all that there is before Android 10.
    init?(ofSpanEvent name: RawSpan) {
        guard name.hasText("activity") else { return nil }
        let skipped = name.hasText("Pre", at: 8) ? 11 : name.hasText("Post", at: 8) ? 12 : 8
        let rest = name.extracting(skipped..<name.byteCount)
        guard let kind = Self.allCases.first(where: { rest.isText($0.name) }) else { return nil }
        self = kind
    }
}
