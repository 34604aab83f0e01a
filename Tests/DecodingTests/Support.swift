import Decoding
import Lifecycle

/// A decoder with the lexicon and the batch that it fills.
struct Bench: ~Copyable {
    var decoder: RecordDecoder
    var lexicon = Lexicon()
    var batch = EventBatch()

    init(_ change: (inout DecodingOptions) -> Void = { _ in }) {
        var options = DecodingOptions()
        change(&options)
        decoder = RecordDecoder(options)
    }

    mutating func decode(_ text: String, key: String? = nil, at timestamp: Int64 = Event.absent) {
        decode(Array(text.utf8), key: key.map { Array($0.utf8) }, at: timestamp)
    }

    mutating func decode(_ value: [UInt8], key: [UInt8]?, at timestamp: Int64 = Event.absent) {
        // A copy of its own, so that a read beyond the end is one beyond the allocation.
        let value = unsafe UnsafeMutableRawBufferPointer.allocate(copying: value)
        let key = unsafe key.map { unsafe UnsafeMutableRawBufferPointer.allocate(copying: $0) }
        defer {
            unsafe value.deallocate()
            if let key = unsafe key { unsafe key.deallocate() }
        }
        let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(value))
        if let key = unsafe key {
            let key = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(key))
            decoder.decode(bytes, key: key, timestamp: timestamp, lexicon: &lexicon, into: &batch)
        } else {
            decoder.decode(bytes, key: nil, timestamp: timestamp, lexicon: &lexicon, into: &batch)
        }
    }

    /// The events, their texts in place of ids.
    var descriptions: [String] {
        batch.events.map { event in
            let group = lexicon.groups[event.group]
            let ids = [
                event.reason, event.resource, event.exitReason, group.app, group.platform, group.appVersion,
                group.osVersion, group.deviceModel,
            ]
            var plain = event
            (plain.reason, plain.resource, plain.exitReason, plain.group) = (0, 0, 0, 0)
            return describe(plain) + ids.map { " " + lexicon.texts[$0] }.joined()
        }
    }

    /// The codes of what was rejected, each with its index where it has one: `bad_ts@2`.
    var codes: [String] {
        batch.rejections.map { rejection in
            rejection.code.code + (rejection.index.map { "@\($0)" } ?? "")
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    static func allocate(copying bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        unsafe buffer.copyBytes(from: bytes)
        return unsafe buffer
    }
}

/// An object with the required fields, and more of them; a later one of the same name wins.
func json(_ more: String = "", device: String = #""d1""#) -> String {
    let head = #"{"device_id":\#(device),"app_id":"app","event":"didBecomeActive","ts":1698000000000"#
    return more.isEmpty ? head + "}" : head + "," + more + "}"
}

/// Reads one record and gives its codes.
func codes(
    _ text: String, key: String? = nil, _ change: (inout DecodingOptions) -> Void = { _ in }
) -> [String] {
    var bench = Bench(change)
    bench.decode(text, key: key)
    return bench.codes
}

/// Reads one record that holds one event.
func event(
    _ text: String, key: String? = nil, at timestamp: Int64 = Event.absent,
    _ change: (inout DecodingOptions) -> Void = { _ in }
) -> Event? {
    var bench = Bench(change)
    bench.decode(text, key: key, at: timestamp)
    return bench.batch.events.count == 1 && bench.batch.rejections.isEmpty ? bench.batch.events.first : nil
}

func text(_ length: Int) -> String { #"""# + String(repeating: "x", count: length) + #"""# }

func key(_ device: String, _ app: String) -> InstallationKey {
    var device = device
    return device.withUTF8 { bytes in
        InstallationKey(device: unsafe RawSpan(_unsafeElements: bytes), app: StableHash.hash(app))
    }
}
