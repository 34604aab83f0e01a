package import Lifecycle

/// Sums contributions per window and group between two commits: what a fold task gives to stage 2.
///
/// Owned by one task and touched on its queue alone.
package struct Combiner: ~Copyable {
    package let settings: AggregateSettings
    package private(set) var statistics = Statistics()

    package struct Statistics: Sendable, Equatable {
        /// Windows and groups that hold figures now.
        package var cells = 0
        /// Contributions whose windows were all final.
        package var expired = 0
        /// Events folded in order whose windows of all sizes were final.
        package var late = 0
        /// Contributions that went to `__other__` because the window had its groups.
        package var overLimit = 0
        /// Contributions that can mean nothing, such as a negative duration.
        package var malformed = 0
    }

    package init(_ settings: AggregateSettings) {
        self.settings = settings
    }

    /// Nothing was gathered since the last ``closeEpoch(source:watermark:lexicon:into:)``.
    package var isEmpty: Bool { statistics.cells == 0 }

    /// So much was gathered that the epoch should be closed before its time.
    package var isFull: Bool { statistics.cells >= Self.cellLimit }

    /// Cells of one epoch after which ``isFull`` asks for its end.
    package static let cellLimit = 1 << 18

    /// Adds contributions, whose ids are those of `lexicon`.
    package mutating func add(_ contributions: Span<Contribution>, lexicon: borrowing Lexicon) {
    }

    /// Packs what was gathered into one partial record per window and group, appended to `records`, and clears it.
    ///
    /// - Parameters:
    ///   - source: the input partition that was folded.
    ///   - watermark: its stream time, ms since the epoch; `Int64.min` where there is none yet.
    package mutating func closeEpoch(
        source: SourcePartition, watermark: Int64, lexicon: borrowing Lexicon, into records: inout RecordBatch
    ) {
    }

    /// Appends a record that carries the watermark alone, to be sent to every partition of the partials that would
    /// not hear of it otherwise.
    package static func appendWatermark(source: SourcePartition, watermark: Int64, to records: inout RecordBatch) {
    }
}
