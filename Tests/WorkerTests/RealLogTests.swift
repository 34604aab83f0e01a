import BrokerSupport
import Foundation
import Kafka
import Testing

/// `phasefold run` whose log nobody takes: it goes on folding and committing, and ends when it is told to.
@Suite(.serialized, .enabled(if: RealBroker.isPresent, "skipped: no Kafka"))
struct RealLogTests {
    enum Sink: CaseIterable {
        /// Every write fails: no space is left.
        case fullDisk
        /// Nobody reads the pipe any more.
        case closedPipe
        /// Nobody reads the pipe, which fills.
        case fullPipe
    }

    @Test(arguments: Sink.allCases)
    func aLogThatCannotBeWrittenHoldsNothingUp(sink: Sink) throws {
        let bootstrap = try RealBroker.shared().bootstrap
        let name = "log\(UInt32.random(in: 0...UInt32.max))"
        let bench = try WorkerBench(on: bootstrap, name: name, partitions: 1)
        let process = Process()
        process.executableURL = URL(filePath: RealWorkerTests.program)
        let settings = [
            "application.id=\(name)", "input.topic=\(name)in", "output.topic=\(name)out", "commit.interval=50ms",
            "kafka.bootstrap.servers=\(bootstrap)", "http.listen=127.0.0.1:0", "log.level=debug",
            "kafka.debug=consumer,cgrp,fetch,topic", "shutdown.timeout=10s",
        ]
        process.arguments = ["run"] + settings.flatMap { ["--set", $0] }
        let pipe = Pipe()
        switch sink {
        case .fullDisk: process.standardError = FileHandle(forWritingAtPath: "/dev/full")
        case .closedPipe: process.standardError = pipe
        case .fullPipe: process.standardError = pipe
        }
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        if sink == .closedPipe { try pipe.fileHandleForReading.close() }
        let group = try Consumer(group: name, local(bootstrap))
        for round in 0..<4 {
            try bench.produce(users: 10, from: round * 5, count: 5)
            let wanted = Int64(round + 1) * 50
            #expect(try reaches(wanted, TopicPartition("\(name)in", 0), group))
        }
        #expect(process.isRunning)
        process.terminate()
        let end = Date(timeIntervalSinceNow: 15)
        while process.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.05) }
        #expect(!process.isRunning)
        #expect(process.terminationStatus == 0)
    }

    /// Whether so much is committed within a time.
    private func reaches(_ offset: Int64, _ partition: TopicPartition, _ group: borrowing Consumer) throws -> Bool {
        let end = Date(timeIntervalSinceNow: 30)
        while Date() < end {
            let found = try? group.committed([partition], limit: 5000).first?.offset
            if found ?? 0 >= offset { return true }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return false
    }
}
