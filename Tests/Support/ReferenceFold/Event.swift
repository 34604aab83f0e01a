/// One event of one installation, as the input tells it and as its arrival judged it.
///
/// A class, for an event is also the mark that later edges measure from: intervals, latencies and limits keep the
/// event that began them.
final class Event {
    let device: String
    let app: String
    let name: String
    let scope: Scope
    let edge: Edge
    /// Device wall clock, ms.
    var ts = 0
    /// Receive time where the input tells one, ms.
    var received: Int?
    var sent: Int?
    /// Device monotonic clock, µs.
    var mono: Int?
    var seq: Int?
    var process: String?
    var session: String?
    var boot: String?
    var id: String?
    var instance: String?
    var className: String?
    var reason: String?
    var resource: String?
    var exitReason: String?
    /// ms
    var handler: Double?
    var prewarm = false
    var bridged = false
    /// An exit written by the system, which ends the process that it names and no other.
    var namesItsProcess = false
    /// Values of the grouping dimensions, in their order.
    var group: [String] = []

    // What the arrival adds.
    /// Place among the events of the installation, in the order of arrival.
    var arrival = 0
    /// Receive time, told or assumed, ms.
    var receive = 0
    /// Stream time at the arrival.
    var stream = 0
    /// Correction of the device clock known at the arrival.
    var offset = 0
    /// Setting of the device clock that it seemed to belong to at the arrival.
    var setting = 0
    /// Ahead of its receipt: folded at receive time.
    var future = false
    /// Place among the folded events of the installation.
    var order = 0
    var putBack = false
    /// Of the record that is being read.
    var fresh = true
    /// The count that its number belongs to.
    var sequence: SequenceCount?
    /// Missing numbers given up just before it.
    var gap = 0
    /// The event whose time it is ordered by, where that is not its own.
    var placedBy: Event?
    var place: Event { placedBy ?? self }

    init(device: String, app: String, name: String, scope: Scope, edge: Edge) {
        self.device = device
        self.app = app
        self.name = name
        self.scope = scope
        self.edge = edge
    }

    /// By how much the source tells of the edge too late: `android.app.state=background` waits for the grace.
    var lateBy = 0

    /// Time of the edge, corrected: where its window lies.
    var time: Int { future ? receive : ts + offset - lateBy }

    var isExit: Bool { edge == .exit }

    /// Same by content, for sources that send no ids.
    func says(sameAs other: Event) -> Bool {
        edge == other.edge && scope == other.scope && ts == other.ts && instance == other.instance
            && className == other.className && resource == other.resource && process == other.process
            && session == other.session && (edge != .unknown || name == other.name)
    }
}
