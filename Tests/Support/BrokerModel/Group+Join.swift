extension Group {
    /// A new member is taken out when its first generation has not begun by then, ms.
    private static let newMemberTimeout: Int64 = 300_000

    var haveAllJoined: Bool { promised.isEmpty && members.allSatisfy { $0.join != nil } }

    // MARK: Asking

    /// - Parameter delay: how long an empty group waits for more members, ms.
    mutating func join(_ request: JoinRequest, delay: Int64, now: Int64) throws(BrokerError) -> Joining {
        if members.contains(where: { $0.assignor != request.assignor }) { throw .inconsistentGroupProtocol }
        if request.memberID.isEmpty {
            guard let instance = request.instance else {
                let id = freshMember(instance: nil)
                promised[id] = now + request.sessionTimeout
                return .memberIDRequired(id)
            }
            if let twin = member(instance: instance) { return .held(replace(twin, request, now)) }
            return .held(add(request, id: freshMember(instance: instance), delay: delay, now))
        }
        if promised.removeValue(forKey: request.memberID) != nil {
            return .held(add(request, id: request.memberID, delay: delay, now))
        }
        return .held(rejoin(try check(request.memberID, instance: request.instance), request, now))
    }

    private mutating func add(_ request: JoinRequest, id: String, delay: Int64, _ now: Int64) -> Ticket {
        let ticket = ticket()
        members.append(
            Member(
                id: id, instance: request.instance, subscription: request.subscription, assignor: request.assignor,
                sessionTimeout: request.sessionTimeout, rebalanceTimeout: request.rebalanceTimeout,
                expiry: now + Self.newMemberTimeout, join: ticket))
        leader = leader ?? id
        gathering?.sawMember = true
        prepare(now, delay: delay)
        return ticket
    }

    private mutating func rejoin(_ place: Int, _ request: JoinRequest, _ now: Int64) -> Ticket {
        let ticket = ticket()
        let member = members[place]
        let isSame = member.subscription == request.subscription
        let isLeader = leader == member.id
        if isSame, state == .completing || (state == .stable && !isLeader) {
            // The answer that it had may have been lost.
            answer(ticket, .success(joined(member)))
            return ticket
        }
        update(place, request, ticket)
        prepare(now, delay: 0)
        return ticket
    }

    /// A twin of a static member takes its place, and whoever still calls itself by the old id is fenced.
    private mutating func replace(_ place: Int, _ request: JoinRequest, _ now: Int64) -> Ticket {
        let old = members[place].id
        let oldLeader = leader
        answer(members[place].join, .failure(.fencedInstanceID))
        answer(members[place].sync, .failure(.fencedInstanceID))
        members[place].join = nil
        members[place].sync = nil
        members[place].id = freshMember(instance: request.instance)
        members[place].expiry = now + members[place].sessionTimeout
        if leader == old { leader = members[place].id }
        let ticket = ticket()
        update(place, request, ticket)
        guard state == .stable else {
            prepare(now, delay: 0)
            return ticket
        }
        // Nothing changes for the group: the twin gets what the old one had. It is not told that it leads, or it
        // would assign anew.
        members[place].join = nil
        keep()
        answer(
            ticket,
            .success(
                .joined(
                    memberID: members[place].id, generation: generation, leader: oldLeader ?? "", members: [])))
        return ticket
    }

    private mutating func update(_ place: Int, _ request: JoinRequest, _ ticket: Ticket) {
        answer(members[place].join, .failure(.rebalanceInProgress))
        members[place].subscription = request.subscription
        members[place].sessionTimeout = request.sessionTimeout
        members[place].rebalanceTimeout = request.rebalanceTimeout
        members[place].join = ticket
    }

    // MARK: A rebalance

    /// Has all members join again, where that is not under way.
    /// - Parameter delay: how long a group that was empty waits for more members, ms.
    mutating func prepare(_ now: Int64, delay: Int64) {
        if state == .preparing {
            if gathering == nil, haveAllJoined { completeJoin(now) }
            return
        }
        for place in members.indices where state == .completing {
            answer(members[place].sync, .failure(.rebalanceInProgress))
            if members[place].sync != nil { members[place].expiry = now + members[place].sessionTimeout }
            members[place].sync = nil
        }
        syncDeadline = nil
        if state == .empty, delay > 0 {
            gathering = Gathering(delay: delay, remaining: max(rebalanceTimeout - delay, 0))
            joinDeadline = now + delay
        } else {
            joinDeadline = now + rebalanceTimeout
        }
        state = .preparing
        if gathering == nil, haveAllJoined { completeJoin(now) }
    }

    mutating func joinTimeIsOver(_ now: Int64) {
        if let wait = gathering, wait.sawMember, wait.remaining > 0 {
            let delay = min(wait.delay, wait.remaining)
            gathering = Gathering(delay: delay, remaining: max(wait.remaining - wait.delay, 0))
            joinDeadline = now + delay
            return
        }
        completeJoin(now)
    }

    /// The next generation begins with whoever has joined; static members may come later.
    mutating func completeJoin(_ now: Int64) {
        (joinDeadline, gathering) = (nil, nil)
        while let place = members.firstIndex(where: { $0.join == nil && $0.instance == nil }) { remove(place) }
        guard members.isEmpty || electLeader() else {
            joinDeadline = now + rebalanceTimeout
            return
        }
        generation += 1
        if members.isEmpty {
            state = .empty
            leader = nil
            keep()
            return
        }
        state = .completing
        for place in members.indices {
            answer(members[place].join, .success(joined(members[place])))
            members[place].join = nil
            members[place].isNew = false
            members[place].owesSync = true
            members[place].expiry = now + members[place].sessionTimeout
        }
        syncDeadline = now + rebalanceTimeout
    }

    /// - Returns: whether there is one who has joined.
    private mutating func electLeader() -> Bool {
        if let leader, let place = member(leader), members[place].join != nil { return true }
        guard let next = members.first(where: { $0.join != nil }) else { return false }
        leader = next.id
        return true
    }

    private func joined(_ member: Member) -> GroupAnswer {
        let all = members.map { Subscriber(memberID: $0.id, instance: $0.instance, subscription: $0.subscription) }
        return .joined(
            memberID: member.id, generation: generation, leader: leader ?? "",
            members: leader == member.id ? all : [])
    }
}
