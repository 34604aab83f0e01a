import Foundation
import Testing

@testable import phasefold

@Suite struct ReplayTests {
    static func event(_ device: String, _ name: String, _ second: Int, extra: String = "") -> String {
        let time = 1_700_000_000_000 + second * 1000
        return "{\"device_id\":\"\(device)\",\"app_id\":\"a\",\"event\":\"\(name)\","
            + "\"ts\":\(time),\"rx_ts\":\(time)\(extra)}"
    }

    /// A cold launch of 1 s, 9 s active, 2 s on the way out.
    static func visit(_ device: String, from second: Int = 0) -> String {
        let steps = [("launch", 0), ("didBecomeActive", 1), ("willResignActive", 10), ("didEnterBackground", 12)]
        return steps.map { event(device, $0.0, second + $0.1) + "\n" }.joined()
    }

    @Test func theFinalRecordsComeOut() throws {
        let result = try Executable.run("replay", "-w", "1h", "-g", "app_id", "-", input: ReplayTests.visit("d"))
        #expect(result.status == 0)
        #expect(result.err.isEmpty)
        #expect(result.lines.count == 1)
        let row = try #require(
            try JSONSerialization.jsonObject(with: Data(result.lines.first ?? "")) as? [String: Any])
        #expect(row["events"] as? Int == 4)
        #expect(row["launches_cold"] as? Int == 1)
        #expect((row["launch_cold"] as? [String: Any])?["sum_ms"] as? Int == 1000)
        #expect((row["inactive"] as? [String: Any])?["sum_ms"] as? Int == 3000)
        #expect(row["window_ms"] as? Int == 3_600_000)
        #expect(row["final"] as? Bool == true)
    }

    @Test func filesAreAddedAndRecordsAreSortedByKey() throws {
        let files = try [TemporaryFile(ReplayTests.visit("d")), TemporaryFile(ReplayTests.visit("e", from: 600))]
        let result = try Executable.run(list: ["replay", "-w", "1m,1h", "-g", "app_id"] + files.map(\.path))
        #expect(result.status == 0)
        let starts = result.lines.compactMap { $0.split(separator: "\"").dropFirst(5).first }
        #expect(starts == starts.sorted() && starts.count == 3)
        #expect(result.lines.contains { $0.contains("\"devices\":2,") && $0.contains("\"events\":8,") })
    }

    @Test func anInstallationInTwoFilesIsASplitKey() throws {
        let files = try [TemporaryFile(ReplayTests.visit("d")), TemporaryFile(ReplayTests.visit("d", from: 60))]
        let split = try Executable.run(list: ["replay", "-w", "1h", "-g", "app_id"] + files.map(\.path))
        #expect(split.lines.contains { $0.contains("\"split_key\":1") })
        let whole = try Executable.run("replay", "-w", "1h", "-g", "app_id", "-", input: ReplayTests.visit("d"))
        #expect(!whole.out.contains("split_key"))
    }

    @Test func groupsBeyondTheLimitAreSaid() throws {
        let input = ["1", "2", "3"].map { ReplayTests.event($0, "heartbeat", 0, extra: ",\"app_version\":\"\($0)\"") }
            .joined(separator: "\n")
        let limited = try Executable.run("replay", "--set", "group.limit=2", "-", input: input)
        #expect(limited.status == 0 && limited.lines.contains { $0.contains("__other__") })
        #expect(limited.err == "phasefold: replay: groups beyond 2 a window are in __other__; raise group.limit\n")
        #expect(try Executable.run("replay", "--set", "group.limit=3", "-", input: input).err.isEmpty)
    }

    @Test func instancesBeyondTheLimitAreSaid() throws {
        let input = (0..<5).map { number in
            ReplayTests.event("d", "viewDidAppear", number, extra: ",\"scope\":\"view\",\"instance\":\"\(number)\"")
        }.joined(separator: "\n")
        let limited = try Executable.run("replay", "--set", "instances.limit=3", "-", input: input)
        #expect(
            limited.err == """
                phasefold: replay: 2 scenes, activities, views or resources beyond 3 of an installation are forgotten; \
                raise instances.limit

                """)
        #expect(try Executable.run("replay", "--set", "instances.limit=5", "-", input: input).err.isEmpty)
    }

    @Test func whatCannotBeReadIsCountedAndTheStatusStays() throws {
        let input = "{\"a\":1}\nfoo\n\n" + ReplayTests.visit("d") + "bar\n"
        let result = try Executable.run("replay", "-", input: input)
        #expect(result.status == 0)
        #expect(
            result.err == """
                phasefold: replay: 2 events or records not read: invalid_json, first in standard input, record 2
                phasefold: replay: 1 event or record not read: missing_device_id, first in standard input, record 1

                """)
        #expect(!result.out.isEmpty)
    }

    @Test func theSummaryFitsTheTerminal() throws {
        let input = (0..<20).map { ReplayTests.visit("d\($0)", from: $0) }.joined()
        let result = try Executable.run("replay", "--summary", "-", input: input)
        #expect(result.status == 0)
        #expect(result.lines.allSatisfy { $0.count <= 80 })
        #expect(result.lines.first == "events   80 folded")
        #expect(result.lines.contains("devices  20"))
        #expect(result.lines.contains { $0.hasPrefix("launch_cold ") && $0.contains(" 1.00 s ") })
        #expect(result.lines.contains { $0.hasPrefix("inactive: departure ") && $0.hasSuffix(" 2.00 s") })
    }

    @Test func androidsOwnLaunchTimesStandBesideTheMeasuredOnes() throws {
        let input = """
            10-22 18:40:00.100  1810  2045 I am_proc_start: [0,8803,10263,com.example.app,next-top-activity,{a/b}]
            10-22 18:40:00.400  8803  8803 I wm_on_create_called: [231348670,com.example.Main,performCreate,212]
            10-22 18:40:00.650  8803  8803 I wm_on_resume_called: [231348670,com.example.Main,RESUME_ACTIVITY,2]
            10-22 18:40:01.000  1810  2045 I wm_activity_launch_time: [0,231348670,com.example.app/.Main,900]

            """
        let result = try Executable.run("replay", "-S", "--set", "logcat.year=2023", "-", input: input)
        #expect(result.lines.contains { $0.hasPrefix("launch_cold  ") && $0.hasSuffix(" 462 ms") })
        #expect(result.lines.contains { $0.hasPrefix("launch (Android log)  ") && $0.hasSuffix(" 900 ms") })
    }

    static let mistakes: [([String], Int32, String)] = [
        (["replay"], 64, "replay: needs FILE..., or - for standard input"),
        (["replay", "-", "-"], 64, "replay: - is standard input, which can be read only once"),
        (
            ["replay", "/nonexistent/x"], 65,
            "/nonexistent/x cannot be read: No such file or directory; give files of events"
        ),
        (["replay", "/"], 65, "/ cannot be read: Is a directory; give files of events"),
        (
            ["replay", "--format", "jsn", "-"], 78,
            "--format: input.format: \"jsn\" is unknown; did you mean json? "
                + "It takes: auto, json, otlp_json, otlp_proto, logcat"
        ),
    ]

    @Test(arguments: mistakes)
    func aMistakeGetsOneLineAndItsStatus(arguments: [String], status: Int32, line: String) throws {
        let result = try Executable.run(list: arguments)
        #expect(result.status == status)
        #expect(result.out.isEmpty)
        #expect(result.err == "phasefold: \(line)\n")
    }

    @Test func anInterruptEndsItByItsSignal() throws {
        let result = try Executable.shell(
            """
            "$0" replay - < <(exec sleep 10) & pid=$!
            sleep 2; kill -INT $pid; wait $pid; echo $?
            """)
        #expect(result.lines == ["130"])
        #expect(result.err.isEmpty)
    }
}

@Suite struct MergedDurationsTests {
    func summary(_ values: [Int], scale: Int, offset: Int, counts: [Int], zeros: Int = 0) -> [String: Any] {
        [
            "count": values.count, "sum_ms": values.reduce(0, +), "min_ms": values.min() ?? 0,
            "max_ms": values.max() ?? 0,
            "histogram": ["scale": scale, "zero_count": zeros, "offset": offset, "counts": counts] as [String: Any],
        ]
    }

    @Test func quantilesOfWhatWasPutTogether() throws {
        var merged = MergedDurations()
        #expect(merged.quantile(0.5) == nil)
        merged.add(summary([1, 2, 4], scale: 0, offset: -1, counts: [1, 1, 1]))
        merged.add(summary([0, 8], scale: 1, offset: 5, counts: [1], zeros: 1))
        #expect(merged.count == 5 && merged.sum == 15 && merged.most == 8)
        #expect(merged.quantile(0.2) == 0)
        let expected: [(Double, Double)] = [(0.4, exp2(-0.5)), (0.6, exp2(0.5)), (0.8, exp2(1.5)), (1, exp2(2.5))]
        for (share, value) in expected {
            let found = try #require(merged.quantile(share))
            #expect(abs(found - min(max(value, 0), 8)) < 1e-9)
        }
    }

    @Test func theCoarserScaleCounts() throws {
        var merged = MergedDurations()
        merged.add(summary([1000], scale: 5, offset: 318, counts: [1]))
        merged.add(summary([1000], scale: 3, offset: 79, counts: [1]))
        let found = try #require(merged.quantile(0.5))
        #expect(found == 1000)
    }
}
