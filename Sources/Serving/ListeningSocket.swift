internal import Glibc

/// A socket that listens.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: 0 for any free one.
    init(host: String, port: UInt16) throws(ServingError) {
        var failure: Int32 = EADDRNOTAVAIL
        for address in try Self.addresses(of: host, port: port) {
            switch Self.listen(on: address) {
            case .success(let descriptor):
                self.descriptor = descriptor
                self.port = Self.port(of: descriptor) ?? port
                return
            case .failure(let error): failure = error.code
            }
        }
        throw Self.error(failure, host: host, port: port)
    }

    private struct Failure: Error {
        let code: Int32
    }

    /// One address as the system has it.
    private struct Address {
        let family: Int32
        let bytes: [UInt8]
    }

    private static func addresses(of host: String, port: UInt16) throws(ServingError) -> [Address] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &first) == 0 else {
            throw ServingError(
                kind: .addressUnknown, text: "no address is known for \(host)",
                remedy: "give http.listen an address of this machine, as 127.0.0.1:8088")
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [Address] = []
        var next = unsafe first
        while let info = unsafe next {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))
            unsafe addresses.append(Address(family: info.pointee.ai_family, bytes: Array(bytes)))
            unsafe next = info.pointee.ai_next
        }
        return addresses
    }

    private static func listen(on address: Address) -> Result<Int32, Failure> {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound = unsafe address.bytes.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { start in
                unsafe bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            } ?? -1
        }
        guard bound == 0, Glibc.listen(descriptor, 128) == 0 else {
            let code = errno
            close(descriptor)
            return .failure(Failure(code: code))
        }
        return .success(descriptor)
    }

    /// The port stands in the same place in the addresses of both families.
    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { return nil }
        return unsafe withUnsafeBytes(of: &storage) { bytes in
            unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    private static func error(_ code: Int32, host: String, port: UInt16) -> ServingError {
        switch code {
        case EADDRINUSE:
            ServingError(
                kind: .addressTaken, text: "port \(port) of \(host) is taken by another program",
                remedy: "stop that program, or give http.listen another port")
        case EADDRNOTAVAIL:
            ServingError(
                kind: .addressUnknown, text: "\(host) is no address of this machine",
                remedy: "give http.listen an address of this machine, as 127.0.0.1:8088")
        case EACCES:
            ServingError(
                kind: .system, text: "port \(port) may not be used by this user",
                remedy: "give http.listen a port from 1024 on")
        default:
            ServingError(
                kind: .system, text: "\(host):\(port) cannot be listened on: \(unsafe String(cString: strerror(code)))",
                remedy: "give http.listen another address")
        }
    }
}
