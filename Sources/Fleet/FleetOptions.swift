/// What a fleet is made of. The same options give the same bytes on every machine.
package struct FleetOptions: Sendable {
    /// How many installations (1 to 2³¹ − 1). One takes about 200 bytes of memory.
    package var devices = 1000
    package var seed: UInt64 = 1
    /// When it begins, ms since the epoch (device time).
    package var start: Int64 = 1_767_225_600_000
    /// How long devices live on, ms of device time; what happened by then is still uploaded afterwards.
    package var duration: Int64 = 3_600_000
    /// The devices' first events are spread over so many ms, or over half of ``duration`` where that is less.
    package var spread: Int64 = 600_000
    /// The most events that are given; nil: all of ``duration``.
    package var events: Int?
    package var fields: Fields = .standard
    /// Time between two heartbeats of an app in the foreground, ms (1 s to 20 min).
    package var heartbeat: Int64 = 60_000
    package var faults: Faults = []
    package var mix: [Share] = Share.standard
    /// Apps tell what happens within them while they are in front: views, resources, overlays, activities, a second
    /// scene.
    package var hasEpisodes = true
    package var order = Order.received

    package init() {}

    /// The optional fields that the simulated SDKs send.
    package struct Fields: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let sequence = Fields(rawValue: 1)
        package static let process = Fields(rawValue: 2)
        /// `mono_ms` and `boot_id`.
        package static let monotonic = Fields(rawValue: 4)
        package static let sent = Fields(rawValue: 8)
        /// `rx_ts`, for `replay`; in a topic the record's timestamp says it.
        package static let received = Fields(rawValue: 16)
        package static let standard: Fields = [.sequence, .process, .received]
    }

    /// In which order events are given.
    package enum Order: Sendable {
        /// By the time at which they are received, as a topic has them.
        case received
        /// One device after the other, as exports are sorted: without receive times, and no event overtakes another.
        case device
    }

    /// A share of the devices that speak as one kind of source does.
    package struct Share: Sendable {
        package var source: Source
        package var weight: Int

        package init(_ source: Source, _ weight: Int) {
            self.source = source
            self.weight = weight
        }

        package static let standard = [
            Share(.appDelegate, 3), Share(.scenes, 3), Share(.processLifecycle, 2), Share(.activities, 2),
        ]
    }

    /// The kinds of source: which callbacks of which platform a simulated SDK reports.
    package enum Source: String, CaseIterable, Sendable {
        /// iOS, application-scope notifications of UIKit.
        case appDelegate = "app"
        /// Android, the states of the process lifecycle: created, foreground and, 700 ms late, background.
        case processLifecycle = "process"
        /// iOS, the scenes of UIKit: one, at times a second; half of the devices send the application's notifications
        /// too.
        case scenes
        /// Android, the callbacks of activities, which follow each other, rotate and are finished. Needs process ids to
        /// tell a process that was killed from one that lives.
        case activities
    }
}
