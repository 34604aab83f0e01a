package import Lifecycle

/// Turns records into events: one for each task, used on its queue alone.
///
/// Parsers and scratch memory are kept from record to record: after the first records of the largest size nothing
/// is allocated for an event. What cannot be read is never thrown but stands in ``EventBatch/rejections``.
package struct RecordDecoder: ~Copyable {
    let options: DecodingOptions

    package init(_ options: DecodingOptions) {
        self.options = options
    }

    /// Appends the events of one record, or why they could not be read, to the batch.
    ///
    /// A record that gives no event appends a ``Edge/tick`` where its time is known, so that stream time moves.
    ///
    /// - Parameters:
    ///   - value: the record's value; an empty one holds no event.
    ///   - key: the record's key, the device of an event that names none.
    ///   - timestamp: the record's timestamp, ms since the epoch; ``Event/absent`` where there is none.
    ///   - lexicon: takes in the texts and groups of the events.
    package mutating func decode(
        _ value: RawSpan, key: RawSpan?, timestamp: Int64, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        let before = batch.events.count
        if value.byteCount > options.maxRecordBytes {
            batch.rejections.append(Rejection(record: batch.records, index: nil, code: .recordTooLarge))
        } else if value.byteCount > 0 {
            batch.rejections.append(Rejection(record: batch.records, index: nil, code: .invalidJSON))
        }
        if batch.events.count == before, timestamp != Event.absent {
            var tick = Event.tick(received: timestamp)
            tick.record = UInt32(truncatingIfNeeded: batch.records)
            batch.events.append(tick)
        }
        batch.records += 1
    }
}
