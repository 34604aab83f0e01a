import CSimdJSON
import Lifecycle

extension RecordDecoder {
    /// Appends the event of an object, unless something is wrong with it.
    mutating func append(
        _ fields: EventObject, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, to batch: inout EventBatch
    ) -> Fault? {
        var object = fields
        let receives = options.honoursReceiveTime
        if !object.isPlain(receives: receives) { examine(&object, key: key, of: origin) }
        let scope = object.scope()
        let bridged = object.flag(.bridged)
        let hasSeldom = object.hasAny(of: EventObject.seldom)
        if hasSeldom { seldom = SeldomFields(of: &object, &lexicon.texts) }
        if object.isFaulty { return object.fault }

        let told = receives && object.has(.received) ? object.known(number: .received) : 0
        let received = told != 0 ? told : origin.timestamp
        let time = object.has(.time) ? object.known(number: .time) : received
        let meaning = meaning(of: object, scope: scope, bridged: bridged)
        let unknownName = meaning.edge == .unknown ? object.known(hash: .event) : 0
        let group = group(of: object, in: &lexicon)
        let installation = Self.installation(of: object, key: key, app: group.app)
        let sequence = object.known(counter: .sequence)
        let process = object.known(hash: .processID)
        let session = object.known(hash: .sessionID)
        batch.events.append(addingCapacity: 1) { events in
            unsafe events.withUnsafeMutableBufferPointer { buffer, count in
                // Made where it stays: it is too large to be copied in passing.
                let event = unsafe buffer.baseAddress.unsafelyUnwrapped
                unsafe event.initialize(
                    to: Event(installation, meaning.edge, meaning.scope, time: time, received: received))
                unsafe event.pointee.unknownName = unknownName
                if bridged { unsafe event.pointee.flags = .bridged }
                unsafe event.pointee.sequence = sequence
                unsafe event.pointee.process = process
                unsafe event.pointee.session = session
                unsafe event.pointee.group = group.id
                unsafe event.pointee.record = UInt32(truncatingIfNeeded: origin.record)
                count = 1
            }
        }
        if hasSeldom { seldom.set(in: &batch.events[batch.events.count - 1]) }
        return nil
    }

    /// Notes what is wrong with the main fields, and what of them is missing.
    @inline(never)
    private func examine(_ object: inout EventObject, key: RawSpan?, of origin: Origin) {
        let receives = options.honoursReceiveTime
        object.examine(receives: receives)
        let isReceived = origin.timestamp != Event.absent || receives && object.has(.received)
        if !object.has(.time), !isReceived { object.note(.missing, .time) }
        if !object.has(.event) { object.note(.missing, .event) }
        if !object.has(.appID), defaultApp.isEmpty { object.note(.missing, .appID) }
        guard !object.has(.deviceID) else { return }
        guard let key, key.byteCount > 0 else {
            object.note(.missing, .deviceID)
            return
        }
        if key.byteCount > EventField.deviceID.limit {
            object.note(.tooLong, .deviceID)
        } else if !key.isUTF8 {
            object.note(.bad, .deviceID)
        }
    }

    /// What the name of an event means; `scope` is the one that was named.
    @inline(__always)
    private mutating func meaning(of object: EventObject, scope: Scope?, bridged: Bool) -> Meaning {
        let aspect = UInt64(scope.map { $0.rawValue + 1 } ?? 0) << 1 | (bridged ? 1 : 0)
        let digest = object.digest(.event) &+ aspect
        if let meaning = meanings[digest] { return meaning }
        return learnMeaning(digest, object.known(text: .event), scope: scope, bridged: bridged)
    }

    @inline(never)
    private mutating func learnMeaning(_ digest: UInt64, _ name: FieldText, scope: Scope?, bridged: Bool) -> Meaning {
        let spelling = unsafe RawSpan(_unsafeStart: name.start, byteCount: name.count)
        let edge = vocabulary.edge(spelling, scope: scope, bridged: bridged)
        let meaning = Meaning(edge: edge, scope: scope ?? edge.scope ?? .app)
        meanings[digest] = meaning
        return meaning
    }

    /// The device that is named, or else the record's key.
    ///
    /// No method of the decoder, which would be copied for it; so all that is called for each event.
    @inline(__always)
    private static func installation(of object: EventObject, key: RawSpan?, app: UInt64) -> InstallationKey {
        guard object.has(.deviceID) else { return installation(key: key, app: app) }
        let device = object.known(text: .deviceID)
        let bytes = unsafe RawSpan(_unsafeStart: device.start, byteCount: device.count)
        return InstallationKey(device: bytes, app: app)
    }

    @inline(never)
    private static func installation(key: RawSpan?, app: UInt64) -> InstallationKey {
        guard let key else { preconditionFailure("an event without a device is rejected") }
        return InstallationKey(device: key, app: app)
    }

    /// The group of the dimensions that are grouped by.
    @inline(__always)
    private mutating func group(of object: EventObject, in lexicon: inout Lexicon) -> AppGroup {
        var digest = object.known(digest: .appID)
        if grouping.platform { digest = Self.extend(digest, object.known(digest: .platform)) }
        if grouping.appVersion { digest = Self.extend(digest, object.known(digest: .appVersion)) }
        if grouping.osVersion { digest = Self.extend(digest, object.known(digest: .osVersion)) }
        if grouping.deviceModel { digest = Self.extend(digest, object.known(digest: .deviceModel)) }
        if let group = groups[digest] { return group }
        return learnGroup(digest, object, in: &lexicon)
    }

    /// Digests are spread evenly; a product with an odd number keeps their order apart.
    @inline(__always)
    private static func extend(_ before: UInt64, _ digest: UInt64) -> UInt64 {
        before &* 0x9E37_79B9_7F4A_7C15 ^ digest
    }

    @inline(never)
    private mutating func learnGroup(_ digest: UInt64, _ object: EventObject, in lexicon: inout Lexicon) -> AppGroup {
        var object = object
        let id = lexicon.groups.intern(dimensions(of: &object, in: &lexicon.texts))
        let group = AppGroup(app: object.has(.appID) ? object.known(hash: .appID) : defaultAppHash, id: id)
        groups[digest] = group
        return group
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

/// A group, and what an app of which it is a part of is known by.
struct AppGroup: BitwiseCopyable {
    /// ``StableHash/hash(_:)-(RawSpan)`` of the app's id.
    var app: UInt64
    /// In ``Lexicon/groups``.
    var id: UInt32
}

/// What most events do without.
struct SeldomFields: BitwiseCopyable {
    private var sent: Int64 = 0
    private var monotonic: Int64 = 0
    private var handler: Int64 = 0
    private var boot: UInt64 = 0
    private var eventID: UInt64 = 0
    private var instance: UInt64 = 0
    private var className: UInt64 = 0
    private var reason: UInt32 = 0
    private var resource: UInt32 = 0
    private var exitReason: UInt32 = 0
    private var prewarm = false

    init() {}

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
