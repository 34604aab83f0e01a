import Testing

@testable import Fleet

@Suite struct WheelTests {
    /// Against a sorted list, with times from the next millisecond to years ahead.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func givesTheEarliest(seed: UInt64) {
        var random = Random(seed: seed)
        let start: Int64 = 1_767_225_600_000 + random.below(1 << 40)
        var wheel = Wheel(capacity: 200, start: start)
        var waiting: [Int64] = []
        var free = Array(Int32(0)..<200)
        for _ in 0..<20_000 {
            if random.chance(520) || waiting.isEmpty, let device = free.popLast() {
                let time = wheel.now + random.below(1 << random.below(38))
                wheel.insert(device, at: time)
                waiting.append(time)
            } else if let device = wheel.pop() {
                waiting.sort(by: >)
                #expect(wheel.now == waiting.popLast())
                free.append(device)
            }
        }
        #expect(wheel.count == waiting.count)
    }

    @Test func isEmptyInTheEnd() {
        var wheel = Wheel(capacity: 1, start: 0)
        var taken = [wheel.pop()]
        wheel.insert(0, at: 1 << 30)
        taken += [wheel.pop(), wheel.pop()]
        #expect(taken == [nil, 0, nil])
        #expect(wheel.now == 1 << 30)
    }
}
