internal import Glibc

/// Standard output and standard error, without buffers of their own.
enum Output {
    /// Nobody reads standard output any more; the command ends, and that is no fault.
    struct Closed: Error {}

    /// Writes all of `text` to standard output.
    ///
    /// - Throws: ``Closed``, or ``CommandError`` where it cannot be written, as to a full disk.
    static func print(_ text: String) throws -> ExitStatus {
        try write(unsafe Array(text.utf8).span.bytes)
        return .done
    }

    /// Writes all of `bytes` to standard output; throws as ``print(_:)``.
    static func write(_ bytes: RawSpan) throws {
        switch writeAll(1, bytes) {
        case 0: return
        case EPIPE: throw Closed()
        case let failure:
            throw CommandError(.fault, "standard output: \(reason(failure)); make room, or write elsewhere")
        }
    }

    /// Writes `text` to standard error, as far as that is possible.
    static func complain(_ text: String) {
        _ = writeAll(2, unsafe Array(text.utf8).span.bytes)
    }

    /// Writes all of `bytes`, also where the descriptor does not block.
    ///
    /// - Returns: 0, or the error number of the first write that failed.
    static func writeAll(_ descriptor: Int32, _ bytes: RawSpan) -> Int32 {
        var done = 0
        while done < bytes.byteCount {
            let wrote = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
            }
            if wrote >= 0 {
                done += wrote
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&ready, 1, 1000)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// What the system says about an error.
    static func reason(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
