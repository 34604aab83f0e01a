// swift-tools-version: 6.2
// The targets below stand bottom up: a target imports only what stands above it in this file, and a stage
// never imports its neighbour. Tests/HouseTests reads the sources and holds them to this table.
import PackageDescription

/// Settings of every Swift target: language mode 6, memory safety spelled out, no warning left standing.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // An event passes five modules: small functions are inlined across them in a release.
    .unsafeFlags(["-cross-module-optimization", "-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The fuzzer needs libFuzzer's entry and is built only where `Tests/Fuzz/run` asks for it.
let fuzzer: [Target] =
    Context.environment["PHASEFOLD_FUZZER"] == nil
    ? []
    : [
        .executableTarget(
            name: "fuzzer",
            dependencies: ["Lifecycle", "Settings", "Decoding", "Aggregating", "Checkpointing", "Engine"],
            path: "Tests/Fuzz", exclude: ["run", "corpus"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    ]

let package = Package(
    name: "phasefold",
    products: [
        // The allocator stands beside the executable, not below it: tests have glibc's.
        .executable(name: "phasefold", targets: ["phasefold", "CAllocator"]),
        // The same with glibc's, and with the program's.
        .executable(name: "bare-consumer", targets: ["bare-consumer"]),
        .executable(name: "bare-consumer-tcmalloc", targets: ["bare-consumer", "CAllocator"]),
    ],
    targets: [
        // Level 0: C faces.
        .target(
            name: "CSimdJSON",
            linkerSettings: [.linkedLibrary("simdjson")]),
        .systemLibrary(name: "CPrefetch"),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CRDKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .target(name: "CAllocator", linkerSettings: [.linkedLibrary("tcmalloc_minimal")]),
        // Pages, embedded: a change of one builds the target anew.
        .target(name: "CAssets", exclude: ["live.html"]),

        // Level 1: the words of the domain; no I/O, no clock.
        library("Lifecycle"),
        // Level 1: the option table, properties, environment, units, diagnosis.
        library("Settings"),
        // Level 1: counters, gauges, Prometheus text, log lines.
        library("Metering"),

        // Level 2: the stages; none knows another.
        library("Decoding", ["Lifecycle", "CSimdJSON"]),
        library("Folding", ["Lifecycle", "CPrefetch"]),
        library("Aggregating", ["Lifecycle"]),
        library("Checkpointing", ["Lifecycle", "CZstd"]),
        library("Kafka", ["CRDKafka"]),
        library("Serving", ["CMicroHTTPD", "CAssets", "Metering"]),

        // Level 3: what knows several stages, and a world to try them in.
        library(
            "Engine",
            ["Lifecycle", "Settings", "Decoding", "Folding", "Aggregating", "Checkpointing", "CPrefetch"]),
        library("Fleet", ["Lifecycle"]),
        // Level 4: the only one that knows the order of the stages.
        library(
            "Worker",
            [
                "Lifecycle", "Settings", "Metering", "Decoding", "Folding", "Aggregating", "Checkpointing", "Kafka",
                "Serving", "Engine",
            ]),
        // Level 5: the executable.
        .executableTarget(
            name: "phasefold",
            dependencies: [
                "Lifecycle", "Settings", "Metering", "Decoding", "Aggregating", "Engine", "Fleet", "Worker",
            ],
            swiftSettings: strict),

        // What is measured, and the floors that it is held to: `deploy/bootstrap bench`.
        .target(name: "CReferenceCount", path: "Benchmarks/CReferenceCount"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Lifecycle", "Decoding", "Folding", "Aggregating", "Checkpointing", "Engine", "Fleet", "Kafka",
                "CRDKafka", "CAllocationCount", "CReferenceCount", "BrokerSupport",
            ],
            path: "Benchmarks/benchmarks", swiftSettings: strict),
        .executableTarget(
            name: "bare-consumer", dependencies: ["CRDKafka"], path: "Benchmarks/bare-consumer",
            swiftSettings: strict),

        // A naive reading of the specification, the oracle of property tests: it shares no code with the engine.
        .target(name: "ReferenceFold", path: "Tests/Support/ReferenceFold", swiftSettings: strict),
        .executableTarget(
            name: "reference-replay", dependencies: ["ReferenceFold"], path: "Tests/Support/ReferenceReplay",
            swiftSettings: strict),

        // A cluster as a client sees it, in virtual time: pure, and without a line of librdkafka. Optimised in any
        // build: a simulation asks it thousands of times a second of virtual time.
        .target(
            name: "BrokerModel", path: "Tests/Support/BrokerModel", swiftSettings: strict + [.unsafeFlags(["-O"])]),
        tests("BrokerModelTests", ["BrokerModel", "Fleet"]),

        // Tests mirror targets.
        // The rules of the house, read from the sources.
        tests("HouseTests", []),
        tests("ReferenceFoldTests", ["ReferenceFold"]),
        tests("LifecycleTests", ["Lifecycle"]),
        .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
        tests("DecodingTests", ["Decoding", "Lifecycle", "CAllocationCount"]),
        tests("SettingsTests", ["Settings"]),
        tests("MeteringTests", ["Metering"]),
        tests("phasefoldTests", ["phasefold"]),
        tests("FoldingTests", ["Folding", "Lifecycle"]),
        tests(
            "EngineTests", ["Engine", "Lifecycle", "Settings", "Aggregating", "Checkpointing", "ReferenceFold"]),
        tests("CheckpointingTests", ["Checkpointing", "Lifecycle"]),
        tests("AggregatingTests", ["Aggregating", "Lifecycle"]),
        tests(
            "FleetTests",
            ["Fleet", "Lifecycle", "Settings", "Decoding", "Aggregating", "Engine", "ReferenceFold"]),
        tests("ServingTests", ["Serving", "Metering"]),
        tests("KafkaTests", ["Kafka", "CRDKafka", "BrokerSupport"]),
        tests(
            "WorkerTests",
            [
                "Worker", "Kafka", "Lifecycle", "Settings", "Metering", "Aggregating", "Checkpointing", "Engine",
                "BrokerSupport", "phasefold",
            ]),
        // Workers over the model of a cluster, under a time of their own: a seed is a run.
        .executableTarget(
            name: "delivery-simulation",
            dependencies: [
                "BrokerModel", "Worker", "Kafka", "Engine", "Decoding", "Aggregating", "Checkpointing", "Lifecycle",
                "Settings", "Metering",
            ],
            path: "Tests/Support/Simulation", swiftSettings: strict),
        tests("SimulationTests", ["delivery-simulation"]),
        .target(name: "BrokerSupport", dependencies: ["Kafka"], path: "Tests/BrokerSupport", swiftSettings: strict),
    ] + fuzzer,
    cxxLanguageStandard: .cxx17
)
