internal import CRDKafka
internal import Foundation
internal import Glibc

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

    /// GB a second that the system gives, cleared, in large pages, as states of devices take it. Around 8 where the
    /// machine holds the memory; where it is a virtual one whose host takes back what is free, a tenth of it.
    private static var freshMemory: Double {
        let (size, page) = (256 << 20, 4096)
        guard let block = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe block != MAP_FAILED
        else { return 0 }
        defer { unsafe _ = munmap(block, size) }
        unsafe _ = madvise(block, size, MADV_HUGEPAGE)
        let start = Clock.thread
        for place in stride(from: 0, to: size, by: page) {
            unsafe block.storeBytes(of: 1, toByteOffset: place, as: UInt8.self)
        }
        return Double(size) / 1e9 / (Clock.thread - start)
    }

    static func describe(_ report: inout Report) {
        report.section("machine")
        let processors = ProcessInfo.processInfo.activeProcessorCount
        report.note("cpu", "\(cpu), \(processors) processors, \(memory)")
        report.note("kernel", kernel)
        report.note("load before", load)
        report.figure("fresh memory", freshMemory, "GB/s")
        let kafka = unsafe String(cString: rd_kafka_version_str())
        report.note("versions", "swift \(swift), librdkafka \(kafka), simdjson \(simdjson)")
    }
}
