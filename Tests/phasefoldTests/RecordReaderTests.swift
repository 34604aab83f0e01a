import Testing

@testable import phasefold

@Suite struct RecordReaderTests {
    private static func bytes(of span: RawSpan) -> [UInt8] {
        (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }

    func records(_ text: String, limit: Int = 100, chunk: Int) throws -> [String] {
        try records(Array(text.utf8), limit: limit, chunk: chunk)
    }

    func records(_ bytes: [UInt8], limit: Int = 100, chunk: Int) throws -> [String] {
        let file = try TemporaryFile(bytes)
        var reader = try RecordReader(file.path, limit: limit, chunk: chunk)
        var found: [String] = []
        var goesOn = true
        while goesOn {
            goesOn = try reader.next { lines in
                var lines = Self.bytes(of: lines).split(separator: 0x0A, omittingEmptySubsequences: false)
                if lines.last == [] { lines.removeLast() }
                for line in lines {
                    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                    found.append(String(decoding: line.prefix(limit + 1), as: UTF8.self))
                }
            } frame: { record in
                found.append(String(decoding: Self.bytes(of: record), as: UTF8.self))
            }
        }
        let (size, consumed) = (reader.size, reader.consumed)
        #expect(size == bytes.count)
        #expect(consumed == bytes.count)
        return found
    }

    static let chunks = [1, 2, 3, 7, 64, 1000]

    @Test(arguments: chunks)
    func linesOfEveryLength(chunk: Int) throws {
        #expect(try records("", chunk: chunk) == [])
        #expect(try records("a", chunk: chunk) == ["a"])
        #expect(try records("a\n", chunk: chunk) == ["a"])
        #expect(try records("\n\na\n\n", chunk: chunk) == ["", "", "a", ""])
        #expect(try records("one\r\ntwo\rthree\nfour\r", chunk: chunk) == ["one", "two\rthree", "four"])
        let many = (0..<200).map { String(repeating: "x", count: $0 % 40) }
        #expect(try records(many.joined(separator: "\n") + "\n", chunk: chunk) == many)
    }

    @Test(arguments: chunks)
    func aLineOverTheLimitIsCutAndTheNextOneIsWhole(chunk: Int) throws {
        let long = String(repeating: "x", count: 500)
        #expect(try records("a\n\(long)\nb\n", limit: 10, chunk: chunk) == ["a", String(long.prefix(11)), "b"])
        #expect(try records("a\n\(long)", limit: 10, chunk: chunk) == ["a", String(long.prefix(11))])
        #expect(try records("\(long)\n\(long)\nb", limit: 10, chunk: chunk).map(\.count) == [11, 11, 1])
        let exact = String(long.prefix(10))
        #expect(try records("\(exact)\n\(exact)x\n", limit: 10, chunk: chunk) == [exact, exact + "x"])
    }

    static func frame(_ text: String, length: Int? = nil) -> [UInt8] {
        let count = UInt32(length ?? text.utf8.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(text.utf8)
    }

    @Test(arguments: chunks)
    func lengthsStandBeforeRecords(chunk: Int) throws {
        let long = String(repeating: "y", count: 500)
        let frames = ["one", "", "a\nb", long, "two"]
        let bytes = frames.flatMap { RecordReaderTests.frame($0) }
        #expect(try records(bytes, limit: 1000, chunk: chunk) == frames)
        #expect(try records(bytes, limit: 10, chunk: chunk).map(\.count) == [3, 0, 3, 11, 3])
        let torn = RecordReaderTests.frame("one") + RecordReaderTests.frame("tw", length: 9)
        #expect(try records(torn, chunk: chunk) == ["one", "tw"])
    }

    @Test func whatCannotBeReadIsSaid() {
        for (path, reason) in [("/nonexistent/x", "No such file or directory"), ("/", "Is a directory")] {
            let error = #expect(throws: CommandError.self) { _ = try RecordReader(path, limit: 10) }
            #expect(error?.status == .unreadableInput)
            #expect(error?.lines == ["\(path) cannot be read: \(reason); give files of events"])
        }
    }
}
