/// What a source says about an app and a device, by which figures may be grouped.
@usableFromInline package enum Dimension: String, CaseIterable, Sendable {
    case app = "app_id"
    case platform
    case appVersion = "app_version"
    case osVersion = "os_version"
    case deviceModel = "device_model"

    /// The field's name in events and records.
    package var name: String { rawValue }
}

extension Dimensions {
    /// The text id of one dimension.
    @inlinable
    package subscript(dimension: Dimension) -> UInt32 {
        switch dimension {
        case .app: app
        case .platform: platform
        case .appVersion: appVersion
        case .osVersion: osVersion
        case .deviceModel: deviceModel
        }
    }
}
