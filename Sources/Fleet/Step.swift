/// What a device does next, as its story knows it: each is one event, and says why it happens.
enum Step: UInt8, BitwiseCopyable, Sendable {
    /// The user opens an app that is not running.
    case launch
    /// The foreground edge that belongs to that launch.
    case launchForeground
    case launchActivate
    /// The system starts the process into the background.
    case wake
    /// The system starts the process ahead of use.
    case prewarm
    /// The background edge of a process that was started into it.
    case wakeSettle
    /// Something that a process does in the background, under a name that no vocabulary has.
    case work
    /// The user opens a process that was started in the background.
    case wakeForeground
    case wakeActivate
    /// The same by a source that sends no foreground edge.
    case wakeReopen
    case foreground
    case resume
    /// Back to the background without having become active.
    case abort
    /// Active again straight out of the background.
    case reopen
    case interrupt
    case reactivate
    case depart
    case enterBackground
    case terminate
    case heartbeat
    /// How the process before this one ended, as this one was told.
    case exitReport
    /// Never heard of again; no event.
    case vanish
    /// A scene comes to be.
    case connect
    /// A scene is given up in the background.
    case disconnect
    /// The application's own notification of what a scene has just told.
    case echo
    /// An activity that was restarted is started.
    case followStart
    /// An activity is made in a process that lives.
    case wakeCreate
    /// The activity that was stopped is destroyed.
    case finish
    /// One event of an ``Episode``.
    case episode
}

/// How the process before this one ended.
enum FormerProcess: UInt8, BitwiseCopyable, Sendable {
    /// Never seen.
    case unseen
    /// Said so itself.
    case terminated
    /// Gone from the background without a word.
    case killed
    /// Gone from the foreground without a word.
    case died
}
