internal import Fleet

/// What the simulated devices of a benchmark tell.
enum BenchFleet: CaseIterable {
    /// Phase edges and heartbeats of the app, on both platforms, about as many bytes each as the floors were set for.
    case edges
    /// Scenes, activities, views, resources and overlays, too.
    case everything

    var title: String { self == .edges ? "edges of the app" : "events of every kind" }

    /// Floors were set for edges of the app.
    var hasFloors: Bool { self == .edges }

    func options(devices: Int, days: Int64) -> FleetOptions {
        var options = FleetOptions()
        options.devices = devices
        options.duration = days * 86_400_000
        if self == .edges {
            options.mix = [FleetOptions.Share(.appDelegate, 1), FleetOptions.Share(.processLifecycle, 1)]
            options.hasEpisodes = false
        }
        return options
    }

    /// Options of `phasefold simulate` that say the same.
    var arguments: [String] { self == .edges ? ["--sources", "app,process", "--episodes", "none"] : [] }
}
