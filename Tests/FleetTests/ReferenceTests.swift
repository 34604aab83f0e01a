import Foundation
import ReferenceFold
import Testing

@testable import Fleet

/// Two that know nothing of each other must come to the same figures, in each window and group: the devices, from
/// what they lived through, and the reference fold, from the events that they sent.
@Suite struct ReferenceTests {
    struct Case: CustomTestStringConvertible {
        var seed: UInt64
        var faults: Faults = []
        var fields: FleetOptions.Fields = .standard
        var order = FleetOptions.Order.received
        var sources = FleetOptions.Source.allCases

        var options: FleetOptions {
            var options = FleetOptions()
            options.seed = seed
            options.faults = faults
            options.fields = fields
            options.order = order
            options.mix = sources.map { FleetOptions.Share($0, 1) }
            return options
        }

        var testDescription: String {
            "seed \(seed), faults \(faults.rawValue), fields \(fields.rawValue), \(order), \(sources)"
        }
    }

    static let cases: [Case] = [
        Case(seed: 1), Case(seed: 2, fields: [.received]), Case(seed: 3, order: .device),
        Case(seed: 4, faults: [.lost, .crashes]), Case(seed: 5, faults: [.reorder, .duplicates]),
        Case(seed: 6, faults: [.late, .silence]), Case(seed: 7, faults: [.skew]),
        Case(seed: 8, faults: .all), Case(seed: 9, faults: .all, fields: [.sequence, .received]),
        Case(seed: 10, faults: .all, fields: [.sequence, .process, .monotonic, .sent, .received]),
        Case(seed: 11, faults: .all, fields: [.received]), Case(seed: 12, faults: .all, order: .device),
        Case(seed: 13, faults: .all, sources: [.appDelegate, .processLifecycle]),
        Case(seed: 14, faults: .all, sources: [.scenes]), Case(seed: 15, faults: .all, sources: [.activities]),
    ]

    @Test(arguments: cases)
    func truthIsWhatAFoldFinds(_ one: Case) throws {
        var options = one.options
        options.devices = 40
        options.duration = 6 * 3_600_000
        let run = FleetTests.run(options, truth: Truth.Shape())
        let records = run.text.split(separator: UInt8(ascii: "\n")).map { [UInt8]($0) }
        let fold = try ReferenceFold(settings: ["group.by": "app_id,platform,app_version", "window.sizes": "1m"])
        let found = fold.fold([ReferenceFold.Input(records: records)])
        #expect(found.rejected.isEmpty)
        Self.expectSame(run.truth?.lines() ?? [], found.rows.map { Self.withoutSketch($0.json) })
    }

    /// Shows the first record that differs.
    static func expectSame(_ truth: [String], _ fold: [String], atLeast rows: Int = 50) {
        #expect(truth.count >= rows && truth.count == fold.count)
        for (mine, theirs) in zip(truth, fold) where mine != theirs {
            Issue.record("truth \(mine)\nfold  \(theirs)")
            return
        }
    }

    /// A record without `devices_hll`: the truth counts devices and needs no sketch.
    static func withoutSketch(_ record: String) -> String {
        guard let name = record.range(of: ",\"devices_hll\":\""),
            let end = record[name.upperBound...].firstIndex(of: "\"")
        else { return record }
        return String(record[..<name.lowerBound] + record[record.index(after: end)...])
    }
}
