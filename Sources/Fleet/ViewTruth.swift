internal import Lifecycle

// Views and resources: an episode of theirs is told by the device from its beginning to its end.
extension Device {
    mutating func passViewStage(_ truth: inout Truth, _ now: Truth.Moment) {
        switch (episode, stage) {
        case (_, 0):
            viewLoaded = phase == .active ? due : 0
            viewShown = 0
        case (.visit, 4), (.cancelledVisit, 4), (.faultyVisit, 5):
            if viewLoaded != 0 { truth.latency(.viewLoad, due - viewLoaded, now) }
            viewShown = due
        case (.visit, 6), (.cancelledVisit, 10), (.faultyVisit, 8):
            truth.interval(.viewVisible, due - viewShown, now)
        case (.cancelledVisit, 6): truth.count(.cancelledTransitions, now)
        case (.faultyVisit, 2): truth.anomaly(.viewReloaded, now)
        case (.faultyVisit, 6): truth.anomaly(.viewUnbalanced, now)
        default: break
        }
    }

    /// - Parameter shift: as of ``witness(_:number:shift:received:arrival:)``.
    mutating func passCameraStage(_ truth: inout Truth, _ now: Truth.Moment, shift: Int64) {
        switch stage {
        case 1:
            ranOn = phase == .active ? due : 0
            leaveActive(at: due, burst: 0, &truth, now)
            enter(.inactive, undecided(now.stream))
        case 2:
            guard ranOn != 0, due - ranOn > Limit.resource else { return }
            truth.anomaly(.resourceLeak, moment(ranOn + Limit.resource, shift: shift, stream: now.stream))
        case 3:
            closeInactive(.interruption, &truth, now)
            enter(.active, undecided(now.stream))
            traits.insert(.used)
        default: break
        }
    }

    /// - Parameter shift: as of ``witness(_:number:shift:received:arrival:)``.
    mutating func passCoverStage(_ truth: inout Truth, _ now: Truth.Moment, shift: Int64) {
        switch stage {
        case 0:
            leaveActive(at: due, burst: 0, &truth, now)
            enter(.inactive, undecided(now.stream))
        case 1: (knowsCover, isCovered) = (true, true)
        case 2:
            closeInactive(.interruption, &truth, now)
            enter(.active, undecided(now.stream))
            traits.insert(.used)
        case 3:
            isCovered = false
            guard due - phaseStart > Limit.overlay else { return }
            truth.anomaly(.overlayLeaked, moment(phaseStart + Limit.overlay, shift: shift, stream: now.stream))
        default: break
        }
    }
}
