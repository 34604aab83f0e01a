import Foundation
import Testing

@testable import Metering

@Suite struct LogTests {
    /// A pipe that stands for stderr.
    final class Channel {
        let pipe = Pipe()
        var descriptor: Int32 { pipe.fileHandleForWriting.fileDescriptor }

        /// All that was written; nothing can be written afterwards.
        func read() throws -> String {
            try pipe.fileHandleForWriting.close()
            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
    }

    @Test func textIsOneLineAnEvent() throws {
        let line = LogLine(
            level: .warning, time: 1_769_903_999_007, source: "kafka", message: "broker\nis away",
            fields: [
                ("broker", "h:1 \"x\"\n\u{1B}"), ("for_ms", 12), ("ratio", .decimal(0.5)), ("fatal", .flag(false)),
            ])
        #expect(
            line.rendered(as: .text)
                == "2026-01-31T23:59:59.007Z WARNING kafka: broker is away broker=\"h:1 \\\"x\\\"\\n\\u001b\" "
                + "for_ms=12 ratio=0.5 fatal=false\n")
    }

    @Test func jsonIsReadBackByAnother() throws {
        let line = LogLine(
            level: .error, time: 0, source: "worker", message: "a \"b\"\\\u{2028}é",
            fields: [("n", 7), ("text", "x\ty"), ("nan", .decimal(.nan))])
        let rendered = line.rendered(as: .json)
        #expect(rendered.hasSuffix("}\n") && rendered.filter(\.isNewline).count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(rendered.utf8)) as? [String: Any])
        #expect(object["time"] as? String == "1970-01-01T00:00:00.000Z")
        #expect(object["level"] as? String == "error")
        #expect(object["message"] as? String == "a \"b\"\\\u{2028}é")
        #expect(object["n"] as? Int == 7)
        #expect(object["text"] as? String == "x\ty")
        #expect(object["nan"] is NSNull)
    }

    @Test func belowTheLevelNothingIsWritten() throws {
        let channel = Channel()
        let log = Log(level: .warning, descriptor: channel.descriptor, lost: Counter())
        log.debug("a", "no")
        log.info("a", "no")
        log.warning("a", "yes", ["k": 1])
        log.error("a", "yes")
        #expect(log.flush())
        let lines = try channel.read().split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("yes") })
    }

    @Test func aReaderThatSleepsCostsLinesAndNoTime() throws {
        let channel = Channel()
        let lost = Counter()
        let log = Log(descriptor: channel.descriptor, lost: lost)
        let message = String(repeating: "x", count: 1000)
        let written = 3000
        let start = ContinuousClock.now
        for _ in 0..<written { log.info("test", message) }
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(lost.value > 0)
        #expect(!log.flush(timeoutMilliseconds: 20))

        var received = 0
        while received < written - Int(lost.value) {
            let data = channel.pipe.fileHandleForReading.availableData
            received += data.filter { $0 == 0x0A }.count
        }
        #expect(log.flush())
        log.info("test", "after")
        #expect(log.flush())
        let tail = try channel.read()
        #expect(tail.contains("lines were lost lines=\(lost.value)\n"))
        #expect(tail.hasSuffix("after\n"))
    }

    @Test func whatAFullDiskDoesNotTakeIsCounted() throws {
        let disk = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let lost = Counter()
        let log = Log(descriptor: disk.fileDescriptor, lost: lost)
        for number in 1...3 {
            log.info("test", "line")
            #expect(log.flush())
            #expect(lost.value == UInt64(number))
        }
    }

    @Test func theOrderIsThatOfLogging() throws {
        let channel = Channel()
        let log = Log(descriptor: channel.descriptor, lost: Counter())
        for number in 0..<200 { log.info("test", "line", ["n": .integer(number)]) }
        #expect(log.flush())
        let numbers = try channel.read().split(separator: "\n").compactMap { $0.split(separator: "=").last }
        #expect(numbers.map(String.init) == (0..<200).map(String.init))
    }
}
