import Lifecycle
import Testing

@testable import Fleet

@Suite struct FleetTests {
    /// Pulls everything; `lines` a batch.
    static func run(
        _ options: FleetOptions, truth: Truth.Shape? = nil, lines: Int = 4096
    ) -> (text: [UInt8], received: [Int64], truth: Truth?) {
        var fleet = Fleet(options, truth: truth)
        var batch = LineBatch(lines: lines)
        var text: [UInt8] = []
        var received: [Int64] = []
        while fleet.fill(&batch) {
            batch.withText { span in
                for index in 0..<span.byteCount {
                    text.append(unsafe span.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self))
                }
            }
            received += batch.lines.map(\.received)
            batch.removeAll()
        }
        fleet.finish()
        return (text, received, fleet.truth)
    }

    static func small(_ seed: UInt64) -> FleetOptions {
        var options = FleetOptions()
        options.devices = 50
        options.seed = seed
        return options
    }

    /// Held bytes of one seed: they must come out on every machine, whatever changes around them.
    @Test func sameSeedSameBytes() {
        var options = Self.small(7)
        options.fields = [.sequence, .process, .monotonic, .sent, .received]
        let text = Self.run(options).text
        let hash = text.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
        #expect(text.count == 855_303)
        #expect(hash == 5_095_496_013_286_385_798)
    }

    @Test(arguments: [[], .all] as [Faults])
    func batchesDoNotMatter(faults: Faults) {
        var options = Self.small(3)
        options.faults = faults
        let whole = Self.run(options, truth: Truth.Shape())
        let single = Self.run(options, truth: Truth.Shape(), lines: 1)
        #expect(whole.text == single.text)
        #expect(whole.truth?.lines() == single.truth?.lines())
    }

    @Test func aTruthChangesNoByte() {
        var options = Self.small(8)
        options.faults = .all
        #expect(Self.run(options).text == Self.run(options, truth: Truth.Shape()).text)
    }

    @Test func devicesComeOneAfterTheOther() {
        var options = Self.small(6)
        options.faults = .all
        options.order = .device
        let run = Self.run(options, truth: Truth.Shape())
        let devices = String(decoding: run.text, as: UTF8.self).split(separator: "\n").map { line in
            line.split(separator: "\"").drop { $0 != "device_id" }.dropFirst(2).first.map(String.init) ?? ""
        }
        #expect(!String(decoding: run.text, as: UTF8.self).contains("rx_ts"))
        let turns = zip(devices, devices.dropFirst()).filter { $0 != $1 }.count + 1
        #expect(turns == Set(devices).count)
        #expect(turns > 40)
    }

    @Test func faultsAreAskedForByName() {
        #expect(Faults.parse("lost, late") == .success([.lost, .late]))
        #expect(Faults.parse("all") == .success(.all))
        #expect(Faults.parse("none") == .success([]))
        #expect(Faults.parse("lost,lighting") == .failure(Faults.UnknownFault(name: "lighting")))
    }

    @Test func anotherSeedIsAnotherFleet() {
        #expect(Self.run(Self.small(1)).text != Self.run(Self.small(2)).text)
    }

    @Test(arguments: [1, 2, 3] as [UInt64], [[], .all] as [Faults])
    func linesComeInTheOrderOfReceiving(seed: UInt64, faults: Faults) {
        var options = Self.small(seed)
        options.faults = faults
        let received = Self.run(options).received
        #expect(received.count > 200)
        #expect(zip(received, received.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func aLimitCutsTheSameStream() {
        var options = Self.small(5)
        let whole = Self.run(options)
        options.events = 100
        let part = Self.run(options, truth: Truth.Shape())
        #expect(part.received.count == 100)
        #expect(whole.text.starts(with: part.text))
        let sum = part.truth?.sum()
        #expect((sum?.events ?? 0) + (sum?.eventsOther ?? 0) == 100)
    }

    @Test func recordsNameTheirDevice() {
        var fleet = Fleet(Self.small(1))
        var batch = LineBatch()
        let isMore = fleet.fill(&batch)
        let count = batch.count
        #expect(isMore && count > 200)
        for line in batch.lines {
            batch.withRecord(line) { value, key in
                let text = String(decoding: Self.bytes(value), as: UTF8.self)
                let device = String(decoding: Self.bytes(key), as: UTF8.self)
                #expect(text.contains("\"device_id\":\"\(device)\""))
                #expect(text.first == "{" && text.last == "}")
            }
        }
    }

    static func bytes(_ span: RawSpan) -> [UInt8] {
        (0..<span.byteCount).map { unsafe span.unsafeLoad(fromUncheckedByteOffset: $0, as: UInt8.self) }
    }
}
