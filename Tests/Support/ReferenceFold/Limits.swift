/// The thresholds that the fold compares with, ms unless they count.
struct Limits {
    let launchGap, echoTolerance, backgroundGrace, durationMax, resumeDiscard, silence: Int
    let reorderTimeout, reorderDelay, reorderBuffer, dedupeWindow, clockRegression, futureTolerance: Int
    let stuckInactive, slowResume, slowLaunchCold, slowLaunchWarm, slowResign: Int
    let flappingCount, flappingWithin, resourceGrace, overlayGrace, stateTimeToLive: Int
    let backgroundResources: Set<String>

    init(_ options: Options) {
        launchGap = options.time("launch.background_gap")
        echoTolerance = options.time("echo.tolerance")
        backgroundGrace = options.time("android.background_grace")
        durationMax = options.time("duration.max")
        resumeDiscard = options.time("resume.discard")
        silence = options.time("silence.timeout")
        reorderTimeout = options.reorderTimeout
        reorderDelay = options.reorderDelay
        reorderBuffer = options.number("reorder.buffer")
        dedupeWindow = options.time("dedupe.window")
        clockRegression = options.time("clock_regression.after")
        futureTolerance = options.time("future.tolerance")
        stuckInactive = options.time("stuck_inactive.after")
        slowResume = options.time("slow_resume.after")
        slowLaunchCold = options.time("slow_launch.cold.after")
        slowLaunchWarm = options.time("slow_launch.warm.after")
        slowResign = options.time("slow_resign.after")
        flappingCount = options.number("inactive_flapping.count")
        flappingWithin = options.time("inactive_flapping.within")
        resourceGrace = options.time("resource.grace")
        overlayGrace = options.time("overlay.grace")
        stateTimeToLive = options.time("state.ttl")
        backgroundResources = Set(options.list("resource.background"))
    }
}
