import Engine
import Foundation
import Lifecycle
import Settings
import Testing

/// Memory is bounded, whatever ids a source makes up: each kind in a process of its own, whose memory is measured.
@Suite(.serialized) struct BoundTests {
    @Test func endlessScenesActivitiesAndViews() async {
        await #expect(processExitsWith: .success) {
            Flood.mustNotGrow { "\"event\":\"sceneDidBecomeActive\",\"scope\":\"scene\",\"instance\":\"i\($0)\"" }
            Flood.mustNotGrow {
                "\"event\":\"onStart\",\"scope\":\"activity\",\"instance\":\"i\($0)\",\"class\":\"c\($0)\""
            }
            Flood.mustNotGrow {
                "\"event\":\"viewWillAppear\",\"scope\":\"view\",\"instance\":\"i\($0)\",\"class\":\"c\($0)\""
            }
        }
    }

    @Test func endlessProcessesBootsAndSessions() async {
        await #expect(processExitsWith: .success) {
            Flood.mustNotGrow { "\"event\":\"heartbeat\",\"process_id\":\"p\($0)\"" }
            Flood.mustNotGrow { "\"event\":\"didBecomeActive\",\"boot_id\":\"b\($0)\",\"mono_ms\":\($0)" }
            Flood.mustNotGrow { "\"event\":\"heartbeat\",\"session_id\":\"s\($0)\",\"event_id\":\"e\($0)\"" }
        }
    }

    @Test func endlessUnknownNamesAndResourcesOfInstances() async {
        await #expect(processExitsWith: .success) {
            Flood.mustNotGrow { "\"event\":\"tapped_\($0)\"" }
            Flood.mustNotGrow { "\"event\":\"resourceStart\",\"resource\":\"camera\",\"instance\":\"i\($0)\"" }
        }
    }

    /// What waits for a number that never comes is given up, not kept.
    @Test func endlessGapsInTheNumbers() async {
        await #expect(processExitsWith: .success) {
            Flood.mustNotGrow { "\"event\":\"heartbeat\",\"seq\":\($0 * 2)" }
        }
    }

    /// What is counted without being able to fail must be seen to fail: endless devices do grow.
    @Test func endlessDevicesAreNoticed() async {
        await #expect(processExitsWith: .failure) {
            Flood.mustNotGrow(device: "d") { "\"event\":\"heartbeat\",\"instance\":\"\($0)\"" }
        }
    }
}

private enum Flood {
    static let events = 40_000
    /// Bytes that the process may grow by, of which a state for each event would take several times as much.
    static let limit = 3 << 20

    /// Ends the process where the second half of the events makes it grow.
    ///
    /// - Parameter device: where given, each event is of a device of its own.
    static func mustNotGrow(device: String? = nil, _ fields: (Int) -> String) {
        guard let settings = try? Settings(["window.sizes": "400d", "group.by": "app_id"]) else { exit(2) }
        let engine = PartitionEngine(EngineSettings(settings, replays: true))
        func feed(_ range: Range<Int>) {
            for number in range {
                let id = device.map { "\($0)\(number)" } ?? "d"
                let time = 1_767_225_600_000 + number
                let text =
                    "{\"device_id\":\"\(id)\",\"app_id\":\"a\",\"ts\":\(time),\"rx_ts\":\(time),\(fields(number))}"
                let record = Array(text.utf8)
                engine.ingest(unsafe record.span.bytes, key: nil, timestamp: Event.absent)
            }
            engine.process()
        }
        feed(1..<events)
        let before = residentBytes()
        feed(events..<(events * 2))
        let growth = residentBytes() - before
        guard growth <= limit else {
            FileHandle.standardError.write(Data("grew by \(growth) bytes\n".utf8))
            exit(1)
        }
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }
}
