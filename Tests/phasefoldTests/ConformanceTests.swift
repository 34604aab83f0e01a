import Foundation
import Testing

/// The conformance cases beside the package, run by their own runner against the program.
@Suite struct ConformanceTests {
    /// The folder with `run.py`: `CONFORMANCE_HOME`, else `../shared/conformance`; nil if neither is there.
    static let home: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["CONFORMANCE_HOME"].map { URL(filePath: $0) }
        let places = [named, package.deletingLastPathComponent().appending(path: "shared/conformance")]
        return places.compactMap { $0 }.first {
            FileManager.default.isReadableFile(atPath: $0.appending(path: "run.py").path)
        }
    }()

    @Test(.enabled(if: home != nil, "skipped: no conformance cases"))
    func everyCaseComesOutAsItSays() throws {
        let home = try #require(Self.home)
        let command = "\(Executable.url.path) replay --group-by app_id --window 30d -"
        let result = try Executable.run(
            list: ["python3", home.appending(path: "run.py").path, "--command", command],
            program: URL(filePath: "/usr/bin/env"), seconds: 600)
        for line in result.lines where line.hasPrefix("FAIL ") { Issue.record("\(line)") }
        #expect(result.status == 0, "\(result.lines.last ?? result.err)")
        #expect(result.lines.last?.hasSuffix(" passed, 0 failed") == true)
    }
}
