import Testing

@testable import Fleet

@Suite struct PreconditionTests {
    @Test func impossibleFleetsStopTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var options = FleetOptions()
            options.devices = 0
            _ = Fleet(options)
        }
        await #expect(processExitsWith: .failure) {
            var options = FleetOptions()
            options.heartbeat = 999
            _ = Fleet(options)
        }
        await #expect(processExitsWith: .failure) {
            var options = FleetOptions()
            options.mix = [FleetOptions.Share(.scenes, 0)]
            _ = Fleet(options)
        }
        await #expect(processExitsWith: .failure) {
            var shape = Truth.Shape()
            shape.windows = []
            _ = Fleet(FleetOptions(), truth: shape)
        }
        await #expect(processExitsWith: .failure) { _ = LineBatch(lines: 0) }
        await #expect(processExitsWith: .failure) { _ = LineBatch(bytes: (1 << 16) - 1) }
    }

    @Test func timeNeverGoesBackWhileADeviceWaits() async {
        await #expect(processExitsWith: .failure) {
            var wheel = Wheel(capacity: 1, start: 1000)
            wheel.insert(0, at: 2000)
            wheel.rewind(to: 500)
        }
        await #expect(processExitsWith: .failure) {
            var wheel = Wheel(capacity: 1, start: 0)
            wheel.insert(0, at: 1 << 50)
        }
    }
}
