/// Native JSON: an object or an array of them, one record.
struct NativeInput {
    let options: Options

    enum Unreadable: Error {
        case code(String)
    }

    /// The events of a record; codes of what could not be read go to `rejected`.
    func events(of record: JSONText, rejected: inout [String: Int]) -> [Event] {
        var found: [Event] = []
        for item in record.items ?? [record] {
            do throws(Unreadable) {
                found.append(try event(of: item))
            } catch {
                guard case .code(let code) = error else { continue }
                rejected[code, default: 0] += 1
            }
        }
        return found
    }

    private func event(of item: JSONText) throws(Unreadable) -> Event {
        guard case .object(let members) = item else { throw .code("not_an_object") }
        var fields: [String: JSONText] = [:]
        for member in members { fields[Self.snakeCase(member.name)] = member.value }
        fields = fields.filter { $0.value != .null }

        guard let device = try string("device_id", fields, limit: 256) ?? options.text("input.default_device_id") else {
            throw .code("missing_device_id")
        }
        guard let app = try string("app_id", fields, limit: 256) ?? options.text("input.default_app_id") else {
            throw .code("missing_app_id")
        }
        guard let name = try string("event", fields) else { throw .code("missing_event") }
        let (scope, edge) = Names.edge(name, scope: try string("scope", fields))
        let event = Event(device: device, app: app, name: name, scope: scope, edge: edge)
        event.received = try time("rx_ts", fields)
        event.sent = try time("sent_ts", fields)
        event.ts = try time("ts", fields).flatMap { $0 == 0 ? nil : $0 } ?? event.received ?? 0
        if name.lowercased() == "android.app.state=background" {
            event.lateBy = options.time("android.background_grace")
        }
        try fillIn(event, fields)
        return event
    }

    private func fillIn(_ event: Event, _ fields: [String: JSONText]) throws(Unreadable) {
        event.mono = try number("mono_ms", fields).map { Int(($0 * 1000).rounded()) }
        event.seq = try natural("seq", fields)
        event.process = try string("process_id", fields)
        event.session = try string("session_id", fields)
        event.boot = try string("boot_id", fields)
        event.id = try string("event_id", fields)
        event.instance = try string("instance", fields)
        event.className = try string("class", fields)
        event.reason = try string("reason", fields)
        event.resource = try string("resource", fields)
        event.exitReason = try string("exit_reason", fields)
        event.handler = try number("handler_ms", fields)
        event.prewarm = try bool("prewarm", fields)
        event.bridged = try bool("bridged", fields)
        var values = ["app_id": event.app]
        for dimension in ["platform", "app_version", "os_version", "device_model"] {
            values[dimension] = try string(dimension, fields, limit: 64) ?? ""
        }
        event.group = options.dimensions.map { values[$0] ?? "" }
    }

    private func string(_ name: String, _ fields: [String: JSONText], limit: Int = .max) throws(Unreadable) -> String? {
        guard let value = fields[name] else { return nil }
        guard let text = value.text else { throw .code("bad_\(name)") }
        guard text.utf8.count <= limit else { throw .code("too_long_\(name)") }
        return text
    }

    private func number(_ name: String, _ fields: [String: JSONText]) throws(Unreadable) -> Double? {
        switch fields[name] {
        case nil: return nil
        case .integer(let whole): return Double(whole)
        case .number(let number) where abs(number) < 1e15: return number
        default: throw .code("bad_\(name)")
        }
    }

    private func natural(_ name: String, _ fields: [String: JSONText]) throws(Unreadable) -> Int? {
        switch fields[name] {
        case nil: return nil
        case .integer(let whole) where whole >= 0 && whole < .max / 2: return whole
        default: throw .code("bad_\(name)")
        }
    }

    private func bool(_ name: String, _ fields: [String: JSONText]) throws(Unreadable) -> Bool {
        switch fields[name] {
        case nil: return false
        case .bool(let value): return value
        default: throw .code("bad_\(name)")
        }
    }

    private func time(_ name: String, _ fields: [String: JSONText]) throws(Unreadable) -> Int? {
        switch fields[name] {
        case nil: return nil
        case .integer(let whole) where whole > -100_000_000_000_000_000:
            return whole >= 100_000_000_000_000_000 ? whole / 1_000_000 : whole
        case .string(let text):
            guard let time = Instant.milliseconds(rfc3339: text) else { throw .code("bad_\(name)") }
            return time
        default: throw .code("bad_\(name)")
        }
    }

    /// `deviceId` is `device_id`; names in snake case stay as they are.
    private static func snakeCase(_ name: String) -> String {
        guard name.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return name }
        return name.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }
}
