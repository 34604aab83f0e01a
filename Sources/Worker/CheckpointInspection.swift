internal import Engine
internal import Folding
internal import Kafka
internal import Lifecycle
package import Settings

/// Reads the checkpoint of an application as a restart would, beside running workers or without any. Changes nothing.
package final class CheckpointInspection {
    /// What the checkpoint of one input partition came to.
    package struct Partition: Sendable {
        package var topic: String
        package var number: Int32
        /// Where the group goes on; nil where it has committed nothing.
        package var offset: Int64?
        /// Stream time at that offset, ms since the epoch; nil where there is none.
        package var streamTime: Int64?
        /// Installations whose state is kept; nil where the checkpoint does not hold the states at the offset.
        package var devices: Int?
        /// Bytes that the states take in memory.
        package var stateBytes = 0
        /// Records and bytes that a restart reads.
        package var records = 0
        package var bytes = 0
    }

    /// One installation.
    package struct Device: Sendable {
        package var topic: String
        package var number: Int32
        package var phase: String
        /// Device times, and a receive time, ms since the epoch; nil where they are not known.
        package var since: Int64?
        package var last: Int64?
        package var lastReceived: Int64?
    }

    private let options: WorkerOptions
    private let cluster: any Cluster
    private let keeper: TopicKeeper
    private let group: any GroupMember
    private static let limit: Int32 = 10_000

    package init(_ settings: Settings, on cluster: any Cluster = KafkaCluster()) throws(WorkerFailure) {
        self.cluster = cluster
        do throws(KafkaError) {
            options = WorkerOptions(settings)
            keeper = try TopicKeeper(options, cluster, observer: nil)
            group = try cluster.member(of: options.applicationID, options.consumer, observer: nil)
        } catch {
            throw WorkerFailure(error)
        }
    }

    /// Reads all partitions.
    /// - Parameter wanted: an installation to look for.
    package func read(
        wanted: (device: String, app: String)? = nil
    ) throws(WorkerFailure) -> (partitions: [Partition], found: [Device]) {
        do throws(KafkaError) {
            let known = try keeper.topics()
            guard let checkpoint = known.first(where: { $0.name == options.devicesTopic }) else {
                throw KafkaError.missing(topic: options.devicesTopic)
            }
            let inputs = known.filter { options.foldTopics.contains($0.name) }.sorted { $0.name < $1.name }
            let all = inputs.flatMap { topic in (0..<Int32(topic.partitions)).map { TopicPartition(topic.name, $0) } }
            var partitions: [Partition] = []
            var found: [Device] = []
            for start in try group.committed(all, limit: Self.limit) {
                let place = TopicPartition(
                    checkpoint.name, start.partition.partition % Int32(checkpoint.partitions))
                let (partition, engine) = try read(start, place)
                partitions.append(partition)
                if let wanted, partition.devices != nil, let state = engine.state(wanted.device, app: wanted.app) {
                    found.append(Device(start.partition, state))
                }
            }
            return (partitions, found)
        } catch {
            throw WorkerFailure(error)
        }
    }

    private func read(
        _ start: PartitionOffset, _ place: TopicPartition
    ) throws(KafkaError) -> (Partition, PartitionEngine) {
        let engine = PartitionEngine(options.engine)
        var result = Partition(topic: start.partition.topic, number: start.partition.partition, offset: start.offset)
        guard let offset = start.offset else { return (result, engine) }
        let note = CommitNote(start.metadata)
        result.streamTime = note.flatMap { $0.time == Event.absent ? nil : $0.time }
        let source = CheckpointSource(
            topic: start.partition.topic, partition: start.partition.partition, pass: options.checkpointPass)
        let reader = CheckpointReader(engine, source, target: note?.mark, offset: offset)
        let log = try cluster.reader(of: place, options.consumer, observer: nil)
        let end = try log.watermarks(limit: Self.limit)
        var isThrough = end.low >= end.high
        while !isThrough {
            let outcome = try log.read(timeout: Self.limit) { key, value, _ in
                guard let value else { return }
                result.records += 1
                result.bytes += value.byteCount
                reader.take(value, key: key)
            }
            switch outcome {
            case .record: isThrough = false
            case .end(let offset): isThrough = offset >= end.high || reader.isComplete
            case .nothing: isThrough = true
            }
        }
        if reader.finish(now: 0) != nil {
            result.devices = engine.devices
            result.stateBytes = engine.stateBytes
        }
        return (result, engine)
    }
}

extension CheckpointInspection.Device {
    init(_ partition: TopicPartition, _ state: InstallationState) {
        topic = partition.topic
        number = partition.partition
        phase = state.phase.name
        since = state.since
        last = state.last
        lastReceived = state.lastReceived
    }
}
