extension ModelCluster {
    package mutating func join(_ request: JoinRequest, now: Int64) throws(BrokerError) -> Joining {
        try begin(now)
        try checkCoordinator(of: .group(request.group))
        if groupsByName[request.group] == nil, !request.memberID.isEmpty { throw .unknownMemberID }
        let delay = options.initialRebalanceDelay
        return try change(group: request.group) { group throws(BrokerError) in
            try group.join(request, delay: delay, now: now)
        }
    }

    package mutating func sync(
        _ group: String, _ member: MemberIdentity, assignment: [String: [PartitionName]], now: Int64
    ) throws(BrokerError) -> Ticket {
        try begin(now)
        try checkMembers(of: group)
        return try change(group: group) { group throws(BrokerError) in
            try group.sync(member, assignment: assignment, now: now)
        }
    }

    package mutating func answer(to ticket: Ticket, now: Int64) throws(BrokerError) -> GroupAnswer? {
        try begin(now)
        guard groupsByName[ticket.group] != nil else { throw .notCoordinator }
        return try change(group: ticket.group) { group throws(BrokerError) in try group.take(ticket) }
    }

    package mutating func heartbeat(_ group: String, _ member: MemberIdentity, now: Int64) throws(BrokerError) {
        try begin(now)
        try checkMembers(of: group)
        try change(group: group) { group throws(BrokerError) in try group.heartbeat(member, now: now) }
    }

    package mutating func leave(_ group: String, _ member: MemberIdentity, now: Int64) throws(BrokerError) {
        try begin(now)
        try checkMembers(of: group)
        try change(group: group) { group throws(BrokerError) in try group.leave(member, now: now) }
    }

    package mutating func groups(now: Int64) throws(BrokerError) -> [DescribedGroup] {
        try begin(now)
        return groupsByName.values.map { group in
            DescribedGroup(
                name: group.name, state: group.state.rawValue, generation: group.generation,
                members: group.members.map(\.id))
        }.sorted { $0.name < $1.name }
    }

    package mutating func deleteGroup(_ name: String, now: Int64) throws(BrokerError) {
        try begin(now)
        try checkCoordinator(of: .group(name))
        guard let group = groupsByName[name] else { throw .groupIDNotFound }
        if group.state != .empty { throw .nonEmptyGroup }
        groupsByName[name] = nil
    }

    /// A group that is not there has no members.
    private func checkMembers(of group: String) throws(BrokerError) {
        try checkCoordinator(of: .group(group))
        if groupsByName[group] == nil { throw .unknownMemberID }
    }
}
