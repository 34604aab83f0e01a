package import Aggregating
package import Decoding
package import Folding
import Lifecycle
package import Settings

/// What one partition's way from records to figures is set to.
package struct EngineSettings: Sendable {
    package var decoding = DecodingOptions()
    package var folding = FoldingLimits()
    package var aggregating = AggregateSettings()

    package init() {}

    /// - Parameter replays: the input is files, whose events tell when they were received themselves.
    package init(_ settings: Settings, replays: Bool = false) {
        decoding = DecodingOptions(settings, replays: replays)
        folding = FoldingLimits(settings)
        aggregating = AggregateSettings(settings)
    }
}

extension DecodingOptions {
    init(_ settings: Settings, replays: Bool) {
        self.init()
        format = RecordFormat(rawValue: settings.inputFormat.rawValue) ?? .auto
        defaultAppID = settings.inputDefaultAppID
        defaultDeviceID = settings.inputDefaultDeviceID
        maxRecordBytes = settings.inputMaxRecordBytes
        groupBy = settings.groupBy.compactMap { Dimension($0) }
        honoursReceiveTime = replays
        logcatYear = settings.logcatYear
    }
}

extension Dimension {
    init(_ dimension: GroupingDimension) {
        self =
            switch dimension {
            case .appID: .app
            case .platform: .platform
            case .appVersion: .appVersion
            case .osVersion: .osVersion
            case .deviceModel: .deviceModel
            }
    }
}

extension FoldingLimits {
    init(_ settings: Settings) {
        self.init()
        launchBackgroundGap = settings.launchBackgroundGap
        echoTolerance = settings.echoTolerance
        androidBackgroundGrace = settings.androidBackgroundGrace
        durationMax = settings.durationMax
        resumeDiscard = settings.resumeDiscard
        silenceTimeout = settings.silenceTimeout
        stuckInactiveAfter = settings.stuckInactiveAfter
        slowResumeAfter = settings.slowResumeAfter
        slowLaunchColdAfter = settings.slowLaunchColdAfter
        slowLaunchWarmAfter = settings.slowLaunchWarmAfter
        slowResignAfter = settings.slowResignAfter
        flappingCount = settings.inactiveFlappingCount
        flappingWithin = settings.inactiveFlappingWithin
        resourceGrace = settings.resourceGrace
        overlayGrace = settings.overlayGrace
        resourceBackground = settings.resourceBackground
        clockRegressionAfter = settings.clockRegressionAfter
        futureTolerance = settings.futureTolerance
        reorderTimeout = settings.reorderTimeout
        reorderBuffer = settings.reorderBuffer
        reorderDelay = settings.reorderDelay
        dedupeWindow = settings.dedupeWindow
        stateTTL = settings.stateTTL
        instancesLimit = settings.instancesLimit
    }
}

extension AggregateSettings {
    /// What stage 2 sums by, which has no partition engine of its own.
    package init(_ settings: Settings) {
        self.init(
            windows: WindowSettings(sizes: settings.windowSizes, grace: settings.windowGrace),
            groupBy: settings.groupBy.map { Dimension($0) },
            groupLimit: settings.groupLimit, maxBuckets: settings.histogramMaxBuckets,
            emission: settings.emit == .updates ? .updates : .final)
    }
}
