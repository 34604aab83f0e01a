internal import Decoding
internal import Fleet
internal import Lifecycle

/// Simulated events as a partition gives them.
struct Feed: ~Copyable {
    private var fleet: Fleet
    private(set) var lines = LineBatch()

    init(devices: Int) {
        var options = FleetOptions()
        options.devices = devices
        options.duration = 100 * 86_400_000
        fleet = Fleet(options)
    }

    /// Makes the next batch of events.
    mutating func next() {
        lines.removeAll()
        _ = fleet.fill(&lines)
    }
}

extension DecodingOptions {
    /// As `replay` reads: receive times stand in the events.
    static var simulated: DecodingOptions {
        var options = DecodingOptions()
        options.honoursReceiveTime = true
        return options
    }
}
