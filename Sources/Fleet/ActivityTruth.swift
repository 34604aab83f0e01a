internal import Lifecycle

// Activities: what a pause or a stop has meant is known when its grace is over, and then counts when it was.
extension Device {
    func undecided(_ received: Int64) -> Undecided {
        Undecided(isPending: true, time: due, received: received, reason: reason, burst: burst)
    }

    /// Whether the event to come shows what the pause and the stop before it were: neither a part of the same way out
    /// nor of an episode does.
    var decidesGraces: Bool {
        switch step {
        case .enterBackground, .finish: false
        case .episode: episode == .sideScene || stage == 0
        default: true
        }
    }

    /// - Parameters:
    ///   - time: when an event happened that shows how long a grace has lasted, true time.
    ///   - stream: what is due by this stream time is decided.
    mutating func decideGraces(to time: Int64, by stream: Int64, _ truth: inout Truth, shift: Int64) {
        let wait = Limit.grace + Limit.reorder
        if paused.isPending, stream - wait > paused.received || time - paused.time > Limit.grace {
            paused.isPending = false
            let then = moment(paused.time, shift: shift, stream: paused.received)
            leaveActive(at: paused.time, burst: paused.burst, &truth, then)
            enter(.inactive, paused)
        }
        if stopped.isPending, stream - wait > stopped.received || time - stopped.time > Limit.grace {
            stopped.isPending = false
            let then = moment(stopped.time, shift: shift, stream: stopped.received)
            if phase == .inactive {
                truth.count(.backgrounds, then)
                truth.inactive(
                    .departure, stopped.time - phaseStart, reason: phaseReason == .none ? stopped.reason : phaseReason,
                    then)
            }
            enter(.background, stopped)
        }
    }

    mutating func enter(_ next: Phase, _ edge: Undecided) {
        phase = next
        phaseStart = edge.time
        phaseReceived = edge.received
        phaseReason = edge.reason
        traits.remove(.stuck)
    }

    /// A stage of an episode: what began as a way out turns out to be none.
    mutating func passStage(_ truth: inout Truth, _ now: Truth.Moment) {
        switch (episode, stage) {
        case (.open, 0), (.back, 0), (.rotation, 0): paused = undecided(now.stream)
        case (.rotation, 1): stopped = undecided(now.stream)
        case (.open, 3), (.back, 3):
            paused.isPending = false
            truth.count(.handovers, now)
        case (.rotation, 3):
            stopped.isPending = false
            truth.count(.recreates, now)
        case (.rotation, 5): paused.isPending = false
        default: break
        }
    }
}
