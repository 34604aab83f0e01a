import Foundation
import ReferenceFold
import Testing

@testable import Engine

/// The engine against the naive fold, on random fleets.
///
/// A failing seed is printed with its records; it runs again with `ENGINE_SEED=kind:seed`. How many seeds are tried
/// is set by `ENGINE_SEEDS` (default 100 a kind).
@Suite struct ReferenceTests {
    static let seeds: Int = ProcessInfo.processInfo.environment["ENGINE_SEEDS"].flatMap { Int($0) } ?? 100

    @Test(arguments: RandomFleet.Kind.allCases)
    func everyFigureEqualsTheNaiveFold(kind: RandomFleet.Kind) throws {
        for seed in 1...UInt64(Self.seeds) {
            try compare(RandomFleet(seed: seed, kind: kind), "\(kind.rawValue):\(seed)")
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["ENGINE_SEED"] != nil))
    func oneSeed() throws {
        let parts = try #require(ProcessInfo.processInfo.environment["ENGINE_SEED"]).split(separator: ":")
        let kind = try #require(RandomFleet.Kind(rawValue: String(parts[0])))
        let fleet = RandomFleet(seed: try #require(UInt64(parts[1])), kind: kind)
        for record in fleet.records { print(String(decoding: record, as: UTF8.self)) }
        try compare(fleet, "\(parts)")
    }

    private func compare(_ fleet: RandomFleet, _ name: String) throws {
        let expected = try ReferenceFold(settings: fleet.settings).fold([.init(records: fleet.records)])
        let found = try Folding.rows([fleet.records], settings: fleet.settings)
        let difference = Comparison.firstDifference(expected: expected.rows, records: found)
        #expect(difference == nil, "\(name), settings \(fleet.settings)")
    }

    /// However the input is cut into epochs and batches, the final records are the same bytes.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func theCutOfEpochsChangesNoByte(seed: UInt64) throws {
        for kind in RandomFleet.Kind.allCases {
            let fleet = RandomFleet(seed: seed, kind: kind)
            let whole = try Folding.rows([fleet.records], settings: fleet.settings)
            for cut in [1, 3, 7] {
                #expect(try Folding.rows([fleet.records], settings: fleet.settings, cut: cut) == whole, "seed \(seed)")
            }
        }
    }
}
