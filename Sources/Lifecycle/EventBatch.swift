/// The events of one or more records, in order of arrival: what decoding gives and folding takes.
///
/// Its storage is kept from batch to batch; ``removeAll()`` frees nothing.
@usableFromInline package struct EventBatch: ~Copyable {
    /// The events. Where a record holds none, a ``Edge/tick`` may stand for it.
    package var events: ContiguousArray<Event> = []
    /// What could not be read.
    package var rejections: [Rejection] = []
    /// Events and records of other telemetry, passed over.
    package var otherTelemetry = 0
    /// Records taken in since ``removeAll()``.
    package var records = 0

    package init(capacity: Int = 4096) {
        events.reserveCapacity(capacity)
    }

    package mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        rejections.removeAll(keepingCapacity: true)
        otherTelemetry = 0
        records = 0
    }
}
