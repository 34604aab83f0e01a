/// One consumer group of the classic protocol, as its coordinator keeps it.
struct Group: Sendable {
    enum State: String, Sendable {
        case empty = "Empty"
        /// Members join; who does not in time is taken out.
        case preparing = "PreparingRebalance"
        /// The leader assigns.
        case completing = "CompletingRebalance"
        case stable = "Stable"
    }

    struct Member: Sendable {
        var id: String
        var instance: String?
        var subscription: [String]
        var assignor: String
        var sessionTimeout: Int64
        var rebalanceTimeout: Int64
        var assignment: [PartitionName] = []
        /// When the session ends, ms; nil where it has gone by while the coordinator itself made the member wait.
        var expiry: Int64?
        /// Has not been in a generation yet: it may be gone while it waits for its first.
        var isNew = true
        /// Whether the sync of this generation is still to come.
        var owesSync = false
        var join: Ticket?
        var sync: Ticket?
    }

    /// What outlives the coordinator: the group as it was when it was stable last.
    struct Kept: Sendable {
        var generation: Int
        var leader: String?
        var members: [Member]
    }

    let name: String
    var offsets = GroupOffsets()
    var state = State.empty
    var generation = 0
    var leader: String?
    /// In the order in which they came.
    var members: [Member] = []
    /// Ids that were given out and not used yet, with the time at which they are forgotten.
    var promised: [String: Int64] = [:]
    /// Until when members may join, ms.
    var joinDeadline: Int64?
    /// Of the wait of a group that was empty: nil in any other rebalance.
    var gathering: Gathering?
    /// Until when members may sync, ms.
    var syncDeadline: Int64?
    private(set) var answers: [Int: Result<GroupAnswer, BrokerError>] = [:]
    private(set) var held: Set<Int> = []
    private var kept = Kept(generation: 0, leader: nil, members: [])
    private var lastTicket = 0
    private var lastMember = 0

    /// An empty group waits a while for more members, and a while again whenever some came.
    struct Gathering: Sendable {
        var delay: Int64
        var remaining: Int64
        var sawMember = false
    }

    init(name: String) {
        self.name = name
    }

    // MARK: Members

    func member(_ id: String) -> Int? { members.firstIndex { $0.id == id } }

    func member(instance: String) -> Int? { members.firstIndex { $0.instance == instance } }

    /// How long the slowest member may take to join, ms.
    var rebalanceTimeout: Int64 { members.map(\.rebalanceTimeout).max() ?? 0 }

    mutating func freshMember(instance: String?) -> String {
        lastMember += 1
        return "\(instance ?? "member")-\(lastMember)"
    }

    /// - Returns: the member's place.
    func check(_ id: String, instance: String?) throws(BrokerError) -> Int {
        if let instance {
            guard let twin = member(instance: instance) else { throw .unknownMemberID }
            if members[twin].id != id { throw .fencedInstanceID }
        }
        guard let place = member(id) else { throw .unknownMemberID }
        return place
    }

    func check(_ member: MemberIdentity) throws(BrokerError) -> Int {
        let place = try check(member.id, instance: member.instance)
        if member.generation != generation { throw .illegalGeneration }
        return place
    }

    mutating func remove(_ place: Int, _ error: BrokerError = .unknownMemberID) {
        let member = members.remove(at: place)
        answer(member.join, .failure(error))
        answer(member.sync, .failure(error))
    }

    // MARK: Answers that are held back

    mutating func ticket() -> Ticket {
        lastTicket += 1
        held.insert(lastTicket)
        return Ticket(group: name, number: lastTicket)
    }

    mutating func answer(_ ticket: Ticket?, _ answer: Result<GroupAnswer, BrokerError>) {
        guard let ticket else { return }
        held.remove(ticket.number)
        answers[ticket.number] = answer
    }

    mutating func take(_ ticket: Ticket) throws(BrokerError) -> GroupAnswer? {
        if held.contains(ticket.number) { return nil }
        guard let answer = answers.removeValue(forKey: ticket.number) else { throw .notCoordinator }
        return try answer.get()
    }

    // MARK: The coordinator's log

    mutating func keep() {
        kept = Kept(generation: generation, leader: leader, members: members)
    }

    /// Another coordinator has read what was kept, when nobody waited for an answer; sessions begin at `time`.
    mutating func reload(at time: Int64) {
        (generation, leader, members) = (kept.generation, kept.leader, kept.members)
        state = members.isEmpty ? .empty : .stable
        for place in members.indices { members[place].expiry = time + members[place].sessionTimeout }
        (joinDeadline, gathering, syncDeadline) = (nil, nil, nil)
        (promised, answers, held) = ([:], [:], [])
    }

    // MARK: Time

    var nextDeadline: Int64? {
        var first = [joinDeadline, syncDeadline].compactMap { $0 }.min() ?? .max
        for member in members { first = min(first, member.expiry ?? .max) }
        for time in promised.values { first = min(first, time) }
        return first == .max ? nil : first
    }

    /// Does what is due at `now`.
    mutating func advance(to now: Int64) {
        promised = promised.filter { $0.value > now }
        for id in members.filter({ $0.expiry ?? .max <= now }).map(\.id) {
            guard let place = member(id) else { continue }
            let isWaiting = members[place].join != nil || members[place].sync != nil
            if isWaiting, !members[place].isNew {
                members[place].expiry = nil
            } else {
                remove(place)
                membersChanged(now)
            }
        }
        if let deadline = joinDeadline, deadline <= now { joinTimeIsOver(now) }
        if let deadline = syncDeadline, deadline <= now { syncTimeIsOver(now) }
        // An id that was promised may have been all that a rebalance waited for.
        if state == .preparing, gathering == nil, haveAllJoined { completeJoin(now) }
    }

    /// A member is gone.
    mutating func membersChanged(_ now: Int64) {
        switch state {
        case .empty: break
        case .stable, .completing: prepare(now, delay: 0)
        case .preparing: if gathering == nil, haveAllJoined { completeJoin(now) }
        }
    }
}
