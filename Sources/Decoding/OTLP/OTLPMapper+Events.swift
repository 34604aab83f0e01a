import Lifecycle

/// An edge of a record, before it is known whose it is.
struct OTLPEdge {
    var edge: Edge
    var scope: Scope?
    /// ns since the epoch; 0 where there is none.
    var time: UInt64
    var unknownName: UInt64 = 0
    var className: UInt64 = 0
    var instance: UInt64 = 0
}

extension OTLPMapper {
    /// Appends the record's events, or what is wrong with it, or counts it as other telemetry.
    mutating func endRecord(vocabulary: inout Vocabulary, lexicon: inout Lexicon, into batch: inout EventBatch) {
        guard let name = lifecycleName else { return passOver(into: &batch) }
        endRecord(name, vocabulary: &vocabulary, lexicon: &lexicon, into: &batch)
    }

    mutating func endRecord(
        _ name: OTLPName, vocabulary: inout Vocabulary, lexicon: inout Lexicon, into batch: inout EventBatch
    ) {
        if let fault = append(name, vocabulary: &vocabulary, lexicon: &lexicon, to: &batch) {
            batch.reject(origin, index, fault)
        }
        index += 1
    }

    /// Counts a record as other telemetry.
    mutating func passOver(into batch: inout EventBatch) {
        batch.otherTelemetry += 1
        index += 1
    }

    private mutating func append(
        _ name: OTLPName, vocabulary: inout Vocabulary, lexicon: inout Lexicon, to batch: inout EventBatch
    ) -> RejectionCode? {
        var fault: RejectionCode?
        var pattern = Event(whose(&fault), .unknown, time: 0, received: origin.timestamp)
        pattern.group = group(in: &lexicon, &fault)
        if let fault { return fault }
        pattern.record = UInt32(truncatingIfNeeded: origin.record)
        let instance = unsafe value(.instanceID)
        if unsafe !instance.isEmpty, identity != .instanceID { pattern.process = unsafe Self.hash(instance) }
        pattern.session = unsafe Self.hash(value(.sessionID))
        if name.activityEdge != nil { return appendActivity(name, pattern, to: &batch) }
        guard let edge = edge(name, vocabulary: &vocabulary) else {
            return .missing(field: EventField.event.name)
        }
        return append(edge, pattern, to: &batch)
    }

    private func append(_ told: OTLPEdge, _ pattern: Event, to batch: inout EventBatch) -> RejectionCode? {
        var event = pattern
        event.time = told.time == 0 ? origin.timestamp : Int64(told.time / 1_000_000)
        guard event.time != Event.absent else { return .missing(field: EventField.time.name) }
        event.edge = told.edge
        event.scope = told.scope ?? told.edge.scope ?? .app
        event.unknownName = told.unknownName
        event.className = told.className
        event.instance = told.instance
        batch.events.append(event)
        return nil
    }

    // MARK: Which edge

    /// nil where the record does not say what happened.
    private mutating func edge(_ name: OTLPName, vocabulary: inout Vocabulary) -> OTLPEdge? {
        let time = time != 0 || isSpan ? time : secondTime
        switch name {
        case .appLifecycle:
            return state(vocabulary: &vocabulary).map { OTLPEdge(edge: $0, scope: .app, time: time, unknownName: $1) }
        case .elementLifecycle:
            return element(time, vocabulary: &vocabulary)
        case .appCrash, .deviceCrash:
            return OTLPEdge(edge: .exit, scope: .app, time: time)
        case .created, .resumed, .paused, .stopped, .destroyed, .restarted, .appStart:
            return nil
        }
    }

    /// The edge of a state and, where it is unknown, the hash of its name.
    private mutating func state(vocabulary: inout Vocabulary) -> (Edge, UInt64)? {
        guard let key = OTLPKey.first(of: (record.present | body.present) & OTLPKey.states) else { return nil }
        let state = unsafe record.has(key) ? record[key] : body[key]
        let isApple = key == .iosAppState || key == .iosState
        let value = unsafe RawSpan(_unsafeBytes: state)
        scratch.removeAll()
        scratch.append(isApple ? "ios.app.state=" : "android.app.state=")
        scratch.append(value)
        let name = unsafe RawSpan(_unsafeBytes: scratch.text)
        var edge = vocabulary.edge(name, scope: nil, bridged: false)
        // Some report the end of the launch on iOS too, under the name that Android has for it.
        if edge == .unknown, value.isText("created") { edge = .launch }
        return (edge, edge == .unknown ? StableHash.hash(name) : 0)
    }

    private func element(_ time: UInt64, vocabulary: inout Vocabulary) -> OTLPEdge? {
        let action = unsafe record[.lifecycleAction]
        guard unsafe !action.isEmpty else { return nil }
        let name = unsafe RawSpan(_unsafeBytes: action)
        let type = unsafe record[.elementType]
        let scope = unsafe Scope(ofElement: RawSpan(_unsafeBytes: type))
        var edge = Edge.unknown
        if unsafe scope != nil || type.isEmpty {
            edge = vocabulary.edge(name, scope: scope, bridged: false)
            // What is on the screen is never the app: without its type only a name of one scope tells.
            if scope == nil, edge.scope == .app { edge = .unknown }
        }
        return OTLPEdge(
            edge: edge, scope: scope, time: time, unknownName: edge == .unknown ? StableHash.hash(name) : 0,
            className: unsafe Self.hash(record[.elementName]), instance: unsafe Self.hash(record[.elementID]))
    }

    /// A span gives the edge that it is named for at its start, and those of its events; of each kind the earliest.
    private mutating func appendActivity(
        _ name: OTLPName, _ pattern: Event, to batch: inout EventBatch
    ) -> RejectionCode? {
        let className = unsafe Self.hash(value(.activityName, or: .screenName))
        var first = OTLPEdge(edge: startEdge(name), time: time, className: className)
        if first.edge == .launch { first.className = 0 }
        for kind in ActivityKind.allCases where kind.edge == first.edge {
            let told = eventTimes[Int(kind.rawValue)]
            if told < first.time || first.time == 0, told != UInt64.max { first.time = told }
        }
        if let fault = append(first, pattern, to: &batch) { return fault }
        guard hasEvents else { return nil }
        for kind in ActivityKind.allCases where kind.edge != first.edge {
            let told = OTLPEdge(edge: kind.edge, time: eventTimes[Int(kind.rawValue)], className: className)
            if told.time == UInt64.max { continue }
            if let fault = append(told, pattern, to: &batch) { return fault }
        }
        return nil
    }

    /// An `AppStart` that is warm or hot is no launch: the SDK names so that the first activity was made anew or came
    /// back in a process that lives.
    private func startEdge(_ name: OTLPName) -> Edge {
        if name == .appStart {
            let type = unsafe RawSpan(_unsafeBytes: record[.startType])
            if type.isText("warm") { return .activityCreate }
            if type.isText("hot") { return .activityRestart }
        }
        return name.activityEdge ?? .unknown
    }

    static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        unsafe text.isEmpty ? 0 : StableHash.hash(RawSpan(_unsafeBytes: text))
    }
}

extension Scope {
    /// nil where an element of this type has no scope here.
    init?(ofElement type: RawSpan) {
        guard let scope = Scope.allCases.first(where: { type.spells($0) }) else { return nil }
        self = scope
    }
}

extension RawSpan {
    /// Whether the bytes are the name of a scope, in any case.
    fileprivate func spells(_ scope: Scope) -> Bool {
        var name = scope.name
        return name.withUTF8 { word in
            guard byteCount == word.count else { return false }
            for index in 0..<byteCount where unsafe self[byte: index] | 0x20 != word[index] { return false }
            return true
        }
    }
}
