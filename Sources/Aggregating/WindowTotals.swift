package import Lifecycle

/// Stage 2: the totals of the open windows over all source partitions, each final once.
///
/// Owned by one task and touched on its queue alone.
package struct WindowTotals: ~Copyable {
    package let settings: AggregateSettings
    package private(set) var statistics = Statistics()
    /// The smallest watermark over all source partitions, ms since the epoch; `Int64.min` before all have one.
    /// It never goes back.
    package private(set) var watermark = Int64.min

    package struct Statistics: Sendable, Equatable {
        /// Windows and groups that are open now.
        package var cells = 0
        /// Open windows now.
        package var windows = 0
        /// Partials that came for a final window and were dropped.
        package var droppedPartials = 0
        /// Partials that went to `__other__` because the window had its groups.
        package var overLimit = 0
        /// Windows and groups made final.
        package var finals = 0
    }

    /// - Parameter sources: every input partition; one that is missing from it moves no watermark.
    package init(_ settings: AggregateSettings, sources: some Sequence<SourcePartition>) {
        self.settings = settings
    }

    /// Partitions were added or taken away.
    package mutating func setSources(_ sources: some Sequence<SourcePartition>) {
    }

    /// Takes the value of one record of the partials.
    package mutating func take(_ partial: RawSpan) throws(PackedError) {
    }

    /// Takes what `combiner` gathered, without packing it, and clears it there: for `replay`.
    package mutating func take(_ combiner: inout Combiner, lexicon: borrowing Lexicon) {
    }

    /// Ends a commit: the changed windows' new revisions (``EmissionMode/updates``) and the final records of the
    /// windows that the watermark has passed.
    ///
    /// - Parameters:
    ///   - rows: the output records are appended here.
    ///   - checkpoint: what ``restore(_:)`` needs of the changes is appended here, a tombstone for each window that
    ///     is over; keyed like the rows.
    package mutating func emit(into rows: inout RecordBatch, checkpoint: inout RecordBatch) {
    }

    /// The end of all input: every window is final. Rows are sorted by key.
    package mutating func finish(into rows: inout RecordBatch) {
    }

    /// Takes back the value of one record of the checkpoint.
    package mutating func restore(_ value: RawSpan) throws(PackedError) {
    }
}
