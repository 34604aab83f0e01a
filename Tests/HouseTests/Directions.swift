/// Which target may import which, bottom up: the direction of the data and of knowledge.
///
/// A target imports lower levels only and never its neighbour; only ``Worker`` knows the order of the stages.
enum Directions {
    struct Row {
        var level: Int
        var target: String
        var mayImport: Set<String>
    }

    private static let stages: Set<String> = ["Decoding", "Folding", "Aggregating", "Checkpointing"]
    private static let words: Set<String> = ["Lifecycle", "Settings", "Metering"]

    static let rows: [Row] = [
        Row(level: 0, target: "CRDKafka", mayImport: []),
        Row(level: 0, target: "CMicroHTTPD", mayImport: []),
        Row(level: 0, target: "CZstd", mayImport: []),
        Row(level: 0, target: "CSimdJSON", mayImport: []),
        Row(level: 0, target: "CPrefetch", mayImport: []),
        Row(level: 0, target: "CAssets", mayImport: []),
        Row(level: 0, target: "CAllocator", mayImport: []),
        Row(level: 1, target: "Lifecycle", mayImport: []),
        Row(level: 1, target: "Settings", mayImport: []),
        Row(level: 1, target: "Metering", mayImport: []),
        Row(level: 2, target: "Decoding", mayImport: ["Lifecycle", "CSimdJSON"]),
        Row(level: 2, target: "Folding", mayImport: ["Lifecycle", "CPrefetch"]),
        Row(level: 2, target: "Aggregating", mayImport: ["Lifecycle"]),
        Row(level: 2, target: "Checkpointing", mayImport: ["Lifecycle", "CZstd"]),
        Row(level: 2, target: "Kafka", mayImport: ["CRDKafka"]),
        Row(level: 2, target: "Serving", mayImport: ["CMicroHTTPD", "CAssets", "Metering"]),
        Row(level: 3, target: "Engine", mayImport: words.union(stages).union(["CPrefetch"])),
        Row(level: 3, target: "Fleet", mayImport: ["Lifecycle"]),
        Row(level: 4, target: "Worker", mayImport: words.union(stages).union(["Kafka", "Serving", "Engine", "Fleet"])),
        Row(
            level: 5, target: "phasefold",
            mayImport: words.union(["Aggregating", "Decoding", "Engine", "Fleet", "Worker"])),
    ]

    /// Modules of the system, open to every target.
    static let system: Set<String> = ["Swift", "Glibc", "Dispatch", "Synchronization", "Foundation"]

    /// What a file of `target` may import.
    static func allowed(for target: String) -> Set<String>? {
        rows.first { $0.target == target }.map { $0.mayImport.union(system) }
    }
}
