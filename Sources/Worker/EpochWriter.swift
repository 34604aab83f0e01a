internal import Aggregating
internal import Kafka

extension RecordProducer {
    /// Longest wait for room in the producer's queue before its state is looked at, ms.
    private static var slice: Int32 { 200 }

    /// Offers all records of an epoch, waiting while the producer's queue is full.
    /// - Throws: what will not pass by waiting.
    func write(_ epoch: ClosedEpoch, _ options: WorkerOptions, _ targets: DeliveryTargets) throws(KafkaError) {
        try write(epoch.events, to: options.eventsTopic) { Int32($0) }
        let partitions = UInt64(targets.partialsPartitions)
        try write(epoch.partials, to: options.partialsTopic) { Int32($0 % partitions) }
        for partition in 0..<Int32(targets.partialsPartitions) {
            try write(epoch.watermark, to: options.partialsTopic) { _ in partition }
        }
        if let place = epoch.checkpointPlace {
            try write(epoch.checkpoint, to: place.topic) { _ in place.partition }
        }
        try write(epoch.rows, to: options.outputTopic) { _ in nil }
        for letter in epoch.deadLetters { try write(letter, to: options.deadLetterTopic) }
    }

    /// - Parameter partition: that of a record's route; nil leaves it to the key.
    private func write(
        _ batch: RecordBatch, to topic: String, partition: (UInt64) -> Int32?
    ) throws(KafkaError) {
        for index in 0..<batch.count {
            let record = batch.records[index]
            let target = partition(record.route)
            try batch.withRecord(index) { (key, value) throws(KafkaError) in
                try offer(topic, target, key.isEmpty ? nil : key, record.isTombstone ? nil : value)
            }
        }
    }

    private func write(_ letter: DeadLetter, to topic: String) throws(KafkaError) {
        let (key, value) = (letter.key, letter.value)
        unsafe try offer(topic, nil, key?.span.bytes, value?.span.bytes, headers: letter.headers)
    }

    private func offer(
        _ topic: String, _ partition: Int32?, _ key: RawSpan?, _ value: RawSpan?, headers: [RecordHeader] = []
    ) throws(KafkaError) {
        while try produce(topic: topic, partition: partition, key: key, value: value, headers: headers) == .queueFull {
            if let fatalError { throw fatalError }
            poll(timeout: Self.slice)
        }
    }
}
