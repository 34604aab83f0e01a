import Lifecycle

/// One line, taken apart, with what its record says about it.
struct LogcatEntry {
    var record: LogcatRecord
    var line: LogcatLine
    var tag: LogcatTag
    var isOlder: Bool
    /// When the line was written, ms since the epoch.
    var time: Int64
}

extension LogcatDecoder {
    /// Takes one line in; why it could not be read, if so.
    mutating func take(
        _ bytes: RawSpan, _ range: Range<Int>, of record: LogcatRecord, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) -> RejectionCode? {
        guard let line = LogcatLine(bytes, in: range) else { return takeHeader(bytes, range, lexicon: &lexicon) }
        let time = context.time(of: line.stamp, device: record.device.first, received: record.received)
        guard let match = tags.match(bytes.extracting(line.tag)) else {
            batch.otherTelemetry += 1
            return nil
        }
        let entry = LogcatEntry(record: record, line: line, tag: match.tag, isOlder: match.isOlder, time: time)
        if match.tag == .launchTime {
            batch.otherTelemetry += 1
            noteLaunchTime(bytes, entry, lexicon: &lexicon)
            return nil
        }
        guard let fields = LogcatFields(bytes, in: line.message) else { return .invalidLogcat }
        if let edge = match.tag.edge {
            return takeEdge(edge, bytes, entry, fields, lexicon: &lexicon, into: &batch)
        }
        return takeSystem(bytes, entry, fields, lexicon: &lexicon, into: &batch)
    }

    private mutating func takeHeader(_ bytes: RawSpan, _ line: Range<Int>, lexicon: inout Lexicon) -> RejectionCode? {
        guard let package = Self.header(bytes, line), !package.isEmpty else { return nil }
        guard let app = app(bytes, package, lexicon: &lexicon) else { return .invalidLogcat }
        context.headerApp = app
        return nil
    }

    // MARK: Edges

    private mutating func takeEdge(
        _ edge: Edge, _ bytes: RawSpan, _ entry: LogcatEntry, _ fields: LogcatFields, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) -> RejectionCode? {
        guard let call = LogcatCall(bytes, fields, isOlder: entry.isOlder) else { return .invalidLogcat }
        let device = entry.record.device
        let pid = device.pid(bytes.extracting(entry.line.pid))
        var process = context.processes[pid.key] ?? LogcatProcess()
        if process.isAside {
            batch.otherTelemetry += 1
            return nil
        }
        guard let app = app(ofEdge: process, bytes, call.className, lexicon: &lexicon) else { return .invalidLogcat }
        if process.edgesApp?.hash != app.hash {
            context.pids.set(device.key(name: app.hash), pid)
        }
        var time = entry.time
        if edge != .activityResume, let duration = call.duration {
            // The callback began after the one before it was over, however long its line says it took.
            let before = process.lastEdge > entry.time ? Int64.min : process.lastEdge
            time = max(entry.time - duration, before)
        }
        process.edgesApp = app
        process.lastEdge = entry.time
        context.processes.set(pid.key, process)

        var event = event(edge, app, entry, time: time, lexicon: &lexicon)
        event.process = process.id(pid.hash)
        if let token = call.token { event.instance = StableHash.hash(bytes.extracting(token)) }
        event.className = StableHash.hash(bytes.extracting(call.className))
        if let duration = call.duration { event.handler = duration * 1000 }
        batch.events.append(event)
        return nil
    }

    private mutating func app(
        ofEdge process: LogcatProcess, _ bytes: RawSpan, _ className: Range<Int>, lexicon: inout Lexicon
    ) -> LogcatApp? {
        if let app = process.package ?? context.headerApp { return app }
        if !defaultApp.isEmpty {
            let text = unsafe defaultApp.span.bytes
            return LogcatApp(text: lexicon.texts.intern(text), hash: StableHash.hash(text))
        }
        var end = className.lowerBound
        for part in 0..<3 where end < className.upperBound {
            end = bytes.index(of: UInt8(ascii: "."), in: (part == 0 ? end : end + 1)..<className.upperBound)
        }
        return app(bytes, className.lowerBound..<end, lexicon: &lexicon)
    }

    private func event(
        _ edge: Edge, _ app: LogcatApp, _ entry: LogcatEntry, time: Int64, lexicon: inout Lexicon
    ) -> Event {
        let record = entry.record
        var event = Event(record.device.installation(of: app), edge, time: time, received: record.received)
        event.record = record.number
        event.group = lexicon.groups.intern(
            Dimensions(
                app: grouping.app ? app.text : TextTable.empty,
                platform: unsafe grouping.platform ? lexicon.texts.intern(platform.span.bytes) : TextTable.empty))
        return event
    }

    // MARK: Lines of the system

    private mutating func takeSystem(
        _ bytes: RawSpan, _ entry: LogcatEntry, _ fields: LogcatFields, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) -> RejectionCode? {
        guard let told = LogcatTold(bytes, fields, entry.tag) else { return .invalidLogcat }
        switch entry.tag {
        case .processStart, .processBound:
            guard let app = app(bytes, told.package, lexicon: &lexicon) else { return .invalidLogcat }
            begin(bytes, entry, told, app: app)
        case .notResponding:
            let pid = entry.record.device.pid(bytes.extracting(told.pid))
            var process = context.processes[pid.key] ?? LogcatProcess()
            process.isNotResponding = !process.isDead
            context.processes.set(pid.key, process)
        default:
            return takeExit(bytes, entry, told, lexicon: &lexicon, into: &batch)
        }
        return nil
    }

    /// A process was started or bound: its pid has a name from now on.
    private mutating func begin(_ bytes: RawSpan, _ entry: LogcatEntry, _ told: LogcatTold, app: LogcatApp) {
        let device = entry.record.device
        let pid = device.pid(bytes.extracting(told.pid))
        let name = StableHash.hash(bytes.extracting(told.process))
        var process = context.processes[pid.key]
        if let former = process {
            let isRepeated = former.name == name && former.started == entry.time
            let isAnother = former.name != 0 && former.name != name
            if entry.tag == .processStart ? !isRepeated : isAnother {
                process = LogcatProcess(generation: former.generation + 1)
            }
        }
        var begun = process ?? LogcatProcess()
        begun.name = name
        begun.package = app
        begun.isAside = told.isAside
        if entry.tag == .processStart { begun.started = entry.time }
        context.processes.set(pid.key, begun)
        context.pids.set(device.key(name: name), pid)
    }

    private mutating func takeExit(
        _ bytes: RawSpan, _ entry: LogcatEntry, _ told: LogcatTold, lexicon: inout Lexicon,
        into batch: inout EventBatch
    ) -> RejectionCode? {
        let device = entry.record.device
        let name = device.key(name: StableHash.hash(bytes.extracting(told.process)))
        let spoken = device.pid(bytes.extracting(told.pid))
        let isNative = entry.tag == .crash && bytes.octets(told.pid, equal: entry.line.pid)
        let dying = isNative ? crashed(spoken, name: name, of: device) : spoken
        if !isNative, context.processes[spoken.key] == nil, let crash = context.processes[device.key(crashOf: name)],
            crash.isDead
        {
            // Its crash was told without the pid, before anything was known of it: the same death.
            context.processes.set(device.key(crashOf: name), LogcatProcess())
            context.processes.set(spoken.key, crash)
        }
        var process = context.processes[dying.key] ?? LogcatProcess()
        if told.isAside || process.isAside {
            batch.otherTelemetry += 1
            return nil
        }
        guard !process.isDead else { return nil }
        guard let reason = exitReason(bytes, entry.tag, told, of: process, lexicon: &lexicon),
            let app = process.edgesApp ?? app(bytes, told.package, lexicon: &lexicon)
        else { return .invalidLogcat }
        process.isDead = true
        context.processes.set(dying.key, process)

        var event = event(.exit, app, entry, time: entry.time, lexicon: &lexicon)
        event.process = process.id(dying.hash)
        event.flags.insert(.namesItsProcess)
        event.exitReason = reason
        batch.events.append(event)
        return nil
    }

    /// A native crash is told under the pid of the one who tells it: it is the last pid seen of that process, or, with
    /// none seen, a number that is no pid's.
    private func crashed(_ teller: LogcatPID, name: UInt64, of device: LogcatDevice) -> LogcatPID {
        context.pids[name] ?? LogcatPID(hash: teller.hash, key: device.key(crashOf: name))
    }

    /// nil where it is no UTF-8.
    private func exitReason(
        _ bytes: RawSpan, _ tag: LogcatTag, _ told: LogcatTold, of process: LogcatProcess, lexicon: inout Lexicon
    ) -> UInt32? {
        if process.isNotResponding { return lexicon.texts.intern("anr") }
        if tag == .crash { return lexicon.texts.intern("crash") }
        guard let reason = told.reason else { return TextTable.empty }
        let text = bytes.extracting(reason)
        return text.isUTF8 ? lexicon.texts.intern(text) : nil
    }

    private mutating func noteLaunchTime(_ bytes: RawSpan, _ entry: LogcatEntry, lexicon: inout Lexicon) {
        guard var fields = LogcatFields(bytes, in: entry.line.message), fields.number(bytes) != nil,
            let token = fields.text(bytes), let component = fields.text(bytes), let last = fields.field(bytes),
            let duration = LogcatFields.milliseconds(bytes, last)
        else { return }
        let slash = bytes.index(of: UInt8(ascii: "/"), in: component)
        guard let app = app(bytes, component.lowerBound..<slash, lexicon: &lexicon) else { return }
        context.note(
            LogcatContext.LaunchTime(
                device: entry.record.device.first, app: app.text, instance: StableHash.hash(bytes.extracting(token)),
                time: entry.time, duration: duration))
    }

    /// nil where the text is no app's id: too long, or no UTF-8.
    private func app(_ bytes: RawSpan, _ range: Range<Int>, lexicon: inout Lexicon) -> LogcatApp? {
        let text = bytes.extracting(range)
        guard (1...EventField.appID.limit).contains(text.byteCount), text.isUTF8 else { return nil }
        return LogcatApp(text: lexicon.texts.intern(text), hash: StableHash.hash(text))
    }
}
