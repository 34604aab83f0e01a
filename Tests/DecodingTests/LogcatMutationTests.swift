@testable import Decoding
import Lifecycle
import Testing

@Suite struct LogcatMutationTests {
    static let sample = [
        "packageName: com.example.app:236",
        "10-22 18:39:59.900  1810  2045 I am_proc_start: [0,4001,10263,com.example.app,top-activity,{a/.Main}]",
        "10-22 18:40:00.000 10263  4001  4001 I wm_on_create_called: [111000111,com.example.app.ui.Main,x,80]",
        "1698000000.284  4001  4001 I wm_on_resume_called: [Token=248522932,Component Name=a.b.C,Reason=R,time=5.2s]",
        "10-22 18:40:01.000  1810  2045 I am_anr  : [0,4001,com.example.app,0,timed out (x, waited 5001ms)]",
        "10-22 18:40:02.000  1810  2045 I am_kill : [User=0,PID=4001,Process Name=a,OomAdj=9,Reason=x #18,Rss=48MB]",
        "10-22 18:40:03.000  1810  2045 I am_crash: [1810,0,com.example.app,8184,java.lang.E,no, 5,B.java,1]",
        "10-22 18:40:04.000  1810  2045 I am_proc_died: [0,4001,com.example.app,900,19]",
        "10-22 18:40:05.000  1810  2045 I wm_activity_launch_time: [0,231348670,com.example.app/.Main,900]",
    ]

    @Test func spoiltLogsNeverTrap() {
        var mutator = OctetMutator()
        let block = Array(Self.sample.joined(separator: "\n").utf8)
        let lines = Self.sample.map { Array($0.utf8) }
        let reading = LogcatReading { $0.logcatYear = nil }
        for round in 0..<3000 {
            let bytes = mutator.spoil(round % 4 == 0 ? block : lines[round % lines.count])
            reading.read(bytes, key: nil)
            for event in reading.batch.events where event.edge == .exit || event.edge == .activityResume {
                #expect(event.time != Event.absent && event.process != 0, "seed \(mutator.seed), round \(round)")
            }
            reading.batch.removeAll()
        }
    }
}
