import Lifecycle

extension OTLPMapper {
    /// The attribute that names the installation.
    var identity: OTLPKey? {
        OTLPKey.first(of: (record.present | resource.present) & OTLPKey.identities)
    }

    private var device: UnsafeRawBufferPointer {
        guard let identity else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        return unsafe value(identity)
    }

    /// Whose the record is; leaves the app's id in ``scratch``.
    mutating func whose(_ fault: inout RejectionCode?) -> InstallationKey {
        let bytes = unsafe RawSpan(_unsafeBytes: device)
        if bytes.byteCount == 0 { fault = fault ?? .missing(field: EventField.deviceID.name) }
        Self.check(bytes, .deviceID, &fault)
        putAppTogether()
        if scratch.isEmpty { fault = fault ?? .missing(field: EventField.appID.name) }
        let app = unsafe RawSpan(_unsafeBytes: scratch.text)
        Self.check(app, .appID, &fault)
        return InstallationKey(device: bytes, app: StableHash.hash(app))
    }

    /// `namespace/name`, or the name alone; without a name the default.
    private mutating func putAppTogether() {
        scratch.removeAll()
        let name = unsafe RawSpan(_unsafeBytes: value(.serviceName))
        if name.byteCount == 0 {
            unsafe scratch.append(RawSpan(_unsafeBytes: defaultApp.text))
            return
        }
        // Has room for more than may be: what is cut off is too long in any case.
        let namespace = unsafe RawSpan(_unsafeBytes: value(.serviceNamespace))
        if namespace.byteCount > 0 {
            scratch.append(namespace)
            scratch.append(UInt8(ascii: "/"))
        }
        scratch.append(name)
    }

    /// The group of the record; ``scratch`` must hold the app's id, and does no longer.
    mutating func group(in lexicon: inout Lexicon, _ fault: inout RejectionCode?) -> UInt32 {
        let isOfResource = record.present & OTLPKey.dimensions == 0
        if isOfResource, let resourceGroup { return resourceGroup }
        var dimensions = Dimensions()
        if grouping.app, fault == nil {
            dimensions.app = unsafe lexicon.texts.intern(RawSpan(_unsafeBytes: scratch.text))
        }
        putPlatform()
        let platform = unsafe RawSpan(_unsafeBytes: scratch.text)
        Self.check(platform, .platform, &fault)
        let appVersion = unsafe RawSpan(_unsafeBytes: value(.serviceVersion))
        let osVersion = unsafe RawSpan(_unsafeBytes: value(.osVersion))
        let model = unsafe RawSpan(_unsafeBytes: value(.modelIdentifier, or: .modelName))
        Self.check(appVersion, .appVersion, &fault)
        Self.check(osVersion, .osVersion, &fault)
        Self.check(model, .deviceModel, &fault)
        guard fault == nil else { return GroupTable.overflow }
        if grouping.platform { dimensions.platform = lexicon.texts.intern(platform) }
        if grouping.appVersion { dimensions.appVersion = lexicon.texts.intern(appVersion) }
        if grouping.osVersion { dimensions.osVersion = lexicon.texts.intern(osVersion) }
        if grouping.deviceModel { dimensions.deviceModel = lexicon.texts.intern(model) }
        let group = lexicon.groups.intern(dimensions)
        if isOfResource { resourceGroup = group }
        return group
    }

    /// `os.name` in lower case; where there is none, of Darwin's systems the one with apps.
    private mutating func putPlatform() {
        scratch.removeAll()
        let name = unsafe value(.osName)
        for unsafe byte in unsafe name.prefix(EventField.platform.limit + 1) {
            scratch.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        if unsafe name.isEmpty, unsafe RawSpan(_unsafeBytes: value(.osType)).isText("darwin") {
            scratch.append("ios")
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
