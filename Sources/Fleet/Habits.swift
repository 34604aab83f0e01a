/// How people and phones behave: the times of the simulation, in milliseconds, and how often things happen, out of a
/// thousand.
enum Habits {
    // Latencies.
    static let coldLaunch = Spread(900, 0.75)
    static let warmLaunch = Spread(450, 0.75)
    static let resume = Spread(280, 0.8)
    /// How often a launch or a resume is slow, and by which factor.
    static let slow: Int64 = 15
    static let slowness: Int64 = 5
    /// A launch is over before the limit at which it would be one into the background.
    static let longestLaunch: Int64 = 9_500
    /// A resume that nobody waited for.
    static let forgottenResume: Int64 = 1
    static let foregroundEdge: ClosedRange<Int64> = 20...400

    // In front.
    static let stay = Spread(45_000, 1.7)
    static let piece = Spread(20_000, 1.3)
    static let shortestPiece: Int64 = 2_000
    static let interrupted: Int64 = 220
    static let interruption = Spread(2_400, 1.2)
    static let call = Spread(50_000, 1.3)
    static let longestInterruption: Int64 = 20 * 60_000
    static let burst: Int64 = 4
    static let burstPiece: ClosedRange<Int64> = 250...650
    static let burstInterruption: ClosedRange<Int64> = 80...500
    /// Calm before and after a burst: more than the span in which resignations are counted together.
    static let calm: Int64 = 11_000

    static let sideScene: Int64 = 120
    static let activityEpisode: Int64 = 350
    static let rotation: Int64 = 250
    static let viewEpisode: Int64 = 250
    static let camera: Int64 = 200
    static let cover: Int64 = 40
    static let faultyVisit: Int64 = 60
    static let cancelledVisit: Int64 = 120

    // On the way out.
    static let departure = Spread(420, 0.8)
    static let removed: Int64 = 25
    static let measuredHandler: Int64 = 60
    static let handler = Spread(90, 1.8)
    static let slowHandler: Int64 = 8
    /// The Android process lifecycle tells of the background so much later.
    static let processLateness: Int64 = 700

    // In the background, and away.
    static let shortAway = Spread(20_000, 1.4)
    static let away = Spread(6 * 60_000, 1.6)
    static let longAway = Spread(3 * 3_600_000, 1.2)
    static let quickReopen: ClosedRange<Int64> = 150...900
    static let aborted = Spread(700, 0.8)
    /// Longer than the gap up to which a launch and its opening belong together.
    static let unattended: Int64 = 11_000

    // Faults, out of a thousand events, stays or uploads.
    static let lostHeartbeat: Int64 = 30
    static let lostEdge: Int64 = 12
    static let duplicate: Int64 = 12
    static let overtaken: Int64 = 30
    static let overtakenBy: ClosedRange<Int64> = 500...8_000
    static let duplicateAfter: ClosedRange<Int64> = 500...20_000
    static let death: Int64 = 30
    static let deathInterrupted: Int64 = 15
    static let deathReport: Int64 = 400
    static let silent: Int64 = 15
    static let silentFor: ClosedRange<Int64> = 33 * 60_000...90 * 60_000
    static let vanished: Int64 = 150
    static let offlineProne: Int64 = 250
    static let offline: Int64 = 25
    static let offlineFor: ClosedRange<Int64> = 10 * 60_000...5 * 3_600_000
    static let offlineTooLong: ClosedRange<Int64> = 7 * 3_600_000...20 * 3_600_000
    static let smallSkew: Int64 = 120_000
    static let largeSkew: Int64 = 3 * 86_400_000

    static let interruptionReasons: [(reason: Reason, weight: Int64)] = [
        (.notificationCenter, 28), (.controlCenter, 24), (.none, 16), (.dialog, 10), (.permission, 8),
        (.message, 6), (.systemAlert, 4), (.call, 4),
    ]
}
