@testable import Decoding

/// Writes requests in protobuf as OTLP/JSON, so that both can be read and compared.
struct WireToJSON {
    /// What a field of a message is in JSON.
    indirect enum Kind: Sendable {
        case text
        case unsigned
        case signed
        case number
        case message([UInt64: Field])
        case pairs
        case anyValue
    }

    struct Field: Sendable {
        var name: String
        var kind: Kind
        var isList = false
    }

    var random: Random

    static let pair: [UInt64: Field] = [
        1: Field(name: "key", kind: .text), 2: Field(name: "value", kind: .anyValue),
    ]
    static let anyValue: [UInt64: Field] = [
        1: Field(name: "stringValue", kind: .text), 2: Field(name: "boolValue", kind: .number),
        3: Field(name: "intValue", kind: .signed),
        6: Field(
            name: "kvlistValue", kind: .message([1: Field(name: "values", kind: .pairs, isList: true)])),
    ]
    static let resource = Field(
        name: "resource", kind: .message([1: Field(name: "attributes", kind: .pairs, isList: true)]))
    static let log: [UInt64: Field] = [
        1: Field(name: "timeUnixNano", kind: .unsigned), 2: Field(name: "severityNumber", kind: .number),
        5: Field(name: "body", kind: .anyValue), 6: Field(name: "attributes", kind: .pairs, isList: true),
        11: Field(name: "observedTimeUnixNano", kind: .unsigned), 12: Field(name: "eventName", kind: .text),
    ]
    static let span: [UInt64: Field] = [
        5: Field(name: "name", kind: .text), 7: Field(name: "startTimeUnixNano", kind: .unsigned),
        8: Field(name: "endTimeUnixNano", kind: .unsigned), 9: Field(name: "attributes", kind: .pairs, isList: true),
        11: Field(
            name: "events",
            kind: .message([
                1: Field(name: "timeUnixNano", kind: .unsigned), 2: Field(name: "name", kind: .text),
            ]), isList: true),
    ]

    static func request(isSpan: Bool) -> [UInt64: Field] {
        let record = Field(
            name: isSpan ? "spans" : "logRecords", kind: .message(isSpan ? span : log), isList: true)
        let scope = Field(name: isSpan ? "scopeSpans" : "scopeLogs", kind: .message([2: record]), isList: true)
        let group = Field(
            name: isSpan ? "resourceSpans" : "resourceLogs", kind: .message([1: resource, 2: scope]), isList: true)
        return [1: group]
    }

    mutating func write(_ request: [UInt8], isSpan: Bool) -> String {
        message(request, 0..<request.count, Self.request(isSpan: isSpan))
    }

    /// Members in any order, with blanks, unknown and absent ones between them.
    private mutating func message(_ bytes: [UInt8], _ range: Range<Int>, _ fields: [UInt64: Field]) -> String {
        var values: [String: [String]] = [:]
        var reader = unsafe WireReader(range, of: bytes.span.bytes)
        while let field = reader.next(unsafe bytes.span.bytes) {
            guard let known = fields[UInt64(field.number)] else { continue }
            values[known.name, default: []].append(value(bytes, field, known.kind))
        }
        var members = fields.values.sorted { $0.name < $1.name }.compactMap { field -> String? in
            guard let found = values[field.name] else { return nil }
            return "\"\(field.name)\":" + (field.isList ? "[" + found.joined(separator: ",") + "]" : found[0])
        }
        if random.chance(10) { members.append("\"unknown\":{\"key\":[1,\"]\"]}") }
        if random.chance(10) { members.append("\"attributez\": null") }
        if random.chance(5) { members = members.map { member in "\"traceId\":\"\" ,\n" + member } }
        members.shuffle(using: &random)
        return "{" + members.joined(separator: random.pick([",", ", ", " ,\n"])) + "}"
    }

    private mutating func value(_ bytes: [UInt8], _ field: WireReader.Field, _ kind: Kind) -> String {
        switch kind {
        case .text: return quoted(String(decoding: bytes[field.range], as: UTF8.self))
        case .unsigned: return random.chance(50) ? "\"\(field.integer)\"" : "\(field.integer)"
        case .signed:
            let integer = Int64(bitPattern: field.integer)
            return random.chance(50) ? "\"\(integer)\"" : "\(integer)"
        case .number: return "\(field.integer)"
        case .message(let fields): return message(bytes, field.range, fields)
        case .pairs: return message(bytes, field.range, Self.pair)
        case .anyValue: return message(bytes, field.range, Self.anyValue)
        }
    }

    private mutating func quoted(_ text: String) -> String {
        let letters = text.unicodeScalars.map { scalar -> String in
            let isPlain = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\" && !random.chance(3)
            if isPlain || scalar.value > 0xFFFF { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + letters.joined() + "\""
    }
}
