internal import Glibc
internal import Synchronization

/// The signal that came, 0 for none.
private let pendingSignal = Atomic<Int32>(0)

private func note(signal number: Int32) {
    pendingSignal.store(number, ordering: .relaxed)
}

/// SIGINT and SIGTERM, for commands that have something to tidy up before they go.
enum Interrupt {
    /// From now on the signals are noted, and waiting calls come back. Whoever started the program may have left them
    /// blocked.
    static func watch() {
        pendingSignal.store(0, ordering: .relaxed)
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = note(signal:)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaction(number, &action, nil)
            unsafe sigaddset(&signals, number)
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    static var isPending: Bool { pendingSignal.load(ordering: .relaxed) != 0 }

    /// Ends the process by the signal that came, as whoever started it expects.
    static func obey() {
        let number = pendingSignal.load(ordering: .relaxed)
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        raise(number)
    }
}
