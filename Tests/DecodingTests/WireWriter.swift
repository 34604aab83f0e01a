import Lifecycle

/// Writes protobuf for tests, field by field.
struct WireWriter {
    var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func tag(_ number: UInt64, _ type: UInt64) { varint(number << 3 | type) }

    mutating func integer(_ number: UInt64, _ value: UInt64) {
        tag(number, 0)
        varint(value)
    }

    mutating func fixed64(_ number: UInt64, _ value: UInt64) {
        tag(number, 1)
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
    }

    mutating func fixed32(_ number: UInt64, _ value: UInt32) {
        tag(number, 5)
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * shift))) }
    }

    mutating func text(_ number: UInt64, _ value: String) { raw(number, Array(value.utf8)) }

    mutating func raw(_ number: UInt64, _ value: [UInt8]) {
        tag(number, 2)
        varint(UInt64(value.count))
        bytes += value
    }

    mutating func message(_ number: UInt64, _ fill: (inout WireWriter) -> Void) {
        var inner = WireWriter()
        fill(&inner)
        raw(number, inner.bytes)
    }

    mutating func attribute(_ number: UInt64, _ key: String, _ value: String) {
        message(number) {
            $0.text(1, key)
            $0.message(2) { $0.text(1, value) }
        }
    }

    mutating func attributes(_ number: UInt64, _ values: [(String, String)]) {
        for (key, value) in values { attribute(number, key, value) }
    }
}

/// What a record is to say.
struct Telemetry {
    static let phone = [("device.id", "phone"), ("service.name", "com.example.app"), ("os.name", "iOS")]

    var resource = phone
    var records: [[UInt8]] = []

    /// A log record.
    static func log(
        _ name: String? = "device.app.lifecycle", _ attributes: [(String, String)] = [],
        time: UInt64 = 1_698_000_000_000_000_000, observed: UInt64 = 0, body: [(String, String)] = []
    ) -> [UInt8] {
        var record = WireWriter()
        if time != 0 { record.fixed64(1, time) }
        if observed != 0 { record.fixed64(11, observed) }
        record.attributes(6, attributes)
        if !body.isEmpty { record.message(5) { $0.message(6) { $0.attributes(1, body) } } }
        if let name { record.text(12, name) }
        return record.bytes
    }

    /// A span from second 1 on.
    static func span(
        _ name: String, _ attributes: [(String, String)] = [], milliseconds: UInt64 = 0,
        events: [(String, UInt64)] = []
    ) -> [UInt8] {
        let start: UInt64 = 1_698_000_001_000_000_000
        var span = WireWriter()
        span.raw(1, Array(0..<16))
        span.text(5, name)
        span.fixed64(7, start)
        span.fixed64(8, start + milliseconds * 1_000_000)
        span.attributes(9, attributes)
        for (event, time) in events {
            span.message(11) {
                $0.fixed64(1, start + time * 1_000_000)
                $0.text(2, event)
            }
        }
        return span.bytes
    }

    /// The request; `resourceFirst` as every SDK writes it.
    func request(resourceFirst: Bool = true) -> [UInt8] {
        var request = WireWriter()
        request.message(1) { group in
            func writeResource(_ group: inout WireWriter) { group.message(1) { $0.attributes(1, resource) } }
            if resourceFirst { writeResource(&group) }
            group.message(2) { scope in
                for record in records { scope.raw(2, record) }
            }
            if !resourceFirst { writeResource(&group) }
        }
        return request.bytes
    }
}

extension Bench {
    mutating func decode(_ resource: [(String, String)], _ records: [[UInt8]], at: Int64 = Event.absent) {
        decode(Telemetry(resource: resource, records: records).request(), key: nil, at: at)
    }
}
