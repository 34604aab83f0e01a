import CSimdJSON
import Lifecycle

extension RecordDecoder {
    /// Appends the event of an object, unless something is wrong with it.
    mutating func append(
        _ object: consuming EventObject, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon,
        to batch: inout EventBatch
    ) -> Fault? {
        var object = object
        let received = receiveTime(of: &object, origin)
        let happened = object.time(.time)
        let time = happened != Event.absent ? happened : received
        if time == Event.absent { object.note(.missing, .time) }
        let bridged = object.flag(.bridged)
        let named = object.scope()
        let name = object.hash(.event)
        if name == 0 { object.note(.missing, .event) }
        let edge = edge(named: name, of: &object, scope: named, bridged: bridged)
        let app = appHash(of: &object)

        var event = Event(installation(of: &object, key: key, app: app), edge, time: time, received: received)
        if edge == .unknown { event.unknownName = name }
        if let named { event.scope = named }
        if bridged { event.flags.insert(.bridged) }
        event.sequence = object.counter(.sequence)
        event.process = object.hash(.processID)
        event.session = object.hash(.sessionID)
        if object.hasAny(of: EventObject.seldom) { addSeldom(of: &object, to: &event, lexicon: &lexicon) }
        event.group = group(of: &object, app: app, in: &lexicon)
        event.record = UInt32(truncatingIfNeeded: origin.record)
        if let fault = object.fault { return fault }
        batch.events.append(event)
        return nil
    }

    private func addSeldom(of object: inout EventObject, to event: inout Event, lexicon: inout Lexicon) {
        event.sent = object.time(.sent)
        event.monotonic = object.microseconds(.monotonic)
        event.handler = object.microseconds(.handler)
        event.boot = object.hash(.bootID)
        event.eventID = object.hash(.eventID)
        event.instance = object.hash(.instance)
        event.className = object.hash(.className)
        event.reason = object.id(.reason, in: &lexicon.texts)
        event.resource = object.id(.resource, in: &lexicon.texts)
        event.exitReason = object.id(.exitReason, in: &lexicon.texts)
        if object.flag(.prewarm) { event.flags.insert(.prewarm) }
    }

    private mutating func edge(
        named hash: UInt64, of object: inout EventObject, scope: Scope?, bridged: Bool
    ) -> Edge {
        let aspect = UInt64(scope.map { $0.rawValue + 1 } ?? 0) << 1 | (bridged ? 1 : 0)
        if let edge = edges[hash &+ aspect] { return edge }
        let name = unsafe object.text(.event)
        let edge = unsafe vocabulary.edge(RawSpan(_unsafeBytes: name), scope: scope, bridged: bridged)
        edges[hash &+ aspect] = edge
        return edge
    }

    /// The record's timestamp, or `rx_ts` where it is honoured.
    private func receiveTime(of object: inout EventObject, _ origin: Origin) -> Int64 {
        guard options.honoursReceiveTime else { return origin.timestamp }
        let received = object.time(.received)
        return received != Event.absent ? received : origin.timestamp
    }

    /// The device that is named, or else the record's key.
    private func installation(of object: inout EventObject, key: RawSpan?, app: UInt64) -> InstallationKey {
        let device = unsafe object.text(.deviceID)
        if unsafe !device.isEmpty {
            return unsafe InstallationKey(device: RawSpan(_unsafeBytes: device), app: app)
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
        return InstallationKey(device: key, app: app)
    }

    private func appHash(of object: inout EventObject) -> UInt64 {
        let hash = object.hash(.appID)
        if hash != 0 { return hash }
        if defaultApp.isEmpty { object.note(.missing, .appID) }
        return defaultAppHash
    }

    /// The group of the dimensions that are grouped by; the others are read too, for what may be wrong with them.
    private mutating func group(of object: inout EventObject, app: UInt64, in lexicon: inout Lexicon) -> UInt32 {
        let platform = object.hash(.platform, if: grouping.platform)
        let appVersion = object.hash(.appVersion, if: grouping.appVersion)
        let osVersion = object.hash(.osVersion, if: grouping.osVersion)
        let deviceModel = object.hash(.deviceModel, if: grouping.deviceModel)
        let whole = StableHash.combine(
            StableHash.combine(grouping.app ? app : 0, platform),
            StableHash.combine(StableHash.combine(appVersion, osVersion), deviceModel))
        if let id = groups[whole] { return id }
        // An event that is rejected makes no group.
        if object.fault != nil { return GroupTable.overflow }
        let id = lexicon.groups.intern(dimensions(of: &object, in: &lexicon.texts))
        groups[whole] = id
        return id
    }

    private func dimensions(of object: inout EventObject, in texts: inout TextTable) -> Dimensions {
        var dimensions = Dimensions()
        if grouping.app {
            let app = unsafe object.text(.appID)
            dimensions.app = unsafe texts.intern(app.isEmpty ? defaultApp.span.bytes : RawSpan(_unsafeBytes: app))
        }
        if grouping.platform { dimensions.platform = object.id(.platform, in: &texts) }
        if grouping.appVersion { dimensions.appVersion = object.id(.appVersion, in: &texts) }
        if grouping.osVersion { dimensions.osVersion = object.id(.osVersion, in: &texts) }
        if grouping.deviceModel { dimensions.deviceModel = object.id(.deviceModel, in: &texts) }
        return dimensions
    }
}
