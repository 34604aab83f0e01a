import Dispatch
import Foundation
package import Kafka
package import Synchronization

/// The properties of every client in these tests.
package func local(_ bootstrap: String, _ more: [String: String] = [:]) -> [String: String] {
    ["bootstrap.servers": bootstrap].merging(more) { _, new in new }
}

/// A name that no other test uses.
package func fresh(_ name: String) -> String { "\(name)-\(UUID().uuidString.prefix(8))" }

extension Producer {
    /// Produces text, waiting while the queue is full.
    package func send(_ topic: String, _ key: String?, _ value: String?, partition: Int32? = nil) throws {
        let keyBytes = key.map { Array($0.utf8) }
        let valueBytes = value.map { Array($0.utf8) }
        while unsafe try produce(
            topic: topic, partition: partition, key: keyBytes?.span.bytes, value: valueBytes?.span.bytes) == .queueFull
        { poll(timeout: 10) }
    }
}

/// A record as a test sees it.
package struct Received: Hashable, Sendable {
    package var partition: TopicPartition
    package var key: String?
    package var value: String?
    package var offset: Int64
}

/// A member of a group that keeps what it reads: each partition on a serial queue of its own, woken by its queue.
package final class Reader: RebalanceHandler {
    package struct State {
        package var received: [Received] = []
        package var assigned: Set<TopicPartition> = []
        package var ends: [TopicPartition: Int64] = [:]
        package var lost = 0
        package var failures: [KafkaError] = []
    }

    package let consumer: Consumer
    package let state = Mutex(State())
    private let startAt: StartOffset
    private let tasks = Mutex<[TopicPartition: Task]>([:])

    package init(
        _ bootstrap: String, group: String, topics: [String], startAt: StartOffset = .committed,
        _ properties: [String: String] = [:]
    ) throws {
        consumer = try Consumer(group: group, local(bootstrap, properties))
        self.startAt = startAt
        try consumer.subscribe(topics, handler: self)
    }

    /// Polls until `done` holds or the time is up; says whether it held.
    package func poll(seconds: Double = 20, until done: (State) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            if let error = consumer.poll(timeout: 20) { state.withLock { $0.failures.append(error) } }
            if state.withLock({ done($0) }) { return true }
        }
        return false
    }

    package func start(_ partitions: [TopicPartition]) -> [StartOffset] { partitions.map { _ in startAt } }

    package func begin(_ partition: TopicPartition, queue: consuming PartitionQueue) {
        do throws(KafkaError) {
            let task = Task(partition, queue, self)
            tasks.withLock { $0[partition] = task }
            try task.start()
        } catch {
            failed(error)
        }
    }

    package func assigned(_ partitions: [TopicPartition]) { state.withLock { $0.assigned.formUnion(partitions) } }

    package func end(_ partitions: [TopicPartition], lost: Bool) {
        for partition in partitions {
            let task = tasks.withLock { $0.removeValue(forKey: partition) }
            task?.stop()
        }
        state.withLock {
            $0.assigned.subtract(partitions)
            if lost { $0.lost += 1 }
        }
    }

    package func failed(_ error: KafkaError) { state.withLock { $0.failures.append(error) } }

    /// Touched on its own serial queue alone.
    private final class Task: PartitionSink, @unchecked Sendable {
        private let partition: TopicPartition
        private let serial: DispatchQueue
        private var queue: PartitionQueue?
        private unowned let reader: Reader

        init(_ partition: TopicPartition, _ queue: consuming PartitionQueue, _ reader: Reader) {
            self.partition = partition
            self.reader = reader
            serial = DispatchQueue(label: "\(partition)")
            self.queue = consume queue
        }

        func start() throws(KafkaError) {
            try queue?.wake(on: serial) { [weak self] in self?.drain() }
        }

        func stop() {
            serial.sync { queue = nil }
        }

        private func drain() {
            guard queue != nil else { return }
            queue?.drain(limit: 100, into: self)
            if queue?.isEmpty == false { serial.async { [weak self] in self?.drain() } }
        }

        func take(value: RawSpan?, key: RawSpan?, offset: Int64, timestamp: Int64) {
            let record = Received(partition: partition, key: text(key), value: text(value), offset: offset)
            reader.state.withLock { $0.received.append(record) }
        }

        func reachedEnd(offset: Int64) { reader.state.withLock { $0.ends[partition] = offset } }

        func failed(_ error: KafkaError) { reader.failed(error) }

        private func text(_ span: RawSpan?) -> String? {
            guard let span else { return nil }
            return unsafe span.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}
