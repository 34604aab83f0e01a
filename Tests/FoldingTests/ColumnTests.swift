import Lifecycle
import Testing

@testable import Folding

/// Numbers of a column, as the longest load of the reader may meet them: near the end, and cut off.
@Suite struct ColumnTests {
    /// Of every length, at both of its ends.
    private static let numbers: [UInt64] =
        [0, UInt64.max] + (0..<64).flatMap { bit -> [UInt64] in [1 << bit, (1 << bit) - 1, 1 << bit | 1] }

    private func written(_ numbers: [UInt64]) -> ContiguousArray<UInt8> {
        var column = ColumnBytes()
        for number in numbers { column.append(number) }
        var bytes = ContiguousArray<UInt8>()
        column.copy(to: &bytes)
        return bytes
    }

    /// - Parameter count: bytes that the column has; those behind are another's.
    private func read(_ bytes: ContiguousArray<UInt8>, count: Int) -> (numbers: [UInt64], left: Int) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return ([], 0) }
            var cursor = unsafe ColumnCursor(base, count: count)
            var numbers: [UInt64] = []
            while cursor.left > 0, let number = try? cursor.number() { numbers.append(number) }
            return (numbers, cursor.left)
        }
    }

    @Test func everyNumberIsReadAtEveryDistanceFromTheEnd() {
        for number in Self.numbers {
            for behind in 0...10 {
                let all = [number] + Array(repeating: 5, count: behind)
                let bytes = written(all)
                let (found, left) = read(bytes, count: bytes.count)
                #expect(found == all, "\(number) before \(behind) bytes")
                #expect(left == 0)
            }
        }
    }

    /// What stands behind the column would go on with the number.
    @Test func aNumberThatIsCutOffIsRefused() {
        for number in Self.numbers where number >= 0x80 {
            let bytes = written([number])
            for count in 1..<bytes.count {
                #expect(read(bytes + [1, 1, 1, 1, 1, 1, 1, 1], count: count).numbers.isEmpty, "\(number) in \(count)")
            }
        }
    }

    @Test func aNumberOfMoreThan64BitsIsRefused() {
        let tooLong = ContiguousArray(repeating: UInt8(0x80), count: 9) + [2]
        #expect(read(tooLong, count: tooLong.count).numbers.isEmpty)
        let endless = ContiguousArray(repeating: UInt8(0xFF), count: 40)
        #expect(read(endless, count: endless.count).numbers.isEmpty)
    }
}
