/// The limits of the fold; every time is in ms, every one a configuration key of the same name.
package struct FoldingLimits: Sendable, Equatable {
    package var launchBackgroundGap: Int64 = 10_000
    package var echoTolerance: Int64 = 1_000
    package var androidBackgroundGrace: Int64 = 700
    package var durationMax: Int64 = 7 * 86_400_000
    package var resumeDiscard: Int64 = 60_000
    package var silenceTimeout: Int64 = 30 * 60_000

    package var stuckInactiveAfter: Int64 = 60_000
    package var slowResumeAfter: Int64 = 1_500
    package var slowLaunchColdAfter: Int64 = 5_000
    package var slowLaunchWarmAfter: Int64 = 2_000
    package var slowResignAfter: Int64 = 5_000
    package var flappingCount = 6
    package var flappingWithin: Int64 = 10_000
    package var resourceGrace: Int64 = 2_000
    package var overlayGrace: Int64 = 1_000
    /// Resources that may run on in the background.
    package var resourceBackground = ["network", "observer", "audio"]

    package var clockRegressionAfter: Int64 = 1_000
    package var futureTolerance: Int64 = 5 * 60_000

    package var reorderTimeout: Int64 = 10_000
    /// Events held back for an installation.
    package var reorderBuffer = 32
    package var reorderDelay: Int64 = 0
    package var dedupeWindow: Int64 = 7 * 86_400_000
    package var stateTTL: Int64 = 30 * 86_400_000
    /// Scenes, activities, views and resources remembered for an installation, each.
    package var instancesLimit = 64

    package init() {}
}
