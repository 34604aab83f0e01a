internal import CRDKafka

/// A producer whose records and offsets become visible together or not at all.
///
/// Errors carry their class: ``KafkaError/RetryClass/retriable`` → the same call again;
/// ``KafkaError/RetryClass/abortable`` → ``abort(limit:)``, then the same work in a new transaction;
/// ``KafkaError/RetryClass/fatal`` (fenced, timed out, wrong epoch) → drop this producer and make a new one, reading
/// back what was committed. One caller at a time; calls block.
package struct TransactionalProducer: ~Copyable, Sendable {
    /// For producing and polling within a transaction.
    package let producer: Producer

    /// - Parameters:
    ///   - identity: the `transactional.id`. A later producer of the same identity fences this one.
    ///   - timeout: after this long without an end the broker aborts the transaction, and this producer is spent, ms.
    package init(
        _ properties: [String: String], identity: String, timeout: Int, observer: (any ClientObserver)? = nil
    ) throws(KafkaError) {
        let forced = Self.forced(identity: identity, timeout: timeout)
        producer = Producer(
            owning: try Client(.transactionalProducer, properties, forced: forced, observer: observer))
    }

    static func forced(identity: String, timeout: Int) -> [String: String] {
        ["transactional.id": identity, "transaction.timeout.ms": String(timeout)]
    }

    /// Claims the identity: fences earlier producers, ends what they left open. Once, before anything else.
    /// - Parameter limit: ms; on time-out the error is retriable and the same call goes on where it was.
    package func initialize(limit: Int32) throws(KafkaError) {
        unsafe try KafkaError.check(rd_kafka_init_transactions(producer.client.pointer, limit), "claim the identity")
    }

    package func begin() throws(KafkaError) {
        unsafe try KafkaError.check(rd_kafka_begin_transaction(producer.client.pointer), "begin a transaction")
    }

    /// Makes offsets part of the transaction.
    package func send(
        _ offsets: [PartitionOffset], of group: borrowing GroupMetadata, limit: Int32
    ) throws(KafkaError) {
        let list = try PartitionList(offsets)
        unsafe try KafkaError.check(
            rd_kafka_send_offsets_to_transaction(producer.client.pointer, list.pointer, group.pointer, limit),
            "send offsets to the transaction")
    }

    /// Flushes, then ends the transaction. After an error that is neither abortable nor answered by the same call
    /// the outcome is unknown: it has to be read back.
    /// - Parameter limit: ms; nil is what is left of the transaction's own time, which the library advises.
    package func commit(limit: Int32? = nil) throws(KafkaError) {
        unsafe try KafkaError.check(
            rd_kafka_commit_transaction(producer.client.pointer, limit ?? -1), "commit the transaction")
    }

    /// Drops what is queued and ends the transaction without effect.
    package func abort(limit: Int32? = nil) throws(KafkaError) {
        unsafe try KafkaError.check(
            rd_kafka_abort_transaction(producer.client.pointer, limit ?? -1), "abort the transaction")
    }
}

/// A member's place in its group, which lets the broker refuse offsets of one that has been succeeded.
@safe package struct GroupMetadata: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe rd_kafka_consumer_group_metadata_destroy(pointer)
    }
}
