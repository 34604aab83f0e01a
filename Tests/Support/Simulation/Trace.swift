import Foundation

/// What happened in a run, in its order: a hash to compare two runs by, and lines for people.
final class Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var steps = 0
    private let isShown: Bool

    init(isShown: Bool) {
        self.isShown = isShown
    }

    func note(_ word: UInt64) {
        steps += 1
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

    /// - Parameter now: virtual ms.
    func line(_ now: Int64, _ text: @autoclosure () -> String) {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\(now)\t\(text())\n".utf8))
    }
}
