internal import Glibc

/// A file that is written from its start.
struct OutputFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// - Throws: ``CommandError`` with ``ExitStatus/fault``.
    init(_ path: String) throws(CommandError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        self.path = path
        guard descriptor >= 0 else {
            throw CommandError(.fault, "\(path) cannot be written: \(Output.reason(errno)); give another file")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes all of `text`; throws as ``init(_:)``.
    func write(_ text: String) throws(CommandError) {
        let failure = Output.writeAll(descriptor, unsafe Array(text.utf8).span.bytes)
        guard failure == 0 else {
            throw CommandError(.fault, "\(path) cannot be written: \(Output.reason(failure)); make room for it")
        }
    }
}
