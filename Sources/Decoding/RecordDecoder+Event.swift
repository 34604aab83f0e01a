import CSimdJSON
import Lifecycle

extension RecordDecoder {
    /// Appends the event of an object, unless something is wrong with it.
    mutating func append(
        _ fields: EventObject, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, to batch: inout EventBatch
    ) -> Fault? {
        var object = fields
        var received = origin.timestamp
        if options.honoursReceiveTime {
            let told = object.time(.received)
            if told != Event.absent { received = told }
        }
        let happened = object.time(.time)
        let time = happened != Event.absent ? happened : received
        if time == Event.absent { object.note(.missing, .time) }
        let bridged = object.flag(.bridged)
        let scope = object.scope()
        let name = object.hash(.event)
        if name == 0 { object.note(.missing, .event) }
        let meaning = meaning(of: &object, name: name, scope: scope, bridged: bridged)
        var app = object.hash(.appID)
        if app == 0 {
            if defaultApp.isEmpty { object.note(.missing, .appID) }
            app = defaultAppHash
        }

        let installation = Self.installation(of: &object, key: key, app: app)
        let sequence = object.counter(.sequence)
        let process = object.hash(.processID)
        let session = object.hash(.sessionID)
        let seldom = object.hasAny(of: EventObject.seldom) ? SeldomFields(of: &object, &lexicon.texts) : nil
        let group = group(of: &object, app: app, in: &lexicon)
        if object.isFaulty { return object.fault }
        batch.events.append(addingCapacity: 1) { events in
            unsafe events.withUnsafeMutableBufferPointer { buffer, count in
                // Made where it stays: it is too large to be copied in passing.
                let event = unsafe buffer.baseAddress.unsafelyUnwrapped
                unsafe event.initialize(
                    to: Event(installation, meaning.edge, meaning.scope, time: time, received: received))
                if meaning.edge == .unknown { unsafe event.pointee.unknownName = name }
                if bridged { unsafe event.pointee.flags = .bridged }
                unsafe event.pointee.sequence = sequence
                unsafe event.pointee.process = process
                unsafe event.pointee.session = session
                unsafe event.pointee.group = group
                unsafe event.pointee.record = UInt32(truncatingIfNeeded: origin.record)
                if let seldom { unsafe seldom.set(in: &event.pointee) }
                count = 1
            }
        }
        return nil
    }

    /// What the name of an event means; `scope` is the one that was named.
    @inline(__always)
    private mutating func meaning(
        of object: inout EventObject, name: UInt64, scope: Scope?, bridged: Bool
    ) -> Meaning {
        let aspect = UInt64(scope.map { $0.rawValue + 1 } ?? 0) << 1 | (bridged ? 1 : 0)
        if let meaning = meanings[name &+ aspect] { return meaning }
        return learnMeaning(name &+ aspect, object.text(.event), scope: scope, bridged: bridged)
    }

    @inline(never)
    private mutating func learnMeaning(_ hash: UInt64, _ name: FieldText, scope: Scope?, bridged: Bool) -> Meaning {
        let spelling = unsafe RawSpan(_unsafeStart: name.start, byteCount: name.count)
        let edge = vocabulary.edge(spelling, scope: scope, bridged: bridged)
        let meaning = Meaning(edge: edge, scope: scope ?? edge.scope ?? .app)
        meanings[hash] = meaning
        return meaning
    }

    /// The device that is named, or else the record's key.
    ///
    /// No method of the decoder, which would be copied for it; so all that is called for each event.
    @inline(__always)
    private static func installation(of object: inout EventObject, key: RawSpan?, app: UInt64) -> InstallationKey {
        let device = object.text(.deviceID)
        if !device.isEmpty {
            let bytes = unsafe RawSpan(_unsafeStart: device.start, byteCount: device.count)
            return InstallationKey(device: bytes, app: app)
        }
        guard let key, key.byteCount > 0 else {
            object.note(.missing, .deviceID)
            return InstallationKey(high: 0, low: 0)
        }
        if key.byteCount > EventField.deviceID.limit {
            object.note(.tooLong, .deviceID)
        } else if !key.isUTF8 {
            object.note(.bad, .deviceID)
        }
        return installation(key: key, app: app)
    }

    @inline(never)
    private static func installation(key: RawSpan, app: UInt64) -> InstallationKey {
        InstallationKey(device: key, app: app)
    }

    /// The group of the dimensions that are grouped by; the others are read too, for what may be wrong with them.
    @inline(__always)
    private mutating func group(of object: inout EventObject, app: UInt64, in lexicon: inout Lexicon) -> UInt32 {
        var hash = app
        object.extend(&hash, with: .platform, if: grouping.platform)
        object.extend(&hash, with: .appVersion, if: grouping.appVersion)
        object.extend(&hash, with: .osVersion, if: grouping.osVersion)
        object.extend(&hash, with: .deviceModel, if: grouping.deviceModel)
        if let id = groups[hash] { return id }
        // An event that is rejected makes no group.
        if object.isFaulty { return GroupTable.overflow }
        return learnGroup(hash, object, in: &lexicon)
    }

    @inline(never)
    private mutating func learnGroup(_ hash: UInt64, _ object: EventObject, in lexicon: inout Lexicon) -> UInt32 {
        var object = object
        let id = lexicon.groups.intern(dimensions(of: &object, in: &lexicon.texts))
        groups[hash] = id
        return id
    }

    private func dimensions(of object: inout EventObject, in texts: inout TextTable) -> Dimensions {
        var dimensions = Dimensions()
        if grouping.app {
            let app = object.text(.appID)
            let bytes = unsafe RawSpan(_unsafeStart: app.start, byteCount: app.count)
            dimensions.app = unsafe texts.intern(app.isEmpty ? defaultApp.span.bytes : bytes)
        }
        if grouping.platform { dimensions.platform = object.id(.platform, in: &texts) }
        if grouping.appVersion { dimensions.appVersion = object.id(.appVersion, in: &texts) }
        if grouping.osVersion { dimensions.osVersion = object.id(.osVersion, in: &texts) }
        if grouping.deviceModel { dimensions.deviceModel = object.id(.deviceModel, in: &texts) }
        return dimensions
    }
}

/// What the name of an event means.
struct Meaning: BitwiseCopyable {
    var edge: Edge
    /// The scope that was named with it, or that of the edge.
    var scope: Scope
}

/// What most events do without.
private struct SeldomFields: BitwiseCopyable {
    private let sent: Int64
    private let monotonic: Int64
    private let handler: Int64
    private let boot: UInt64
    private let eventID: UInt64
    private let instance: UInt64
    private let className: UInt64
    private let reason: UInt32
    private let resource: UInt32
    private let exitReason: UInt32
    private let prewarm: Bool

    init(of object: inout EventObject, _ texts: inout TextTable) {
        sent = object.time(.sent)
        monotonic = object.microseconds(.monotonic)
        handler = object.microseconds(.handler)
        boot = object.hash(.bootID)
        eventID = object.hash(.eventID)
        instance = object.hash(.instance)
        className = object.hash(.className)
        reason = object.id(.reason, in: &texts)
        resource = object.id(.resource, in: &texts)
        exitReason = object.id(.exitReason, in: &texts)
        prewarm = object.flag(.prewarm)
    }

    @inline(never)
    func set(in event: inout Event) {
        event.sent = sent
        event.monotonic = monotonic
        event.handler = handler
        event.boot = boot
        event.eventID = eventID
        event.instance = instance
        event.className = className
        event.reason = reason
        event.resource = resource
        event.exitReason = exitReason
        if prewarm { event.flags.insert(.prewarm) }
    }
}
