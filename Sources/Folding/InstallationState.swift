package import Lifecycle

/// What is known of one installation, for people. Times are ms since the epoch, as the device told them.
package struct InstallationState: Sendable, Equatable {
    package var phase: Phase
    /// When the phase began; nil where that is not known.
    package var since: Int64?
    /// The last event that was folded.
    package var last: Int64?
    /// When that was received.
    package var lastReceived: Int64?
}

extension InstallationState {
    init(of device: borrowing Device) {
        phase = device.phase
        since = device.knowsSince ? device.sinceTime : nil
        last = device.knowsLast ? device.lastTime : nil
        lastReceived = device.lastReceived == Moment.absent ? nil : device.lastReceived
    }
}

extension FoldCore {
    func state(of key: InstallationKey) -> InstallationState? {
        guard let place = table.find(key) else { return nil }
        return InstallationState(of: table[place])
    }
}
