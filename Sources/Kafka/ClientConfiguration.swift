internal import CRDKafka

/// What a client is for.
package enum ClientRole: Sendable, Hashable {
    case consumer
    case producer
    case transactionalProducer
    case admin

    var isConsumer: Bool { self == .consumer }
}

/// What the program sets of the library's properties itself.
enum ClientProperties {
    /// One property.
    struct Preset: Sendable {
        var name: String
        var value: String
        var roles: [ClientRole]
        /// The program depends on it: configuration may not say otherwise. Else it is a default only.
        var fixed: Bool
    }

    private static let producers: [ClientRole] = [.producer, .transactionalProducer]
    private static let all: [ClientRole] = [.consumer, .producer, .transactionalProducer, .admin]

    static let presets: [Preset] = [
        // Small requests wait for nothing.
        Preset(name: "socket.nagle.disable", value: "true", roles: all, fixed: false),
        Preset(name: "client.id", value: "phasefold", roles: all, fixed: false),
        Preset(name: "statistics.interval.ms", value: "5000", roles: [.consumer] + producers, fixed: false),
        // An idle connection that the broker closes is no news.
        Preset(name: "log.connection.close", value: "false", roles: all, fixed: false),
        // Topics are made with their right settings or not at all.
        Preset(name: "allow.auto.create.topics", value: "false", roles: all, fixed: true),

        // A worker that died is succeeded after this, be it by itself: the least that brokers allow by default. A
        // thread of the library's own sends the heartbeats, so that no work of the worker's holds them up.
        Preset(name: "session.timeout.ms", value: "6000", roles: [.consumer], fixed: false),
        // A member that left, or came, is known to the others after this.
        Preset(name: "heartbeat.interval.ms", value: "1000", roles: [.consumer], fixed: false),
        // Partitions that are added are read soon: the library's own default is five minutes.
        Preset(name: "topic.metadata.refresh.interval.ms", value: "30000", roles: [.consumer], fixed: false),
        // Offsets are committed by the committer alone, after what they stand for is durable.
        Preset(name: "enable.auto.commit", value: "false", roles: [.consumer], fixed: true),
        Preset(name: "enable.auto.offset.store", value: "false", roles: [.consumer], fixed: true),
        // Its own lag and idleness are read off the end-of-partition marks.
        Preset(name: "enable.partition.eof", value: "true", roles: [.consumer], fixed: true),
        Preset(name: "isolation.level", value: "read_committed", roles: [.consumer], fixed: false),
        Preset(name: "auto.offset.reset", value: "earliest", roles: [.consumer], fixed: false),
        // Of a partition. What is read soon after it came lies in the caches still, in memory that is used again: with
        // 256 MiB a backlog costs a third more CPU and a gigabyte.
        Preset(name: "queued.max.messages.kbytes", value: "16384", roles: [.consumer], fixed: false),
        // Of a broker one fetch is under way at a time: one that finds all its partitions at their ends holds up what
        // the others have, for so many ms.
        Preset(name: "fetch.wait.max.ms", value: "50", roles: [.consumer], fixed: false),
        Preset(
            name: "partition.assignment.strategy", value: defaultAssignor, roles: [.consumer], fixed: false),

        Preset(name: "enable.idempotence", value: "true", roles: producers, fixed: true),
        // What the cluster does not take now it takes later: waiting is the caller's to end.
        Preset(name: "message.timeout.ms", value: "0", roles: [.producer], fixed: false),
        Preset(name: "linger.ms", value: "5", roles: producers, fixed: false),
        Preset(name: "compression.type", value: "lz4", roles: producers, fixed: false),
        // The same partition for a key as Java's clients choose.
        Preset(name: "partitioner", value: "murmur2_random", roles: producers, fixed: false),
    ]

    /// Cooperative rebalancing loops in clients before 2.6.1.
    static var defaultAssignor: String { rd_kafka_version() >= 0x0206_01ff ? "cooperative-sticky" : "range" }
}

/// Owner of a configuration that no client has taken yet.
@safe struct ClientConfiguration: ~Copyable {
    private let pointer: OpaquePointer

    /// - Parameters:
    ///   - properties: under the library's names; they win over the program's defaults.
    ///   - forced: what the caller needs whatever `properties` say.
    /// - Throws: an error of domain ``KafkaError/Domain/configuration`` that names the property: unknown, with a
    ///   value out of its range, or one that the program keeps for itself.
    init(
        role: ClientRole, properties: [String: String], forced: [String: String] = [:]
    ) throws(KafkaError) {
        unsafe pointer = rd_kafka_conf_new()
        for preset in ClientProperties.presets where preset.roles.contains(role) {
            guard preset.fixed, let value = properties[preset.name], value != preset.value else {
                try set(preset.name, preset.value)
                continue
            }
            throw Self.error(
                preset.name, "the program depends on \(preset.name)=\(preset.value)",
                remedy: "remove kafka.\(preset.name) from the configuration")
        }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) { try set(name, value) }
        for (name, value) in forced.sorted(by: { $0.key < $1.key }) { try set(name, value) }
    }

    deinit {
        unsafe rd_kafka_conf_destroy(pointer)
    }

    private func set(_ name: String, _ value: String) throws(KafkaError) {
        var reason = [CChar](repeating: 0, count: 512)
        let capacity = reason.count
        let result = unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe rd_kafka_conf_set(pointer, name, value, buffer.baseAddress, capacity)
        }
        switch result {
        case RD_KAFKA_CONF_OK: return
        case RD_KAFKA_CONF_UNKNOWN:
            throw Self.error(
                name, "no such property of librdkafka",
                remedy: "correct or remove kafka.\(name); librdkafka's CONFIGURATION.md lists all")
        default:
            throw Self.error(name, reason.text, remedy: "correct the value of kafka.\(name)")
        }
    }

    private static func error(_ property: String, _ text: String, remedy: String) -> KafkaError {
        var error = KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, "configure kafka.\(property)", text: text)
        error.remedy = remedy
        return error
    }

    /// Makes a client that reports to `context`, which must outlive it.
    consuming func client(_ kind: rd_kafka_type_t, context: ClientContext) throws(KafkaError) -> OpaquePointer {
        unsafe rd_kafka_conf_set_opaque(pointer, Unmanaged.passUnretained(context).toOpaque())
        unsafe rd_kafka_conf_set_log_cb(pointer, takeLogLine)
        unsafe rd_kafka_conf_set_stats_cb(pointer, takeStatistics)
        unsafe rd_kafka_conf_set_error_cb(pointer, takeFailure)
        if kind == RD_KAFKA_CONSUMER {
            unsafe rd_kafka_conf_set_rebalance_cb(pointer, takeRebalance)
        } else {
            unsafe rd_kafka_conf_set_dr_msg_cb(pointer, takeDelivery)
        }
        var reason = [CChar](repeating: 0, count: 512)
        let capacity = reason.count
        let made = unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe rd_kafka_new(kind, pointer, buffer.baseAddress, capacity)
        }
        guard let made = unsafe made else {
            var error = KafkaError(rd_kafka_last_error(), "make a client", text: reason.text)
            error.domain = .configuration
            error.retry = .permanent
            _ = consume self
            throw error
        }
        discard self
        return unsafe made
    }
}

extension [CChar] {
    /// The text up to the first zero.
    var text: String {
        String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
