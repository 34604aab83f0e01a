extension Group {
    mutating func sync(
        _ member: MemberIdentity, assignment: [String: [PartitionName]], now: Int64
    ) throws(BrokerError) -> Ticket {
        let place = try check(member)
        if state == .preparing { throw .rebalanceInProgress }
        let ticket = ticket()
        settle(place)
        if state == .stable {
            answer(ticket, .success(.synced(members[place].assignment)))
            return ticket
        }
        answer(members[place].sync, .failure(.rebalanceInProgress))
        members[place].sync = ticket
        if leader == member.id { assign(assignment, now) }
        return ticket
    }

    private mutating func assign(_ assignment: [String: [PartitionName]], _ now: Int64) {
        state = .stable
        for place in members.indices {
            members[place].assignment = assignment[members[place].id] ?? []
            guard let ticket = members[place].sync else { continue }
            answer(ticket, .success(.synced(members[place].assignment)))
            members[place].sync = nil
            members[place].expiry = now + members[place].sessionTimeout
        }
        keep()
    }

    /// The member's sync of this generation has come.
    private mutating func settle(_ place: Int) {
        members[place].owesSync = false
        if members.allSatisfy({ !$0.owesSync }) { syncDeadline = nil }
    }

    /// Who has not synced is taken out.
    mutating func syncTimeIsOver(_ now: Int64) {
        syncDeadline = nil
        while let place = members.firstIndex(where: \.owesSync) { remove(place) }
        prepare(now, delay: 0)
    }

    mutating func heartbeat(_ member: MemberIdentity, now: Int64) throws(BrokerError) {
        let place = try check(member)
        members[place].expiry = now + members[place].sessionTimeout
        if state == .preparing { throw .rebalanceInProgress }
    }

    mutating func leave(_ member: MemberIdentity, now: Int64) throws(BrokerError) {
        if promised.removeValue(forKey: member.id) == nil {
            if member.id.isEmpty, let instance = member.instance, let place = self.member(instance: instance) {
                remove(place)
            } else {
                remove(try check(member.id, instance: member.instance))
            }
        }
        membersChanged(now)
    }

    /// Whether offsets may be committed in the name of `member`.
    func checkCommit(_ member: MemberIdentity, isTransactional: Bool) throws(BrokerError) {
        if member.generation < 0, state == .empty { return }
        if member.generation >= 0 || !member.id.isEmpty || member.instance != nil {
            _ = try check(member)
        } else if !isTransactional {
            throw .unknownMemberID
        }
        if !isTransactional, state == .completing { throw .rebalanceInProgress }
    }
}
