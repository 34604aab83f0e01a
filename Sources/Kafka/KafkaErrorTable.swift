internal import CRDKafka

extension KafkaError {
    /// One line of the table of errors.
    struct Known {
        var code: rd_kafka_resp_err_t
        var domain: Domain
        var retry: RetryClass
        var remedy: String

        init(_ code: rd_kafka_resp_err_t, _ domain: Domain, _ retry: RetryClass, _ remedy: String) {
            self.code = code
            self.domain = domain
            self.retry = retry
            self.remedy = remedy
        }
    }

    private static let reach = "check kafka.bootstrap.servers, the network, and that the brokers run"
    private static let wait = "nothing to do: it passes when the cluster has settled"
    private static let fenced = "make sure that no second process uses the same application.id and worker identity"
    private static let grant = "grant the right with kafka-acls or the cluster's own tool"
    private static let credentials = "check kafka.sasl.* and kafka.ssl.* against what the broker expects"
    private static let rejoin = "nothing to do: the worker joins again; if it repeats, raise kafka.session.timeout.ms"

    /// The errors whose class and remedy are known, each once.
    static let known: [Known] = transport + security + topics + groups + transactions + local

    private static let transport: [Known] = [
        Known(RD_KAFKA_RESP_ERR__TRANSPORT, .transport, .retriable, reach),
        Known(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, .transport, .retriable, reach),
        Known(RD_KAFKA_RESP_ERR__RESOLVE, .transport, .retriable, "check the host names in kafka.bootstrap.servers"),
        Known(RD_KAFKA_RESP_ERR__TIMED_OUT, .transport, .retriable, reach),
        Known(RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, .transport, .retriable, reach),
        Known(RD_KAFKA_RESP_ERR__WAIT_COORD, .transport, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR__WAIT_CACHE, .transport, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR__UNKNOWN_BROKER, .transport, .retriable, reach),
        Known(RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION, .transport, .retriable, reach),
        Known(RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_NOT_CONTROLLER, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH, .broker, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, .broker, .retriable, wait),
        Known(
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, .broker, .retriable,
            "bring brokers back, or lower min.insync.replicas of the topic"),
        Known(
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, .broker, .retriable,
            "bring brokers back, or lower min.insync.replicas of the topic"),
        Known(RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, .broker, .retriable, "look at the broker's disks and its log"),
        Known(RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED, .broker, .retriable, "raise the client's quota"),
    ]

    private static let security: [Known] = [
        Known(RD_KAFKA_RESP_ERR__SSL, .authentication, .permanent, credentials),
        Known(RD_KAFKA_RESP_ERR__AUTHENTICATION, .authentication, .permanent, credentials),
        Known(RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, .authentication, .permanent, credentials),
        Known(
            RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, .authentication, .permanent,
            "set kafka.sasl.mechanism to one that the broker offers"),
        Known(RD_KAFKA_RESP_ERR_SECURITY_DISABLED, .authentication, .permanent, credentials),
        Known(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, .authorization, .permanent, grant),
        Known(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, .authorization, .permanent, grant),
        Known(RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, .authorization, .permanent, grant),
        Known(RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, .authorization, .fatal, grant),
    ]

    private static let topics: [Known] = [
        Known(
            RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, .topic, .retriable,
            "create the topic, or correct its name; phasefold topics create makes the internal ones"),
        Known(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, .topic, .retriable, "create the topic, or correct its name"),
        Known(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, .topic, .retriable, "check the topic's number of partitions"),
        Known(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, .topic, .permanent, "nothing to do: the topic is there"),
        Known(
            RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, .topic, .permanent,
            "use letters, digits, '.', '_' and '-' in topic names, at most 249 characters"),
        Known(
            RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, .topic, .permanent,
            "ask for at most as many replicas as there are brokers"),
        Known(RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, .topic, .permanent, "ask for at least one partition"),
        Known(RD_KAFKA_RESP_ERR_INVALID_CONFIG, .topic, .permanent, "correct the topic's configuration"),
        Known(RD_KAFKA_RESP_ERR_POLICY_VIOLATION, .topic, .permanent, "create the topic as the cluster's policy wants"),
        Known(
            RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, .topic, .permanent,
            "lengthen the topic's retention: records were deleted before they were read"),
        Known(
            RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, .topic, .permanent,
            "lengthen the topic's retention: records were deleted before they were read"),
        Known(
            RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, .message, .permanent,
            "raise kafka.message.max.bytes and the topic's max.message.bytes"),
        Known(
            RD_KAFKA_RESP_ERR_INVALID_MSG, .message, .permanent, "check the topic's cleanup.policy: a key may be needed"
        ),
        Known(
            RD_KAFKA_RESP_ERR_INVALID_RECORD, .message, .permanent, "check the topic's cleanup.policy and timestamps"),
        Known(RD_KAFKA_RESP_ERR__BAD_MSG, .message, .retriable, "look for a damaged log segment on the broker"),
        Known(
            RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, .message, .retriable,
            "check that the brokers run; kafka.message.timeout.ms says how long a record may wait"),
    ]

    private static let groups: [Known] = [
        Known(RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, .group, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, .group, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, .group, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, .group, .retriable, rejoin),
        Known(RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, .group, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, .group, .permanent, rejoin),
        Known(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, .group, .permanent, rejoin),
        Known(RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, .group, .permanent, rejoin),
        Known(
            RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, .group, .permanent,
            "raise kafka.max.poll.interval.ms, or give the worker more cores"),
        Known(
            RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL, .group, .permanent,
            "use the same kafka.partition.assignment.strategy on every worker"),
        Known(
            RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, .group, .permanent,
            "keep kafka.session.timeout.ms within the broker's group.min and group.max.session.timeout.ms"),
        Known(
            RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, .group, .fatal, "give every worker its own kafka.group.instance.id"),
        Known(RD_KAFKA_RESP_ERR_GROUP_MAX_SIZE_REACHED, .group, .permanent, "raise the broker's group.max.size"),
        Known(RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP, .group, .permanent, "stop the workers of the group first"),
        Known(RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND, .group, .permanent, "check application.id: there is no such group"),
        Known(RD_KAFKA_RESP_ERR__NO_OFFSET, .group, .permanent, "nothing to do: no offset was to be committed"),
        Known(RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, .group, .permanent, "raise offset.metadata.max.bytes"),
    ]

    private static let transactions: [Known] = [
        Known(RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, .transaction, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .transaction, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, .transaction, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .transaction, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR__FENCED, .transaction, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR_TRANSACTION_COORDINATOR_FENCED, .transaction, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, .transaction, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, .transaction, .abortable, wait),
        Known(RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, .transaction, .fatal, wait),
        Known(RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE, .transaction, .fatal, wait),
        Known(
            RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, .transaction, .fatal,
            "keep kafka.transaction.timeout.ms under the broker's transaction.max.timeout.ms"),
        Known(
            RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, .broker, .permanent,
            "use a broker of version 0.11 or newer, or delivery.guarantee=at_least_once"),
        Known(
            RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, .broker, .permanent,
            "use a newer broker, or delivery.guarantee=at_least_once"),
    ]

    private static let local: [Known] = [
        Known(RD_KAFKA_RESP_ERR__QUEUE_FULL, .queue, .retriable, "raise kafka.queue.buffering.max.messages"),
        Known(RD_KAFKA_RESP_ERR__PURGE_QUEUE, .queue, .abortable, wait),
        Known(RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, .queue, .abortable, wait),
        Known(RD_KAFKA_RESP_ERR__RETRY, .client, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR__IN_PROGRESS, .client, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS, .client, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR__CONFLICT, .client, .retriable, wait),
        Known(RD_KAFKA_RESP_ERR__FATAL, .client, .fatal, fenced),
        Known(RD_KAFKA_RESP_ERR__STATE, .client, .permanent, "report it: the program called out of turn"),
        Known(RD_KAFKA_RESP_ERR__DESTROY, .client, .fatal, "nothing to do: the client is closing"),
        Known(RD_KAFKA_RESP_ERR__INVALID_ARG, .configuration, .permanent, "correct the value"),
        Known(RD_KAFKA_RESP_ERR__NOT_CONFIGURED, .configuration, .permanent, "set the property that is missing"),
        Known(
            RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, .client, .permanent, "raise the limits on threads, memory or files"),
    ]

    private static let byCode: [Int32: Known] = Dictionary(
        known.map { ($0.code.rawValue, $0) }, uniquingKeysWith: { first, _ in first })

    /// The error of a code, classed by the table; `text` defaults to the library's own.
    init(_ code: rd_kafka_resp_err_t, _ operation: String, text: String? = nil) {
        let known = Self.byCode[code.rawValue]
        self.code = code.rawValue
        name = unsafe String(cString: rd_kafka_err2name(code))
        domain = known?.domain ?? (code.rawValue < 0 ? .client : .broker)
        retry = known?.retry ?? .permanent
        self.operation = operation
        self.text = unsafe text ?? String(cString: rd_kafka_err2str(code))
        remedy = known?.remedy ?? "look the name up in the documentation of librdkafka or of the broker"
    }

    /// The same of the number of a code: the protocol's where it is positive, the library's own where it is negative.
    package init(code: Int32, operation: String) {
        self.init(rd_kafka_resp_err_t(rawValue: code), operation)
    }

    /// Takes over an error object and destroys it. What the object says of its class rules over the table.
    init(consuming object: OpaquePointer, _ operation: String) {
        unsafe self.init(
            rd_kafka_error_code(object), operation, text: String(cString: rd_kafka_error_string(object)))
        if unsafe rd_kafka_error_is_fatal(object) != 0 {
            retry = .fatal
        } else if unsafe rd_kafka_error_txn_requires_abort(object) != 0 {
            retry = .abortable
        } else if unsafe rd_kafka_error_is_retriable(object) != 0 {
            retry = .retriable
        }
        unsafe rd_kafka_error_destroy(object)
    }

    /// Throws what an error object says, if there is one.
    static func check(_ object: OpaquePointer?, _ operation: @autoclosure () -> String) throws(KafkaError) {
        if let object = unsafe object { throw unsafe KafkaError(consuming: object, operation()) }
    }

    /// Throws where a code is not that of success.
    static func check(
        _ code: rd_kafka_resp_err_t, _ operation: @autoclosure () -> String
    ) throws(KafkaError) {
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { throw KafkaError(code, operation()) }
    }
}

extension KafkaError {
    /// A topic that the program writes is not there.
    package static func missing(topic name: String) -> KafkaError {
        var error = KafkaError(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, "find the topic \(name)")
        error.remedy = "run phasefold topics create, or set topics.create=true"
        return error
    }

    /// A member that the group does not know any more.
    package static func stranger(to group: String) -> KafkaError {
        KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, "take a place in the group \(group)")
    }

    /// What may be done to a group without members only.
    package static func alive(group name: String, members: Int) -> KafkaError {
        var error = KafkaError(RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP, "reset the group \(name)")
        error.text = members == 1 ? "it has a member" : "it has \(members) members"
        error.domain = .configuration
        return error
    }
}
