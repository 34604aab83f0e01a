/// Comparing the records of two folds, figure by figure.
package enum Comparison {
    /// Fields in which two right answers may differ: the reference writes no sketch.
    private static let skipped: Set<String> = ["devices_hll", "revision"]

    /// The first difference between what was expected and what was found, with window, group and field; nothing where
    /// all figures agree.
    package static func firstDifference(expected: [Row], found: [Row]) -> String? {
        var rows: [String: Row] = [:]
        for row in found where rows.updateValue(row, forKey: row.key) != nil { return "\(row.key): stands twice" }
        for row in expected {
            guard let other = rows.removeValue(forKey: row.key) else { return "\(row.key): missing" }
            let difference = difference(.map(row.fields), .map(other.fields), at: "")
            if let difference { return "\(row.key): \(difference)" }
        }
        return rows.keys.min().map { "\($0): unexpected" }
    }

    /// The same, for records as text: one JSON object a line.
    package static func firstDifference(expected: [Row], records: [[UInt8]]) -> String? {
        var rows: [Row] = []
        for line in records where !line.isEmpty {
            guard let row = Row(json: line) else { return "no record: \(String(decoding: line, as: UTF8.self))" }
            rows.append(row)
        }
        return firstDifference(expected: expected, found: rows)
    }

    private static func difference(_ expected: Field, _ found: Field, at path: String) -> String? {
        switch (expected, found) {
        case (.map(let some), .map(let others)):
            for pair in some where !skipped.contains(pair.key) {
                let name = path.isEmpty ? pair.key : "\(path).\(pair.key)"
                guard let other = others.first(where: { $0.key == pair.key }) else {
                    return "\(name): expected \(pair.value.json), nothing found"
                }
                if let difference = difference(pair.value, other.value, at: name) { return difference }
            }
            let known = Set(some.map(\.key)).union(skipped)
            let other = others.first { !known.contains($0.key) }
            return other.map { "\(path).\($0.key): nothing expected, found \($0.value.json)" }
        default:
            // Numbers are compared as they are written: a whole one may be read as either kind.
            return expected.json == found.json ? nil : "\(path): expected \(expected.json), found \(found.json)"
        }
    }
}

extension Row {
    /// Reads a record back from its JSON; nothing where it is none.
    package init?(json: [UInt8]) {
        guard let value = try? JSONText.read(json), case .map(let fields) = Field(value) else { return nil }
        func text(_ name: String) -> String? {
            guard case .text(let text) = fields.first(where: { $0.key == name })?.value else { return nil }
            return text
        }
        guard let start = text("window_start"),
            case .integer(let size) = fields.first(where: { $0.key == "window_ms" })?.value,
            let final = fields.firstIndex(where: { $0.key == "final" }),
            let devices = fields.firstIndex(where: { $0.key == "devices" }), final < devices
        else { return nil }
        let group = fields[(final + 1)..<devices].compactMap { text($0.key) }
        self.init(key: Self.key(start: start, size: size, group: group), fields: fields)
    }
}

extension Field {
    init(_ value: JSONText) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .object(let members): self = .map(members.map { Pair($0.name, Field($0.value)) })
        case .array(let items):
            self = .list(items.compactMap { if case .integer(let whole) = $0 { whole } else { nil } })
        }
    }
}
