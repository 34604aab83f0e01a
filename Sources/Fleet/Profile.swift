/// What devices of one kind have in common: the dimensions, and the text of a line around what changes.
struct Profile: Sendable {
    /// Bytes of a device's id.
    static let keyLength = 16

    let source: FleetOptions.Source
    let app: String
    let platform: String
    let appVersion: String
    let osVersion: String
    let deviceModel: String
    /// The line up to the device's id, and from there to the event's name.
    let head: ContiguousArray<UInt8>
    let middle: ContiguousArray<UInt8>

    init(source: FleetOptions.Source, app: String, appVersion: String, hardware: Hardware) {
        self.source = source
        self.app = app
        self.appVersion = appVersion
        platform = hardware.platform
        osVersion = hardware.osVersion
        deviceModel = hardware.deviceModel
        let dimensions =
            #""app_id":"\#(app)","platform":"\#(platform)","app_version":"\#(appVersion)","#
            + #""os_version":"\#(osVersion)","device_model":"\#(deviceModel)","#
        switch source {
        case .appDelegate, .scenes:
            head = ContiguousArray(#"{"device_id":""#.utf8)
            middle = ContiguousArray((#"","# + dimensions + #""event":""#).utf8)
        case .processLifecycle, .activities:
            head = ContiguousArray(("{" + dimensions + #""device_id":""#).utf8)
            middle = ContiguousArray(#"","event":""#.utf8)
        }
    }

    struct Hardware: Sendable {
        let platform: String
        let osVersion: String
        let deviceModel: String
        /// How often it is met, against the others of its platform.
        let weight: Int
    }

    private static let apps: [(name: String, weight: Int)] = [
        ("com.example.shop", 5), ("com.example.news", 3), ("com.example.bank", 2),
    ]

    private static let versions: [(name: String, weight: Int)] = [("5.12.0", 6), ("5.11.2", 3), ("4.30.7", 1)]

    private static let phones: [Hardware] = [
        Hardware(platform: "ios", osVersion: "18.5", deviceModel: "iPhone17,3", weight: 4),
        Hardware(platform: "ios", osVersion: "18.4.1", deviceModel: "iPhone15,2", weight: 3),
        Hardware(platform: "ios", osVersion: "17.7.2", deviceModel: "iPhone13,4", weight: 2),
        Hardware(platform: "ios", osVersion: "16.7.10", deviceModel: "iPad11,3", weight: 1),
        Hardware(platform: "android", osVersion: "15", deviceModel: "SM-S921B", weight: 4),
        Hardware(platform: "android", osVersion: "14", deviceModel: "Pixel 8", weight: 3),
        Hardware(platform: "android", osVersion: "13", deviceModel: "2201117TG", weight: 2),
        Hardware(platform: "android", osVersion: "10", deviceModel: "SM-A105F", weight: 1),
    ]

    /// All profiles of the shares, and for each how often it is met.
    static func all(of mix: [FleetOptions.Share]) -> (profiles: [Profile], weights: [Int]) {
        var profiles: [Profile] = []
        var weights: [Int] = []
        for share in mix where share.weight > 0 {
            for app in apps {
                for version in versions {
                    for phone in phones where phone.platform == share.source.platform {
                        profiles.append(
                            Profile(
                                source: share.source, app: app.name, appVersion: version.name, hardware: phone))
                        weights.append(share.weight * app.weight * version.weight * phone.weight)
                    }
                }
            }
        }
        return (profiles, weights)
    }
}

extension FleetOptions.Source {
    /// Its app passes an inactive phase on the way in and out, and is interrupted.
    var isInterrupted: Bool { self != .processLifecycle }

    var platform: String {
        switch self {
        case .appDelegate, .scenes: "ios"
        case .processLifecycle, .activities: "android"
        }
    }
}
