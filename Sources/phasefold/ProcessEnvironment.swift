internal import Foundation

/// The environment that the program was started in.
enum ProcessEnvironment {
    static var variables: [String: String] { ProcessInfo.processInfo.environment }
}
