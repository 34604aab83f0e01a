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

    private static let source = PackedHeader(topic: 7, partition: 3, stream: 2_000_000_000_000, isIdle: true)

    private func record(of events: [Event], _ lexicon: Lexicon) -> ContiguousArray<UInt8> {
        var packer = EventPacker()
        for event in events { packer.append(event, stream: stream(of: event), lexicon: lexicon) }
        defer { #expect(packer.count == 0) }
        return packer.take(Self.source)
    }

    /// Some are ahead of the receive time.
    private func stream(of event: Event) -> Int64 { 1_767_225_600_000 + Int64(event.record / 7) * 147 }

    /// The events of a record, as far as they can be read.
    private func unpack(
        _ record: ContiguousArray<UInt8>, _ lexicon: inout Lexicon, into batch: inout EventBatch
    ) throws(PackedEventsError) {
        var cursor = unsafe try PackedCursor(record.span.bytes)
        while !cursor.isEmpty { unsafe try cursor.take(record.span.bytes, lexicon: &lexicon, into: &batch) }
    }

    @Test(arguments: [1, 77, 4242] as [UInt64])
    func whatIsPackedIsUnpacked(seed: UInt64) throws {
        var lexicon = Lexicon()
        let events = events(500, seed: seed, &lexicon)
        let record = record(of: events, lexicon)

        var other = Lexicon()
        _ = other.texts.intern("here before")
        var batch = EventBatch()
        var cursor = unsafe try PackedCursor(record.span.bytes)
        #expect(cursor.header.topic == 7 && cursor.header.partition == 3 && cursor.header.isIdle)
        #expect(cursor.header.stream == Self.source.stream)
        #expect(cursor.header.events == 500)
        var place = 0
        while !cursor.isEmpty {
            #expect(cursor.stream == stream(of: events[place]))
            let before = batch.events.count
            unsafe try cursor.take(record.span.bytes, lexicon: &other, into: &batch)
            // A tick tells stream time where the first event does not.
            let isBehind = cursor.stream > events[place].received
            let first = batch.events[before]
            if first.edge == .tick {
                #expect(first.received == stream(of: events[place]) && first.received > events[place].received)
                batch.events.remove(at: before)
            } else {
                #expect(first.received >= stream(of: events[place]) || !isBehind)
            }
            place = batch.events.count
        }
        #expect(batch.events.count == 500)
        for (index, event) in events.enumerated() {
            let (sent, read) = (text(event, lexicon), text(batch.events[index], other))
            #expect(sent == read)
        }
    }

    @Test func whatOnlyTellsHowFarItIsHoldsNoEvents() throws {
        var packer = EventPacker()
        let record = packer.take(PackedHeader(topic: 7, partition: 3, stream: Int64.min, isIdle: false))
        let cursor = unsafe try PackedCursor(record.span.bytes)
        #expect(cursor.isEmpty && cursor.header.stream == Int64.min && !cursor.header.isIdle)
        #expect(record.count < 32)
    }

    /// What stands before the cut can be read; of the source record that is cut nothing can.
    @Test func aCutRecordIsTold() throws {
        var lexicon = Lexicon()
        let events = events(20, seed: 9, &lexicon)
        let record = record(of: events, lexicon)
        for length in 0..<record.count {
            var batch = EventBatch()
            let cut = ContiguousArray(record[..<length])
            #expect(throws: PackedEventsError.malformed) { try unpack(cut, &lexicon, into: &batch) }
            let read = batch.events.filter { $0.edge != .tick }
            #expect(read.count < 20 && read.count % 3 == 0 && read.count == batch.records * 3)
            #expect(zip(read, events).allSatisfy { $0.installation == $1.installation })
        }
    }

    @Test func damageNeverTraps() {
        var lexicon = Lexicon()
        let record = record(of: events(20, seed: 10, &lexicon), lexicon)
        var random = Xorshift(state: 99)
        for _ in 0..<2000 {
            var bad = record
            bad[Int(random.next() % UInt64(bad.count))] = UInt8(truncatingIfNeeded: random.next())
            var batch = EventBatch()
            try? unpack(bad, &lexicon, into: &batch)
            #expect(batch.events.count <= record.count)
        }
    }

    @Test func anotherVersionIsToldApart() {
        let record: ContiguousArray<UInt8> = [1, 0, 0, 0]
        #expect(throws: PackedEventsError.version(1)) { _ = unsafe try PackedCursor(record.span.bytes) }
    }
}
