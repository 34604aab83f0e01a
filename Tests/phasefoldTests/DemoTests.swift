import Foundation
import Testing

/// The whole pipeline in one process, for some seconds.
@Suite struct DemoTests {
    private static func run(_ arguments: String...) throws -> Executable.Result {
        try Executable.run(
            list: ["demo", "--headless", "--seconds", "3", "--set", "http.listen=127.0.0.1:0"] + arguments)
    }

    @Test func whatIsSentIsFolded() throws {
        let result = try Self.run("--rate", "400", "--devices", "500")
        #expect(result.status == 0)
        #expect(result.err.isEmpty)
        let first = try #require(result.lines.first).split(separator: " ").compactMap { word in
            Int(word.replacingOccurrences(of: ",", with: ""))
        }
        #expect(first.count == 3 && Set(first).count == 1)
        #expect((first.first ?? 0) > 500)
        let folded = try #require(result.lines.first { $0.hasPrefix("events ") })
        #expect(folded.contains("folded"))
        let devices = try #require(result.lines.first { $0.hasPrefix("devices ") }?.split(separator: " ").last)
        #expect(Int(devices) ?? 0 > 50, "those that were known when all was read")
        #expect(result.lines.contains { $0.hasPrefix("launch_cold") })
        #expect(result.lines.allSatisfy { $0.count <= 100 })
    }

    @Test func aTakenPortIsSaidWithItsRemedy() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(socket, generic, length)
                _ = unsafe getsockname(socket, generic, &length)
            }
        }
        #expect(listen(socket, 1) == 0)
        let port = UInt16(bigEndian: address.sin_port)
        let result = try Self.run("--set", "http.listen=127.0.0.1:\(port)")
        #expect(result.status == 78)
        #expect(
            result.err == "phasefold: port \(port) of 127.0.0.1 is taken by another program; stop that program, or "
                + "give http.listen another port\n")
    }

    @Test(arguments: [("--rate", "0"), ("--devices", "many"), ("--faults", "lightning")])
    func wrongValuesAreSaid(option: String, value: String) throws {
        let result = try Self.run(option, value)
        #expect(result.status == 64)
        #expect(result.err.hasPrefix("phasefold: demo: \(option): ") || result.err.hasPrefix("phasefold: \(option): "))
        #expect(result.err.split(separator: "\n").count == 1)
    }
}
