import Testing

@testable import Folding

@Suite struct TimerWheelTests {
    /// Every entry comes out in the advance that reaches its tick, none before and none twice.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func everyEntryComesInItsTick(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var wheel = TimerWheel()
        var now: UInt32 = seed % 2 == 0 ? 0 : 1_660_000_000
        var due: ContiguousArray<UInt32> = []
        wheel.advance(to: now, into: &due)
        var waiting: [UInt32: UInt32] = [:]
        var next: UInt32 = 0
        for _ in 0..<4000 {
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let distance = UInt32.random(in: 1...(Bool.random(using: &random) ? 300 : 3_000_000), using: &random)
                waiting[next] = now + distance
                wheel.insert(next, tick: now + distance)
                next += 1
            }
            let leaps = Int.random(in: 0..<200, using: &random) == 0
            now += UInt32.random(in: 0...(leaps ? 2_000_000 : 40), using: &random)
            due.removeAll()
            wheel.advance(to: now, into: &due)
            for device in due {
                let tick = waiting.removeValue(forKey: device)
                #expect(tick ?? .max <= now, "seed \(seed)")
            }
            #expect(!waiting.values.contains { $0 <= now }, "seed \(seed)")
        }
        #expect(wheel.count == waiting.count)
    }
}
