@testable import Decoding
import Foundation
import Lifecycle
import Testing

/// Requests made by the messages that the OpenTelemetry project publishes: Tests/Fixtures/otlp.
@Suite struct OTLPFixtureTests {
    static func request(_ name: String) throws -> [UInt8] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/otlp/requests.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
        return [UInt8](try #require(Data(base64Encoded: String(line.dropFirst(name.count + 1)))))
    }

    struct Seen: Equatable, CustomStringConvertible {
        var edge: Edge
        /// ms after the fixtures' start.
        var time: Int64
        var className = ""
        var description: String { "\(edge) \(time) \(className)" }

        init(_ edge: Edge, _ time: Int64, _ className: String = "") {
            self.edge = edge
            self.time = time
            self.className = className
        }

        init(_ event: Event) {
            edge = event.edge
            time = event.time - evening
            className = event.className == StableHash.hash("Main") ? "Main" : event.className == 0 ? "" : "?"
        }
    }

    @Test func logs() throws {
        var bench = Bench { $0.groupBy = Dimension.allCases }
        bench.decode(try Self.request("logs"), key: nil, at: evening + 60_000)
        #expect(bench.codes == [])
        #expect(bench.batch.otherTelemetry == 2)
        let events = Array(bench.batch.events)
        #expect(
            events.map { Seen($0) } == [
                Seen(.activate, 0), Seen(.resign, 2_999), Seen(.activityCreate, 0, "Main"),
                Seen(.activityStart, 100, "Main"), Seen(.activityResume, 200, "Main"), Seen(.exit, 9_000),
            ])
        #expect(events.prefix(2).allSatisfy { $0.installation == key("phone", "com.example.app") })
        #expect(events.dropFirst(2).allSatisfy { $0.installation == key("tablet", "shop/com.example.app") })
        #expect(events.allSatisfy { $0.received == evening + 60_000 && $0.record == 0 })
        #expect(events.map(\.session).prefix(2) == [StableHash.hash("session-1"), StableHash.hash("session-2")])
        #expect(events[0].process == StableHash.hash("process-1"))
        #expect(events[2].process == StableHash.hash("process-2"))
        #expect(events[2].instance == StableHash.hash("17"))
        let dimensions = [events[0], events[2]].map { event in
            Dimension.allCases.map { bench.lexicon.texts[bench.lexicon.groups[event.group][$0]] }
        }
        #expect(dimensions[0] == ["com.example.app", "ios", "4.2", "17.0", "iPhone15,2"])
        #expect(dimensions[1] == ["shop/com.example.app", "android", "7", "", ""])
    }

    @Test func traces() throws {
        var bench = Bench()
        bench.decode(try Self.request("traces"), key: nil)
        #expect(bench.codes == [])
        #expect(bench.batch.otherTelemetry == 2)
        #expect(
            bench.batch.events.map { Seen($0) } == [
                Seen(.launch, 0), Seen(.activityCreate, 100, "Main"), Seen(.activityStart, 200, "Main"),
                Seen(.activityResume, 250, "Main"), Seen(.activityPause, 19_999, "Main"),
                Seen(.processBackground, 30_000), Seen(.activityRestart, 40_000, "Main"),
                Seen(.activityResume, 40_200, "Main"),
            ])
    }

    @Test func metricsAreOtherTelemetry() throws {
        var bench = Bench { $0.format = .otlpProtobuf }
        bench.decode(try Self.request("metrics"), key: nil, at: 9)
        #expect(bench.codes == [])
        #expect(bench.batch.otherTelemetry == 1)
        #expect(bench.batch.events.map(\.edge) == [.tick])
    }

    @Test func spoiltRequestsNeverTrap() throws {
        var mutator = OctetMutator()
        let requests = [try Self.request("logs"), try Self.request("traces"), try Self.request("metrics")]
        var bench = Bench { $0.format = .otlpProtobuf }
        var broken = 0
        for round in 0..<4000 {
            bench.decode(mutator.spoil(requests[round % 3]), key: nil, at: 5)
            let codes = bench.codes
            if codes.contains("invalid_otlp") {
                broken += 1
                #expect(codes.count == 1 && bench.batch.events.map(\.edge) == [.tick], "seed \(mutator.seed)")
                #expect(bench.batch.otherTelemetry == 0, "seed \(mutator.seed)")
            }
            bench.batch.removeAll()
        }
        #expect(broken > 1000)
    }

    @Test func everyCutRequestIsBrokenOrWhole() throws {
        var bench = Bench { $0.format = .otlpProtobuf }
        for name in ["logs", "traces"] {
            let request = try Self.request(name)
            for length in 1..<request.count {
                bench.decode(Array(request.prefix(length)), key: nil)
                #expect(bench.codes == ["invalid_otlp"] || bench.batch.events.count > 1, "\(name) cut at \(length)")
                bench.batch.removeAll()
            }
        }
    }
}
