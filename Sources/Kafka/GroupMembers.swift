internal import CRDKafka

/// The members of a group, as its coordinator knows them.
package struct GroupMembers: Sendable, Equatable {
    package struct Member: Sendable, Equatable {
        /// The name that the group gave it.
        package var id: String
        package var partitions: [TopicPartition]

        package init(id: String, partitions: [TopicPartition]) {
            self.id = id
            self.partitions = partitions
        }
    }

    /// Nobody joins or leaves just now.
    package var isStable: Bool
    /// Ordered by their names, byte by byte, as the range assignor orders them.
    package var members: [Member]

    package init(isStable: Bool, members: [Member]) {
        self.isStable = isStable
        self.members = members.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// - Parameter limit: ms.
    /// - Throws: what the cluster answers; a refusal too.
    static func ask(
        _ client: OpaquePointer, of group: String, limit: Int32
    ) throws(KafkaError) -> GroupMembers {
        var list: UnsafePointer<rd_kafka_group_list>?
        let code = unsafe rd_kafka_list_groups(client, group, &list, limit)
        let operation = "ask for the members of \(group)"
        try KafkaError.check(code, operation)
        guard let list = unsafe list else { throw KafkaError(RD_KAFKA_RESP_ERR__BAD_MSG, operation) }
        defer { unsafe rd_kafka_group_list_destroy(list) }
        guard unsafe list.pointee.group_cnt == 1 else {
            throw KafkaError(RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, operation)
        }
        let found = unsafe list.pointee.groups[0]
        unsafe try KafkaError.check(found.err, operation)
        let state = unsafe String(cString: found.state)
        var members: [Member] = []
        for number in 0..<Int(unsafe found.member_cnt) {
            let member = unsafe found.members[number]
            let assignment = unsafe UnsafeRawBufferPointer(
                start: member.member_assignment, count: Int(member.member_assignment_size))
            members.append(
                Member(
                    id: unsafe String(cString: member.member_id),
                    partitions: unsafe ConsumerAssignment.partitions(in: assignment)))
        }
        return GroupMembers(isStable: state == "Stable", members: members)
    }
}

/// The form in which consumers tell each other their assignments: numbers with the highest byte first.
///
///     version    two bytes
///     topics     four bytes: how many; each: length of the name (two bytes), name, four bytes: how many partitions,
///                four bytes each
///     user data
enum ConsumerAssignment {
    /// - Returns: none where the bytes are of another form.
    static func partitions(in bytes: UnsafeRawBufferPointer) -> [TopicPartition] {
        var place = 2
        func number<Value: FixedWidthInteger>(_ type: Value.Type) -> Int? {
            let size = MemoryLayout<Value>.size
            guard place + size <= bytes.count else { return nil }
            defer { place += size }
            return Int(Value(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: place, as: Value.self)))
        }
        var found: [TopicPartition] = []
        guard let topics = number(Int32.self) else { return [] }
        for _ in 0..<max(topics, 0) {
            guard let length = number(Int16.self), length >= 0, place + length <= bytes.count else { return [] }
            let name = unsafe String(decoding: bytes[place..<(place + length)], as: UTF8.self)
            place += length
            guard let count = number(Int32.self) else { return [] }
            for _ in 0..<max(count, 0) {
                guard let partition = number(Int32.self) else { return [] }
                found.append(TopicPartition(name, Int32(partition)))
            }
        }
        return found
    }
}
