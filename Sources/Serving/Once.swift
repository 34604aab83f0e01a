internal import Synchronization

/// Runs something the first time alone.
final class Once: Sendable {
    private let isDone = Atomic(false)

    init() {}

    func run(_ body: () -> Void) {
        if !isDone.exchange(true, ordering: .acquiringAndReleasing) { body() }
    }
}
