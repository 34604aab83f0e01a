@testable import Decoding
import Lifecycle
import Testing

@Suite struct LogcatProcessTests {
    static let resume = "wm_on_resume_called: [2000,com.example.shop.ui.Main,R,1]"

    // MARK: Whose lines

    @Test func whoseAnEdgeIs() {
        let plain = LogcatReading()
        plain.read([
            line("00.000", 1, Self.resume), line("00.001", 2, "wm_on_resume_called: [2000,a.B,R,1]"),
            line("00.002", 3, "wm_on_resume_called: [2000,Main,R,1]"),
        ])
        #expect(plain.apps == ["com.example.shop", "a.B", "Main"])

        let reading = LogcatReading { $0.defaultAppID = "com.default" }
        reading.read([
            line("00.000", 1, Self.resume),
            "packageName: com.header:236", line("00.001", 1, Self.resume),
            line("00.002", 7, "am_proc_start: [0,1,10263,com.told,top-activity,{}]"), line("00.003", 1, Self.resume),
            line("00.004", 2, Self.resume), "packageName: com.header.second", line("00.005", 2, Self.resume),
        ])
        #expect(reading.apps == ["com.default", "com.header", "com.told", "com.header", "com.header.second"])
        #expect(reading.events.last?.installation == key("bugreport.txt", "com.header.second"))
    }

    @Test func aHeaderHoldsForItsRecordInATopic() {
        let reading = LogcatReading { $0.fileName = nil }
        reading.read("packageName: com.header:1\n" + line("00.000", 1, Self.resume), key: "phone")
        reading.read(line("00.001", 1, Self.resume), key: "phone")
        #expect(reading.apps == ["com.header", "com.example.shop"])
    }

    @Test func theDevice() {
        let file = LogcatReading { $0.defaultDeviceID = "tablet" }
        file.read(line("00.000", 1, Self.resume), key: "key")
        #expect(file.events.first?.installation == key("tablet", "com.example.shop"))

        let topic = LogcatReading { $0.fileName = nil }
        topic.read(line("00.000", 1, Self.resume), key: "phone")
        topic.read(line("00.000", 1, Self.resume))
        topic.read(line("00.000", 1, Self.resume), key: "")
        topic.read(line("00.000", 1, Self.resume), key: String(repeating: "x", count: 257))
        #expect(topic.events.map(\.installation) == [key("phone", "com.example.shop")])
        #expect(topic.codes == ["missing_device_id", "missing_device_id", "too_long_device_id"])
    }

    @Test func pidsOfTwoDevicesAreTwo() {
        let reading = LogcatReading { $0.fileName = nil }
        reading.read(line("00.000", 9, "am_proc_bound: [0,1,com.told]"), key: "a")
        reading.read(line("01.000", 1, Self.resume), key: "a")
        reading.read(line("01.000", 1, Self.resume), key: "b")
        reading.read(line("02.000", 9, "am_proc_died: [0,1,com.told,0,2]"), key: "a")
        reading.read(line("02.000", 9, "am_proc_died: [0,1,com.told,0,2]"), key: "b")
        #expect(reading.apps == ["com.told", "com.example.shop", "com.told", "com.example.shop"])
    }

    @Test func dimensionsThatAreGroupedBy() {
        let all = LogcatReading { $0.groupBy = Dimension.allCases }
        let none = LogcatReading { $0.groupBy = [.osVersion] }
        all.read(line("00.000", 1, Self.resume))
        none.read(line("00.000", 1, Self.resume))
        let group = all.lexicon.groups[all.events[0].group]
        #expect(all.lexicon.texts[group.platform] == "android")
        #expect(group.appVersion == 0 && group.osVersion == 0 && group.deviceModel == 0)
        #expect(none.lexicon.groups[none.events[0].group] == Dimensions())
    }

    @Test func aProcessBesideTheAppIsPassedOver() {
        let reading = LogcatReading()
        reading.read([
            line("00.000", 9, "am_proc_start: [0,1,10263,com.example.shop:remote,service,{}]"),
            line("01.000", 1, Self.resume),
            line("02.000", 9, "am_kill : [0,1,com.example.shop:remote,900,empty]"),
            line("02.000", 9, "am_proc_died: [0,5,com.example.shop:push,900,19]"),
        ])
        #expect(reading.events.isEmpty)
        #expect(reading.batch.otherTelemetry == 3)
    }

    @Test func aNumberGivenToAnotherProcess() {
        let reading = LogcatReading()
        let start = "am_proc_start: [0,1,10263,com.example.shop,top-activity,{}]"
        reading.read([
            line("00.000", 9, start), line("01.000", 1, Self.resume),
            line("02.000", 9, "am_proc_bound: [0,1,com.example.shop]"), line("03.000", 1, Self.resume),
            line("10.000", 9, start), line("10.000", 9, start), line("11.000", 1, Self.resume),
            line("12.000", 9, "am_proc_died: [0,1,com.example.shop,0,2]"),
            line("20.000", 9, "am_proc_start: [0,1,10264,com.example.other,top-activity,{}]"),
            line("21.000", 1, Self.resume),
            line("22.000", 9, "am_proc_bound: [0,1,com.example.third]"), line("23.000", 1, Self.resume),
        ])
        let ids = reading.events.map(\.process)
        #expect(ids[0] == StableHash.hash("1") && ids[1] == ids[0])
        #expect(ids[2] != ids[0] && ids[3] == ids[2])
        #expect(Set(ids).count == 4)
        #expect(reading.apps.suffix(2) == ["com.example.other", "com.example.third"])
    }

    // MARK: Exits

    @Test(arguments: [
        (["am_proc_died: [0,1,com.example.shop,900,19]"], ""),
        (["am_proc_died: [User=0,PID=1,Process Name=com.example.shop,OomAdj=900,ProcState=19]"], ""),
        (["am_proc_died: [0,1,com.example.shop]", "am_kill : [0,1,com.example.shop,900,empty]"], ""),
        (["am_kill : [0,1,com.example.shop,900,empty #17,79208]"], "empty #17"),
        (["am_kill : [0,1,com.example.shop,-10000,stop it, now]"], "stop it, now"),
        (["am_kill : [0,1,com.example.shop,900,CachedClean[(cch-empty)]]"], "CachedClean[(cch-empty)]"),
        (["am_kill : [0,1,com.example.shop,900,excessive cpu, limit=2]"], "excessive cpu, limit=2"),
        (["am_kill : [0,1,com.example.shop,900,17]"], "17"),
        (["am_kill : [0,1,com.example.shop,900]"], ""),
        (["am_kill : [User=0,PID=1,Process Name=com.example.shop,OomAdj=9,Reason=bg, anr,Rss=48MB]"], "bg, anr"),
        (["am_kill : [User=0,PID=1,Process Name=com.example.shop,OomAdj=9,Reason=empty,Rss=79208B]"], "empty"),
        (["am_kill : [User=0,PID=1,Process Name=com.example.shop,OomAdj=9,,Rss=0B]"], ""),
        (["am_crash: [1,0,com.example.shop,8,java.lang.E,no item 4, nor 5,B.java,112,0]"], "crash"),
        (["am_crash: [User=1,PID=0,Process Name=com.example.shop,Recoverable=0]"], "crash"),
        (["am_crash: [1,0,com.example.shop]", "am_kill : [0,1,com.example.shop,0,crash]"], "crash"),
        (["am_anr  : [0,1,com.example.shop,0,timed out]", "am_proc_died: [0,1,com.example.shop,0,2]"], "anr"),
        (["am_anr  : [0,1,com.example.shop,0,timed out]", "am_kill : [0,1,com.example.shop,0,bg anr,12]"], "anr"),
        (["am_anr  : [0,2,com.example.shop,0,timed out]", "am_proc_died: [0,1,com.example.shop,0,2]"], ""),
    ])
    func oneExit(lines: [String], reason: String) {
        let reading = LogcatReading()
        reading.read(line("00.000", 1, Self.resume))
        for rest in lines { reading.read(line("10.000", 1810, rest)) }
        #expect(reading.exitReasons == [reason])
        let exit = reading.events.last
        #expect(exit?.process == StableHash.hash("1"))
        #expect(exit?.flags == .namesItsProcess)
        #expect(exit?.time == evening + 10_000)
        #expect(exit?.installation == key("bugreport.txt", "com.example.shop"))
        #expect(exit?.scope == .app && exit?.handler == Event.absent)
        #expect(reading.codes.isEmpty && reading.batch.otherTelemetry == 0)
    }

    @Test func notRespondingAloneIsNoExit() {
        let reading = LogcatReading()
        reading.read(line("00.000", 9, "am_anr  : [0,1,com.example.shop,0,timed out]"))
        #expect(reading.events.isEmpty && reading.batch.otherTelemetry == 0)
    }

    @Test func aStartEndsWhatIsKnownOfTheFormerProcess() {
        let reading = LogcatReading()
        reading.read([
            line("00.000", 9, "am_anr  : [0,1,com.example.shop,0,timed out]"),
            line("01.000", 9, "am_proc_start: [0,1,10263,com.example.shop,top-activity,{}]"),
            line("02.000", 9, "am_proc_died: [0,1,com.example.shop,0,2]"),
            line("03.000", 9, "am_proc_start: [0,1,10263,com.example.shop,top-activity,{}]"),
            line("04.000", 9, "am_kill : [0,1,com.example.shop,0,stop]"),
            line("04.100", 9, "am_proc_died: [0,1,com.example.shop,0,2]"),
        ])
        #expect(reading.exitReasons == ["", "stop"])
    }

    @Test func theAppOfAnExitIsThatOfThePidsEdges() {
        let reading = LogcatReading()
        reading.read([
            "packageName: com.header", line("00.000", 1, Self.resume),
            line("01.000", 9, "am_proc_died: [0,1,com.example.shop,0,2]"),
            line("02.000", 9, "am_proc_died: [0,2,com.example.shop,0,2]"),
        ])
        #expect(reading.apps == ["com.header", "com.header", "com.example.shop"])
    }

    @Test func aNativeCrashIsOfTheLastPidOfThatProcess() {
        let reading = LogcatReading()
        reading.read([
            line("00.000", 1810, "am_proc_start: [0,1,10263,com.example.shop,top-activity,{}]"),
            line("01.000", 1810, "am_proc_start: [0,2,10263,com.example.shop,top-activity,{}]"),
            line("02.000", 3, "wm_on_resume_called: [2000,com.other.app.Main,R,1]"),
            line("10.000", 1810, "am_crash: [1810,0,com.example.shop,0,Native crash,Segmentation fault,unknown,0]"),
            line("10.100", 1810, "am_proc_died: [0,2,com.example.shop,0,2]"),
            line("11.000", 1810, "am_crash: [1810,0,com.other.app,0,Native crash,Segmentation fault,unknown,0]"),
        ])
        #expect(reading.events.map(\.process) == ["3", "2", "3"].map { StableHash.hash($0) })
        #expect(reading.exitReasons == ["crash", "crash"])
    }

    @Test func aNativeCrashOfAProcessNeverSeen() {
        let reading = LogcatReading()
        reading.read([
            line("10.000", 1810, "am_crash: [1810,0,com.example.shop,0,Native crash,Segmentation fault,unknown,0]"),
            line("10.100", 1810, "am_proc_died: [0,2,com.example.shop,0,2]"),
            line("20.000", 1810, "am_proc_died: [0,3,com.example.shop,0,2]"),
        ])
        #expect(reading.exitReasons == ["crash", ""])
        #expect(reading.events.first?.process == StableHash.hash("1810"))
    }

    // MARK: The system's own launch time

    @Test func launchTimesAreKept() {
        let reading = LogcatReading()
        reading.read([
            line("01.000", 9, "wm_activity_launch_time: [0,231348670,com.example.app/com.example.shop.Main,900]"),
            line("02.000", 9, "am_activity_launch_time: [0,231348670,com.example.app/.Main,1195,1195]"),
            line("03.000", 9, "wm_activity_launch_time: [User=0,Token=5,Component Name=com.example.app/.M,time=1.5s]"),
            line("04.000", 9, "wm_activity_launch_time: [0,231348670"),
        ])
        let times = reading.decoder.context.launchTimes
        #expect(times.map(\.duration) == [900, 1195, 1500])
        #expect(times.map(\.time) == [1, 2, 3].map { evening + $0 * 1000 })
        #expect(times.map { reading.lexicon.texts[$0.app] } == Array(repeating: "com.example.app", count: 3))
        #expect(times.map(\.instance) == ["231348670", "231348670", "5"].map { StableHash.hash($0) })
        #expect(reading.batch.otherTelemetry == 4)
        #expect(reading.events.isEmpty && reading.codes.isEmpty)
    }
}
