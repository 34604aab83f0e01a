import Decoding
import Foundation

/// What is fed with the bytes that libFuzzer makes up; the variable `PHASEFOLD_FUZZ` names it.
enum Target: String, CaseIterable {
    case json
    case otlpJSON = "otlp_json"
    case otlpProtobuf = "otlp_proto"
    case logcat
    case replay
    case story
    case checkpoint

    /// Takes one input in; whatever must not be ends the process.
    func take(_ bytes: [UInt8]) {
        switch self {
        case .json:
            DecoderTarget.takeJSON(bytes)
            DecoderTarget.takeLines(bytes)
        case .otlpJSON: DecoderTarget.take(bytes, as: .otlpJSON)
        case .otlpProtobuf: DecoderTarget.take(bytes, as: .otlpProtobuf)
        case .logcat: DecoderTarget.take(bytes, as: .logcat)
        case .replay: ReplayTarget.take(bytes)
        case .story: StoryTarget.take(bytes)
        case .checkpoint: CheckpointTarget.take(bytes)
        }
    }

    static let chosen: Target = {
        let name = ProcessInfo.processInfo.environment["PHASEFOLD_FUZZ"] ?? ""
        guard let target = Target(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            FileHandle.standardError.write(Data("PHASEFOLD_FUZZ=\"\(name)\": give one of \(names)\n".utf8))
            exit(64)
        }
        return target
    }()
}

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Target.chosen.take(unsafe Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

/// Ends the process, which libFuzzer takes for the fault that it seeks.
func check(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}
