internal import CRDKafka
internal import Foundation

/// Where the figures were taken.
enum Machine {
    static func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private static var cpu: String {
        let line = text(of: "/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line.map { $0.drop { $0 != ":" }.dropFirst(2).description } ?? "unknown CPU"
    }

    private static var memory: String {
        let bytes = ProcessInfo.processInfo.physicalMemory
        return "\(bytes >> 30) GiB"
    }

    private static var load: String {
        text(of: "/proc/loadavg").map { $0.split(separator: " ").prefix(3).joined(separator: " ") } ?? "unknown"
    }

    private static var kernel: String {
        text(of: "/proc/sys/kernel/osrelease")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }

    private static var swift: String {
        let text = (try? Child.output(of: "swift", ["--version"])) ?? ""
        return text.firstMatch(of: /Swift version ([0-9.]+)/).map { String($0.1) } ?? "unknown"
    }

    private static var simdjson: String {
        let text = (try? Child.output(of: "dpkg-query", ["-W", "-f", "${Version}", "libsimdjson-dev"])) ?? ""
        return text.isEmpty ? "unknown" : text
    }

    static func describe(_ report: inout Report) {
        report.section("machine")
        let processors = ProcessInfo.processInfo.activeProcessorCount
        report.note("cpu", "\(cpu), \(processors) processors, \(memory)")
        report.note("kernel", kernel)
        report.note("load before", load)
        let kafka = unsafe String(cString: rd_kafka_version_str())
        report.note("versions", "swift \(swift), librdkafka \(kafka), simdjson \(simdjson)")
    }
}
