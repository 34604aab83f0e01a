import Lifecycle

extension OTLPMapper {
    /// The attribute that names the installation.
    var identity: OTLPKey? {
        let present = record.present | resource.present
        for key in [OTLPKey.deviceID, .installationID, .instanceID, .sessionID] where present & key.bit != 0 {
            return key
        }
        return nil
    }

    /// Whose the record is; leaves the app's id in ``scratch``.
    mutating func whose(_ fault: inout RejectionCode?) -> InstallationKey {
        var device = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        if let identity { unsafe device = value(identity) }
        let bytes = unsafe RawSpan(_unsafeBytes: device)
        if bytes.byteCount == 0 { fault = fault ?? .missing(field: EventField.deviceID.name) }
        Self.check(bytes, .deviceID, &fault)
        putAppTogether()
        if scratch.isEmpty { fault = fault ?? .missing(field: EventField.appID.name) }
        let app = unsafe scratch.span.bytes
        Self.check(app, .appID, &fault)
        return InstallationKey(device: bytes, app: StableHash.hash(app))
    }

    /// `namespace/name`, or the name alone; without a name the default.
    private mutating func putAppTogether() {
        scratch.removeAll(keepingCapacity: true)
        let name = unsafe value(.serviceName)
        if unsafe name.isEmpty {
            scratch.append(contentsOf: defaultApp)
            return
        }
        // One byte more than may be is enough to tell that it is too long.
        let enough = EventField.appID.limit + 1
        let namespace = unsafe value(.serviceNamespace)
        if unsafe !namespace.isEmpty {
            unsafe scratch.append(contentsOf: namespace.prefix(enough))
            scratch.append(UInt8(ascii: "/"))
        }
        unsafe scratch.append(contentsOf: name.prefix(enough))
    }

    /// The group of the record; ``scratch`` must hold the app's id, and does no longer.
    mutating func group(in lexicon: inout Lexicon, _ fault: inout RejectionCode?) -> UInt32 {
        let isOfResource = record.present & OTLPKey.dimensions == 0
        if isOfResource, let resourceGroup { return resourceGroup }
        var dimensions = Dimensions()
        if grouping.app, fault == nil { dimensions.app = unsafe lexicon.texts.intern(scratch.span.bytes) }
        putPlatform()
        unsafe Self.check(scratch.span.bytes, .platform, &fault)
        let appVersion = unsafe RawSpan(_unsafeBytes: value(.serviceVersion))
        let osVersion = unsafe RawSpan(_unsafeBytes: value(.osVersion))
        let model = unsafe RawSpan(_unsafeBytes: value(.modelIdentifier, or: .modelName))
        Self.check(appVersion, .appVersion, &fault)
        Self.check(osVersion, .osVersion, &fault)
        Self.check(model, .deviceModel, &fault)
        guard fault == nil else { return GroupTable.overflow }
        if grouping.platform { dimensions.platform = unsafe lexicon.texts.intern(scratch.span.bytes) }
        if grouping.appVersion { dimensions.appVersion = lexicon.texts.intern(appVersion) }
        if grouping.osVersion { dimensions.osVersion = lexicon.texts.intern(osVersion) }
        if grouping.deviceModel { dimensions.deviceModel = lexicon.texts.intern(model) }
        let group = lexicon.groups.intern(dimensions)
        if isOfResource { resourceGroup = group }
        return group
    }

    /// `os.name` in lower case; where there is none, of Darwin's systems the one with apps.
    private mutating func putPlatform() {
        scratch.removeAll(keepingCapacity: true)
        let name = unsafe value(.osName)
        for unsafe byte in unsafe name.prefix(EventField.platform.limit + 1) {
            scratch.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        if unsafe name.isEmpty, unsafe RawSpan(_unsafeBytes: value(.osType)).isText("darwin") {
            scratch.append(contentsOf: "ios".utf8)
        }
    }

    /// Notes the first text that is too long or no UTF-8.
    private static func check(_ text: RawSpan, _ field: EventField, _ fault: inout RejectionCode?) {
        if fault != nil { return }
        if text.byteCount > field.limit {
            fault = .tooLong(field: field.name)
        } else if !text.isUTF8 {
            fault = .bad(field: field.name)
        }
    }
}
