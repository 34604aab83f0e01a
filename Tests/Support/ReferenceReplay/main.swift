import Foundation
import ReferenceFold

/// `reference-replay --group-by LIST --window LIST --set KEY=VALUE … FILE… | -`: what `phasefold replay` prints,
/// by the reference fold.
private struct Arguments {
    var settings: [String: String] = [:]
    var files: [String] = []

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--group-by", "-g": settings["group.by"] = rest.popFirst()
            case "--window", "-w": settings["window.sizes"] = rest.popFirst()
            case "--format", "-f": settings["input.format"] = rest.popFirst()
            case "--set", "-s":
                let pair = rest.popFirst()?.split(separator: "=", maxSplits: 1) ?? []
                guard pair.count == 2 else { return nil }
                settings[String(pair[0])] = String(pair[1])
            case _ where argument.hasPrefix("--"): return nil
            default: files.append(argument)
            }
        }
        if files.isEmpty { return nil }
    }
}

private func complain(_ message: String, exit code: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(code)
}

private func lines(of name: String) -> [[UInt8]] {
    let data = name == "-" ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: name)
    guard let data else { complain("\(name): cannot be read", exit: 65) }
    return data.split(separator: 0x0A, omittingEmptySubsequences: true).map { [UInt8]($0) }
}

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
    complain("usage: reference-replay [--group-by LIST] [--window LIST] [--set KEY=VALUE]… FILE… | -", exit: 64)
}
do {
    let fold = try ReferenceFold(settings: arguments.settings)
    let result = fold.fold(arguments.files.map { .init(name: $0, records: lines(of: $0)) })
    let rows = result.rows.map { $0.json + "\n" }.joined()
    FileHandle.standardOutput.write(Data(rows.utf8))
    for (code, count) in result.rejected.sorted(by: { $0.key < $1.key }) {
        FileHandle.standardError.write(Data("\(code): \(count)\n".utf8))
    }
} catch {
    complain("\(error)", exit: 78)
}
