import Lifecycle
import Testing

@testable import Decoding

@Suite struct PackedEventsTests {
    /// Events with and without every field, from a fixed seed.
    private func events(_ count: Int, seed: UInt64, _ lexicon: inout Lexicon) -> [Event] {
        var random = Xorshift(state: seed)
        let groups = (0..<5).map { number in
            lexicon.groups.intern(
                Dimensions(
                    app: lexicon.texts.intern("app\(number)"), platform: lexicon.texts.intern("ios"),
                    appVersion: lexicon.texts.intern("1.\(number)")))
        }
        let reasons = [TextTable.empty] + ["call", "message", "größe"].map { lexicon.texts.intern($0) }
        return (0..<count).map { number in
            let key = InstallationKey(high: random.next(), low: random.next())
            let edge = Edge.allCases[Int(random.next() % UInt64(Edge.allCases.count - 1))]
            let received = Int64(1_767_225_600_000 + number * 7)
            var event = Event(key, edge, time: received - Int64(random.next() % 100_000), received: received)
            let bits = random.next()
            if bits & 1 != 0 { event.sent = received - 3 }
            if bits & 2 != 0 { event.monotonic = Int64(bitPattern: random.next()) }
            if bits & 4 != 0 { event.sequence = Int64(random.next() >> 1) }
            if bits & 8 != 0 { event.handler = 12_345 }
            if bits & 16 != 0 { event.process = random.next() }
            if bits & 32 != 0 { event.session = random.next() }
            if bits & 64 != 0 { event.boot = random.next() }
            if bits & 128 != 0 { event.eventID = random.next() }
            if bits & 256 != 0 { event.instance = random.next() }
            if bits & 512 != 0 { event.className = random.next() }
            if bits & 1024 != 0 { event.unknownName = random.next() }
            if bits & 2048 != 0 { event.received = Event.absent }
            event.flags = Event.Flags(rawValue: UInt8(bits >> 20 & 7))
            event.group = groups[Int(random.next() % 5)]
            event.reason = reasons[Int(random.next() % 4)]
            event.resource = reasons[Int(random.next() % 4)]
            event.exitReason = reasons[Int(random.next() % 4)]
            event.record = UInt32(number / 3)
            return event
        }
    }

    private struct Xorshift {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    /// What an event says, in words that do not depend on a lexicon.
    private func text(_ event: Event, _ lexicon: borrowing Lexicon) -> String {
        let group = lexicon.groups[event.group]
        let names = [group.app, group.platform, group.appVersion, group.osVersion, group.deviceModel]
        let texts = (names + [event.reason, event.resource, event.exitReason]).map { lexicon.texts[$0] }
        let numbers: [Any] = [
            event.installation, event.time, event.received, event.sent, event.monotonic, event.sequence,
            event.handler, event.process, event.session, event.boot, event.eventID, event.instance, event.className,
            event.unknownName, event.record, event.edge, event.scope, event.flags.rawValue,
        ]
        return "\(numbers) \(texts)"
    }

    @Test(arguments: [1, 77, 4242] as [UInt64])
    func whatIsPackedIsUnpacked(seed: UInt64) throws {
        var lexicon = Lexicon()
        let events = events(500, seed: seed, &lexicon)
        var packer = EventPacker()
        for event in events { packer.append(event, lexicon: lexicon) }
        packer.append(.tick(received: 5), lexicon: lexicon)
        let record = packer.take()
        #expect(packer.count == 0)

        var other = Lexicon()
        _ = other.texts.intern("here before")
        var batch = EventBatch()
        var unpacker = EventUnpacker()
        unsafe try unpacker.unpack(record.span.bytes, lexicon: &other, into: &batch)
        #expect(batch.events.count == 501)
        for (index, event) in events.enumerated() {
            let (sent, read) = (text(event, lexicon), text(batch.events[index], other))
            #expect(sent == read)
        }
        #expect(batch.events[500].edge == .tick && batch.events[500].received == 5)
    }

    @Test func aCutRecordGivesNothing() throws {
        var lexicon = Lexicon()
        var packer = EventPacker()
        for event in events(20, seed: 9, &lexicon) { packer.append(event, lexicon: lexicon) }
        let record = packer.take()
        var unpacker = EventUnpacker()
        for length in 0..<record.count {
            var batch = EventBatch()
            let cut = ContiguousArray(record[..<length])
            #expect(throws: PackedEventsError.malformed) {
                unsafe try unpacker.unpack(cut.span.bytes, lexicon: &lexicon, into: &batch)
            }
            #expect(batch.events.isEmpty && batch.records == 0)
        }
    }

    @Test func damageNeverTraps() {
        var lexicon = Lexicon()
        var packer = EventPacker()
        for event in events(20, seed: 10, &lexicon) { packer.append(event, lexicon: lexicon) }
        let record = packer.take()
        var unpacker = EventUnpacker()
        var random = Xorshift(state: 99)
        for _ in 0..<2000 {
            var bad = record
            bad[Int(random.next() % UInt64(bad.count))] = UInt8(truncatingIfNeeded: random.next())
            var batch = EventBatch()
            unsafe try? unpacker.unpack(bad.span.bytes, lexicon: &lexicon, into: &batch)
            #expect(batch.events.count <= record.count)
        }
    }

    @Test func anotherVersionIsToldApart() {
        var lexicon = Lexicon()
        var batch = EventBatch()
        var unpacker = EventUnpacker()
        let record: ContiguousArray<UInt8> = [2, 0, 0, 0]
        #expect(throws: PackedEventsError.version(2)) {
            unsafe try unpacker.unpack(record.span.bytes, lexicon: &lexicon, into: &batch)
        }
    }
}
