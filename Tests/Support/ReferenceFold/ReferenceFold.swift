/// The specification, read as plainly as can be: one event at a time, in dictionaries. Slow, and the oracle of the
/// property tests, for it shares nothing with the engine but the text that both were written from.
package struct ReferenceFold {
    private let options: Options

    /// - Throws: ``BadOption`` where a value cannot be read.
    package init(settings: [String: String]) throws(BadOption) {
        options = try Options(settings)
    }

    /// What a fold gives: final records sorted by key, and how many records or events could not be read, by code.
    package struct Result: Sendable {
        package let rows: [Row]
        package let rejected: [String: Int]
    }

    /// One partition: a file and its lines, or a topic's partition and its records.
    package struct Input: Sendable {
        package let name: String
        package let records: [[UInt8]]

        package init(name: String = "-", records: [[UInt8]]) {
            self.name = name
            self.records = records
        }
    }

    /// Folds partitions, each on its own, into one total.
    package func fold(_ inputs: [Input]) -> Result {
        let totals = Totals(options: options)
        var rejected: [String: Int] = [:]
        for input in inputs {
            let partition = Partition(totals: totals, name: input.name)
            for record in input.records { partition.fold(record: record) }
            partition.endInput()
            rejected.merge(partition.rejected, uniquingKeysWith: +)
        }
        let rows = totals.tallies.map { Row($0.key, $0.value, options) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return Result(rows: rows, rejected: rejected)
    }
}
