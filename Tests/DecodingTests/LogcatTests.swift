@testable import Decoding
import Lifecycle
import Testing

@Suite struct LogcatTests {
    // MARK: Which records

    @Test(arguments: [
        ("10-22 18:40:00.000  4001  4001 I wm_on_resume_called: [1,a.b.C,X]", true),
        ("\n  \r\n10-22 18:40:00.123456 1000  4001  4001 I x: y", true),
        ("1712966473.284  4001  4001 I x: y", true),
        ("--------- beginning of events", true),
        ("packageName: com.example.app:236", true),
        ("{\"event\":\"launch\"}", false),
        ("[]", false),
        ("", false),
        ("10-22 18:40:00 4001 4001 I x: y", false),
        ("10-22T18:40:00.000 4001 4001 I x: y", false),
        ("1712966473 4001", false),
        ("13-22 18:40:00.000 4001 4001 I x: y", false),
        ("----", false),
        ("\u{A}\u{12}\u{1}", false),
    ])
    func whatIsALog(text: String, expected: Bool) {
        let bytes = Array(text.utf8)
        let isLogcat = unsafe LogcatDecoder.isLogcat(bytes.span.bytes)
        #expect(isLogcat == expected)
    }

    // MARK: Stamps

    @Test(arguments: [
        ("10-22 18:40:00.000", evening),
        ("10-22 18:40:00.123999", evening + 123),
        ("10-22 20:40:00.000 +0200", evening),
        ("10-22 16:10:00.000 -0230", evening),
        ("2024-10-22 18:40:00.000", evening + 366 * 86_400_000),
        ("1698000000.000", evening),
        ("  1698000000.284999", evening + 284),
        ("02-28 00:00:00.000", 1_677_542_400_000),
    ])
    func times(stamp: String, expected: Int64) {
        let reading = LogcatReading()
        reading.read("\(stamp)  4001  4001 I wm_on_resume_called: [111000111,com.example.app.Main,RESUME_ACTIVITY,0]")
        #expect(reading.events.map(\.time) == [expected])
        #expect(reading.events.first?.received == Event.absent)
    }

    @Test func theYearTurns() {
        let reading = LogcatReading()
        for stamp in ["12-31 23:59:59.000", "01-01 00:00:01.000", "06-30 00:00:00.000", "12-31 00:00:00.000"] {
            reading.read("\(stamp)  4001  4001 I wm_on_resume_called: [111000111,com.example.app.Main,R,0]")
        }
        // Another tag's line tells the year too.
        reading.read("01-01 00:00:00.500  1  1 I sysui: []")
        reading.read("01-02 00:00:00.000  4001  4001 I wm_on_resume_called: [111000111,com.example.app.Main,R,0]")
        let newYear: Int64 = 1_704_067_200_000
        #expect(
            reading.events.map(\.time) == [
                newYear - 1000, newYear + 1000, newYear + 181 * 86_400_000, newYear + 365 * 86_400_000,
                newYear + 367 * 86_400_000,
            ])
    }

    @Test func withoutASetYearTheReceiptTellsIt() {
        let reading = LogcatReading {
            $0.logcatYear = nil
            $0.fileName = nil
        }
        reading.read(line("00.000", 1, "wm_on_resume_called: [2000,a.b.C,R,0]"), key: "d", timestamp: evening + 100)
        #expect(reading.events.map(\.time) == [evening])
        #expect(reading.events.map(\.received) == [evening + 100])
    }

    @Test func yearsOfDays() {
        for year in 1900...2200 {
            #expect(Decoding.year(ofDay: daysSinceEpoch(year: year, month: 1, day: 1)) == year)
            #expect(Decoding.year(ofDay: daysSinceEpoch(year: year, month: 12, day: 31)) == year)
        }
        #expect(daysSinceEpoch(year: 2024, month: 3, day: 1) - daysSinceEpoch(year: 2024, month: 2, day: 28) == 2)
    }

    // MARK: Edges

    @Test func everyCallback() {
        let reading = LogcatReading()
        let names = [
            "create", "start", "restart", "resume", "paused", "stop", "destroy", "top_resumed_gained",
            "top_resumed_lost",
        ]
        for prefix in ["wm_on_", "am_on_"] {
            for name in names { reading.read(line("00.000", 4001, "\(prefix)\(name)_called: [0,com.example.app.A,x]")) }
        }
        let edges: [Edge] = [
            .activityCreate, .activityStart, .activityRestart, .activityResume, .activityPause, .activityStop,
            .activityDestroy, .activityTopResumed, .activityTopLost,
        ]
        #expect(reading.edges == edges + edges)
        #expect(reading.batch.rejections.isEmpty && reading.batch.otherTelemetry == 0)
    }

    @Test(arguments: [
        ("wm_on_paused_called: [2000,a.b.c.D,performPause,7]", "2000", 7_000),
        ("wm_on_paused_called : [2000,a.b.c.D,performPause]", "2000", Event.absent),
        ("wm_on_paused_called: [999,a.b.c.D,performPause]", nil, Event.absent),
        ("wm_on_paused_called: [0,a.b.c.D,performPause,3]", nil, 3_000),
        ("am_on_paused_called: [2000,a.b.c.D,performPause]", nil, Event.absent),
        ("wm_on_paused_called: [Token=5,Component Name=a.b.c.D,Reason=performPause,time=9ms]", "5", 9_000),
        ("wm_on_paused_called: [Token=2000,Component Name=a.b.c.D,Reason=performPause,time=5.2s]", "2000", 5_200_000),
        ("wm_on_paused_called: [Token=2000,Component Name=a.b.c.D,,time=12.345s]", "2000", 12_345_000),
        ("wm_on_paused_called: [Token=2000,Component Name=a.b.c.D,Reason=performPause,time=5s]", "2000", 5_000_000),
        ("am_on_paused_called: [User=0,Component Name=a.b.c.D,Reason=performPause]", nil, Event.absent),
    ])
    func fields(rest: String, token: String?, handler: Int64) {
        let reading = LogcatReading()
        reading.read(line("30.000", 4001, rest))
        let event = reading.events.first
        #expect(event?.instance == token.map { StableHash.hash($0) } ?? 0)
        #expect(event?.handler == handler)
        #expect(event?.className == StableHash.hash("a.b.c.D"))
        #expect(event?.process == StableHash.hash("4001"))
        #expect(event?.installation == key("bugreport.txt", "a.b.c"))
        #expect(event?.reason == TextTable.empty)
        #expect(event?.scope == .activity)
    }

    @Test func anEdgeBeganBeforeItsLineButNotBeforeTheLineBeforeIt() {
        let reading = LogcatReading()
        reading.read([
            line("10.000", 4001, "wm_on_create_called: [2000,com.example.app.A,x,800]"),
            line("10.050", 4002, "wm_on_start_called: [2000,com.example.app.A,x,0]"),
            line("10.060", 4001, "SomeTag: something said within the callback"),
            line("10.100", 4001, "wm_on_start_called: [2000,com.example.app.A,x,500]"),
            line("10.400", 4001, "wm_on_resume_called: [2000,com.example.app.A,x,200]"),
            line("20.000", 4001, "wm_on_paused_called: [2000,com.example.app.A,x,100]"),
            line("05.000", 4001, "wm_on_stop_called: [2000,com.example.app.A,x,1000]"),
        ])
        #expect(
            reading.events.map { $0.time - evening } == [9_200, 10_050, 10_000, 10_400, 19_900, 4_000])
    }

    @Test(arguments: [
        "wm_on_resume_called: [2000,com.example.app.A,RESUME",
        "wm_on_resume_called: 2000,com.example.app.A,RESUME]",
        "wm_on_resume_called: [2000,,RESUME,1]",
        "wm_on_resume_called: [2000]",
        "wm_on_resume_called: []",
        "wm_on_resume_called:",
        "wm_on_resume_called: [token,com.example.app.A,RESUME,1]",
        "wm_on_resume_called: [2000,com.example.app.A,RESUME,soon]",
        "wm_on_resume_called: [2000,com.example.app.A,RESUME,1.5]",
        "wm_on_resume_called: [0,203208245,com.example.app.A,RESUME,2]",
        "wm_on_resume_called: [99999999999999999999,com.example.app.A,RESUME,2]",
        "am_proc_start: [0,8803,10263,,next-top-activity,{}]",
        "am_proc_start: [0,8803,uid,com.example.app,next-top-activity,{}]",
        "am_proc_bound: [0,x,com.example.app]",
        "am_proc_bound: [0,4001",
        "am_proc_died: [0,4001]",
        "am_proc_died: [0,-4001,com.example.app]",
        "am_kill : [0,4001,com.example.app,low,empty]",
        "am_kill : [0,4001,:remote,900,empty]",
        "am_crash: [4001,user,com.example.app]",
        "am_anr  : [0,pid,com.example.app,0,x]",
    ])
    func unreadableLines(rest: String) {
        let reading = LogcatReading()
        reading.read(line("00.000", 1810, rest))
        #expect(reading.codes == ["invalid_logcat"])
        #expect(reading.batch.rejections.first?.index == nil)
        #expect(reading.events.isEmpty && reading.batch.otherTelemetry == 0)
    }

    @Test func unreadableLinesOfABlockAreNumbered() {
        let reading = LogcatReading()
        reading.read("first")
        reading.read(
            [
                line("00.000", 1, "wm_on_resume_called: [2000,com.example.app.A,R,1]"), "",
                line("00.001", 1, "wm_on_paused_called: [2000"), line("00.002", 1, "am_meminfo: [1]"), "\tat x.y.z",
                line("00.003", 1, "wm_on_stop_called: [2000,com.example.app.A,R,1]\r"),
            ].joined(separator: "\n"))
        #expect(reading.batch.rejections == [Rejection(record: 1, index: 1, code: .invalidLogcat)])
        #expect(reading.edges == [.activityResume, .activityStop])
        #expect(reading.events.map(\.record) == [1, 1])
        #expect(reading.batch.otherTelemetry == 1)
    }

    @Test func otherLinesAreCountedOrNothing() {
        let reading = LogcatReading()
        reading.read([
            "--------- beginning of events", "packageName:", "", "   ", "java.lang.IllegalStateException: x",
            "\tat com.example.app.A(A.java:1)", "10-22 18:40:00.000", "10-22 18:40:00.000 4001 4001 I no colon",
            "10-22 18:40:00.000 x 4001 I tag: []", "10-22 18:40:00.000 4001 4001 info tag: []",
        ])
        #expect(reading.batch.otherTelemetry == 0)
        reading.read([
            line("00.000", 1, "wm_on_resume_called_: [2000,a.b.C,R,1]"), line("00.000", 1, "wm_resume_activity: [0]"),
            line("00.000", 1, "A: wm_on_resume_called: [2000,a.b.C,R,1]"),
        ])
        #expect(reading.batch.otherTelemetry == 3)
        #expect(reading.events.isEmpty && reading.batch.rejections.isEmpty)
    }

    @Test func recordsOfALogAmongOthers() {
        var bench = Bench { $0.logcatYear = 2023 }
        bench.decode(line("00.000", 1, "wm_on_resume_called: [2000,com.example.app.A,R,1]"), key: "d1", at: evening)
        bench.decode(line("00.000", 1, "am_meminfo: [1]"), key: "d1", at: evening)
        bench.decode(json(), at: evening)
        #expect(bench.batch.events.map(\.edge) == [.activityResume, .activate])
        #expect(bench.batch.events.map(\.record) == [0, 2])
        #expect(bench.batch.otherTelemetry == 1 && bench.batch.records == 3)
        #expect(bench.codes == [])
    }
}
