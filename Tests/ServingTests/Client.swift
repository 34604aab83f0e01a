import Glibc

/// The plainest client: one request a connection.
struct Client {
    let port: UInt16

    struct Answer {
        var status = 0
        var headers: [String: String] = [:]
        var body = ""
    }

    func get(_ path: String, method: String = "GET", headers: [String] = []) -> Answer {
        let descriptor = connect()
        defer { close(descriptor) }
        let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + headers
        Client.send(descriptor, lines.joined(separator: "\r\n") + "\r\n\r\n")
        return Client.parse(Client.readAll(descriptor))
    }

    /// A connection to the server, or −1.
    func connect() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return status == 0 ? descriptor : -1
    }

    static func send(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        let flags = Int32(MSG_NOSIGNAL)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
    }

    static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count <= 0 { return all }
            all += buffer[..<count]
        }
    }

    static func parse(_ bytes: [UInt8]) -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        var answer = Answer()
        guard let end = text.firstRange(of: "\r\n\r\n") else { return answer }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        answer.status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            answer.headers[line[..<colon].lowercased()] = String(line[line.index(colon, offsetBy: 2)...])
        }
        answer.body = String(text[end.upperBound...])
        return answer
    }
}
