internal import CRDKafka

/// Owner of the answer to an administration request.
@safe struct AdminResult: ~Copyable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe rd_kafka_event_destroy(pointer)
    }
}

extension Admin {
    enum Operation {
        case createTopics
        case createPartitions
        case deleteTopics
        case describeConfigs
        case deleteRecords
        case deleteGroups

        var code: rd_kafka_admin_op_t {
            switch self {
            case .createTopics: RD_KAFKA_ADMIN_OP_CREATETOPICS
            case .createPartitions: RD_KAFKA_ADMIN_OP_CREATEPARTITIONS
            case .deleteTopics: RD_KAFKA_ADMIN_OP_DELETETOPICS
            case .describeConfigs: RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS
            case .deleteRecords: RD_KAFKA_ADMIN_OP_DELETERECORDS
            case .deleteGroups: RD_KAFKA_ADMIN_OP_DELETEGROUPS
            }
        }
    }

    /// Sends one request and waits for its answer.
    func request(
        _ operation: Operation, _ name: String, _ limit: Int32,
        _ send: (_ client: OpaquePointer, _ options: OpaquePointer?, _ queue: OpaquePointer?) -> Void
    ) throws(KafkaError) -> AdminResult {
        let queue = unsafe rd_kafka_queue_new(client.pointer)
        defer { unsafe rd_kafka_queue_destroy(queue) }
        let options = unsafe rd_kafka_AdminOptions_new(client.pointer, operation.code)
        defer { unsafe rd_kafka_AdminOptions_destroy(options) }
        var reason = [CChar](repeating: 0, count: 256)
        let capacity = reason.count
        let code = unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe rd_kafka_AdminOptions_set_request_timeout(options, limit, buffer.baseAddress, capacity)
        }
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { throw KafkaError(code, name, text: reason.text) }
        unsafe send(client.pointer, options, queue)
        // The library answers within the limit by itself; the margin only keeps a lost answer from hanging us.
        guard let event = unsafe rd_kafka_queue_poll(queue, limit + 1000) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, name)
        }
        let result = unsafe AdminResult(owning: event)
        let failure = unsafe rd_kafka_event_error(event)
        if failure != RD_KAFKA_RESP_ERR_NO_ERROR {
            let text = unsafe rd_kafka_event_error_string(event).map { unsafe String(cString: $0) }
            throw KafkaError(failure, name, text: text)
        }
        return result
    }

    /// Lends `topics` in the library's form.
    func withNewTopics(
        _ topics: [NewTopic], _ body: (UnsafeMutablePointer<OpaquePointer?>?, Int) -> Void
    ) {
        var pointers: [OpaquePointer?] = unsafe []
        for topic in topics {
            let made = unsafe rd_kafka_NewTopic_new(
                topic.name, Int32(topic.partitions), Int32(topic.replicas ?? -1), nil, 0)
            for (name, value) in topic.configuration {
                unsafe _ = rd_kafka_NewTopic_set_config(made, name, value)
            }
            unsafe pointers.append(made)
        }
        unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            unsafe body(buffer.baseAddress, buffer.count)
        }
        unsafe pointers.forEach { unsafe rd_kafka_NewTopic_destroy($0) }
    }
}
