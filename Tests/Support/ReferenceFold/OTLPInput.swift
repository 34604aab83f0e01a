/// OpenTelemetry requests as JSON: logs and spans of the lifecycle among other telemetry.
struct OTLPInput {
    let options: Options

    private struct Source {
        /// Attributes of the record first, then those of its resource.
        let attributes: [[String: String]]

        subscript(key: String) -> String? { attributes.lazy.compactMap { $0[key] }.first }
    }

    /// Whether a JSON object is an export request.
    static func isRequest(_ record: JSONText) -> Bool {
        record["resourceLogs"] != nil || record["resourceSpans"] != nil
    }

    func events(of request: JSONText, rejected: inout [String: Int]) -> [Event] {
        var found: [Event] = []
        for (groups, scopes, records) in [
            ("resourceLogs", "scopeLogs", "logRecords"), ("resourceSpans", "scopeSpans", "spans"),
        ] {
            for group in request[groups]?.items ?? [] {
                let resource = Self.attributes(group["resource"]?["attributes"])
                for record in (group[scopes]?.items ?? []).flatMap({ $0[records]?.items ?? [] }) {
                    let source = Source(attributes: [Self.attributes(record["attributes"]), resource])
                    let isSpan = records == "spans"
                    let edges = isSpan ? spanEdges(record, source) : logEdges(record, source)
                    for edge in edges {
                        if let event = event(edge, source, rejected: &rejected) { found.append(event) }
                    }
                }
            }
        }
        return found
    }

    /// An edge before it is known whose it is.
    private struct Told {
        var name: String
        var scope: String?
        /// Where none is told the record has no time.
        var time: Int?
        var className: String?
        var instance: String?
    }

    // MARK: Logs

    private func logEdges(_ record: JSONText, _ source: Source) -> [Told] {
        let time = Self.time(record["timeUnixNano"]) ?? Self.time(record["observedTimeUnixNano"])
        let name = record["eventName"]?.text.flatMap { $0.isEmpty ? nil : $0 } ?? Self.nameAttribute(source)
        let body = Source(attributes: source.attributes + [Self.attributes(record["body"]?["kvlistValue"]?["values"])])
        return lifecycle(named: name, body, time)
    }

    private static func nameAttribute(_ source: Source) -> String? {
        source["otel.event.name"] ?? source["event.name"] ?? source["name"]
    }

    /// The records that the semantic conventions name; any other is other telemetry.
    private func lifecycle(named name: String?, _ source: Source, _ time: Int?) -> [Told] {
        switch name {
        case "device.app.lifecycle":
            for (key, vocabulary) in [
                ("ios.app.state", "ios.app.state"), ("android.app.state", "android.app.state"),
                ("ios.state", "ios.app.state"), ("android.state", "android.app.state"),
            ] {
                if let state = source[key] { return [Told(name: "\(vocabulary)=\(state)", scope: "app", time: time)] }
            }
            return [Told(name: "", time: time)]
        case "app.ui.lifecycle":
            return [
                Told(
                    name: source["lifecycle.action"] ?? "", scope: source["element.type"], time: time,
                    className: source["element.name"], instance: source["element.id"])
            ]
        case "app.crash", "device.crash": return [Told(name: name ?? "", time: time)]
        default: return []
        }
    }

    // MARK: Spans

    private static let activitySpans: Set<String> = [
        "Created", "Started", "Resumed", "Paused", "Stopped", "Destroyed", "Restarted", "AppStart",
    ]

    private func spanEdges(_ span: JSONText, _ source: Source) -> [Told] {
        let start = Self.time(span["startTimeUnixNano"])
        guard let name = span["name"]?.text else { return [] }
        if let named = Self.nameAttribute(source) ?? Optional(name), !Self.activitySpans.contains(named) {
            let isPoint = start == Self.time(span["endTimeUnixNano"])
            return isPoint ? lifecycle(named: named, source, start) : []
        }
        var edges: [Told] = []
        if name == "AppStart" {
            edges.append(Told(name: "launch", scope: "app", time: start))
        } else {
            edges.append(Told(name: name, scope: "activity", time: start))
        }
        for event in span["events"]?.items ?? [] {
            guard let told = event["name"]?.text, let time = Self.time(event["timeUnixNano"]),
                let prefix = ["activityPre", "activityPost"].first(where: { told.hasPrefix($0) })
            else { continue }
            edges.append(Told(name: String(told.dropFirst(prefix.count)), scope: "activity", time: time))
        }
        return Self.earliestOfEachKind(edges).map { edge in
            var edge = edge
            edge.className = edge.scope == "activity" ? source["activity.name"] ?? source["app.screen.name"] : nil
            return edge
        }
    }

    private static func earliestOfEachKind(_ edges: [Told]) -> [Told] {
        var earliest: [Told] = []
        for edge in edges {
            let kind = Names.edge(edge.name, scope: edge.scope).edge
            if let place = earliest.firstIndex(where: { Names.edge($0.name, scope: $0.scope).edge == kind }) {
                if let time = edge.time, time < earliest[place].time ?? .max { earliest[place].time = time }
            } else {
                earliest.append(edge)
            }
        }
        return earliest
    }

    // MARK: Whose it is

    private func event(_ told: Told, _ source: Source, rejected: inout [String: Int]) -> Event? {
        let identities = ["device.id", "app.installation.id", "service.instance.id", "session.id"]
        guard let identity = identities.first(where: { source[$0] != nil }), let device = source[identity] else {
            rejected["missing_device_id", default: 0] += 1
            return nil
        }
        let service = source["service.name"].map { name in
            source["service.namespace"].map { "\($0)/\(name)" } ?? name
        }
        guard let app = service ?? options.text("input.default_app_id") else {
            rejected["missing_app_id", default: 0] += 1
            return nil
        }
        guard !told.name.isEmpty else {
            rejected["missing_event", default: 0] += 1
            return nil
        }
        let (scope, edge) = Names.edge(told.name, scope: told.scope)
        let event = Event(device: device, app: app, name: told.name, scope: scope, edge: edge)
        event.ts = told.time ?? 0
        event.className = told.className
        event.instance = told.instance
        event.session = source["session.id"]
        if identity != "service.instance.id" { event.process = source["service.instance.id"] }
        if told.name == "android.app.state=background" { event.lateBy = options.time("android.background_grace") }
        let platform = source["os.name"]?.lowercased() ?? (source["os.type"]?.lowercased() == "darwin" ? "ios" : nil)
        let values: [String: String?] = [
            "app_id": app, "platform": platform, "app_version": source["service.version"],
            "os_version": source["os.version"],
            "device_model": source["device.model.identifier"] ?? source["device.model.name"],
        ]
        event.group = options.dimensions.map { (values[$0] ?? nil) ?? "" }
        return event
    }

    // MARK: Values

    private static func attributes(_ list: JSONText?) -> [String: String] {
        var attributes: [String: String] = [:]
        for item in list?.items ?? [] {
            guard let key = item["key"]?.text, let value = item["value"] else { continue }
            if let text = value["stringValue"]?.text ?? integer(value["intValue"]).map(String.init) {
                attributes[key] = text
            }
        }
        return attributes
    }

    /// 64-bit integers stand as numbers or as text.
    private static func integer(_ value: JSONText?) -> Int? {
        switch value {
        case .integer(let whole): whole
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// ms; 0 is absent.
    private static func time(_ value: JSONText?) -> Int? {
        integer(value).flatMap { $0 == 0 ? nil : $0 / 1_000_000 }
    }
}
