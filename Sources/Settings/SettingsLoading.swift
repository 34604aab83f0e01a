#if canImport(Glibc)
    internal import Glibc
#endif

/// A value given by an option of the command.
package struct SettingOverride: Sendable {
    package var key: String
    package var value: String
    /// The option as it was written, for diagnosis.
    package var option: String

    package init(key: String, value: String, option: String) {
        self.key = key
        self.value = value
        self.option = option
    }
}

extension Settings {
    /// Reads the layers: options over environment over file over defaults.
    ///
    /// - Parameters:
    ///   - file: the path of a properties file, or nil for none.
    ///   - environment: variables of the process; those of other programs are ignored.
    ///   - overrides: values given by options; of several for one key the last counts.
    ///   - required: keys without which the command cannot work.
    /// - Throws: all that is wrong, file first, in the order of its lines.
    package init(
        file: String? = nil, environment: [String: String] = [:], overrides: [SettingOverride] = [],
        required: [String] = []
    ) throws(SettingsError) {
        var reader = SettingsReader()
        if let file {
            reader.read(file: file)
            // Of a file that cannot be read nothing else can be said.
            if !reader.hasFile { throw SettingsError(problems: reader.problems) }
        }
        reader.read(environment: environment)
        reader.read(overrides: overrides)
        reader.demand(required, file: file)
        reader.problems += reader.settings.contradictions()
        guard reader.problems.isEmpty else { throw SettingsError(problems: reader.problems) }
        self = reader.settings
    }

    /// Values by key, for tests and embedded use.
    package init(_ values: [String: String]) throws(SettingsError) {
        let overrides = values.sorted { $0.key < $1.key }.map { key, value in
            SettingOverride(key: key, value: value, option: "--set")
        }
        try self.init(overrides: overrides)
    }
}

/// Takes the layers in, lowest first, and gathers what is wrong.
private struct SettingsReader {
    var settings = Settings()
    var problems: [SettingProblem] = []
    /// The file could be read.
    var hasFile = true
    let forms = Dictionary(uniqueKeysWithValues: SettingTable.rows.map { ($0.name, $0.form) })

    mutating func read(file path: String) {
        let whole = SettingOrigin.file(path: path, line: 0)
        let text: String
        do throws(FileFault) {
            text = try TextFile.read(path)
        } catch {
            problems.append(SettingProblem(whole, error.what, remedy: error.remedy))
            hasFile = false
            return
        }
        let properties = Properties(text)
        for fault in properties.faults {
            let origin = SettingOrigin.file(path: path, line: fault.line)
            problems.append(SettingProblem(origin, fault.what, remedy: "write a backslash itself as \\\\"))
        }
        var lines: [String: Int] = [:]
        for entry in properties.entries {
            let origin = SettingOrigin.file(path: path, line: entry.line)
            if let first = lines[entry.key] {
                let what = "is given twice, first in line \(first)"
                problems.append(SettingProblem(origin, key: entry.key, what, remedy: "keep one of the two"))
                continue
            }
            lines[entry.key] = entry.line
            take(entry.key, entry.value, origin)
        }
    }

    mutating func read(environment: [String: String]) {
        let known = Dictionary(
            uniqueKeysWithValues: SettingTable.rows.map { (EnvironmentName.suffix(of: $0.name), $0.name) })
        let ours = environment.filter { $0.key.hasPrefix(EnvironmentName.prefix) }
        for (variable, value) in ours.sorted(by: { $0.key < $1.key }) {
            let key = EnvironmentName.key(of: variable, known: known)
            take(key, value, .environment(variable: variable))
        }
    }

    mutating func read(overrides: [SettingOverride]) {
        for override in overrides {
            take(override.key, override.value, .option(override.option))
        }
    }

    mutating func demand(_ required: [String], file: String?) {
        for key in required where settings.given[key] == nil && settings.passedThrough[key] == nil {
            guard !problems.contains(where: { $0.key == key }) else { continue }
            let origin = file.map { SettingOrigin.file(path: $0, line: 0) } ?? .option("configuration")
            problems.append(
                SettingProblem(origin, key: key, "is missing", remedy: "add it, or give --set \(key)=VALUE"))
        }
    }

    private mutating func take(_ key: String, _ text: String, _ origin: SettingOrigin) {
        if key.hasPrefix(KafkaSide.prefix), key.count > KafkaSide.prefix.count {
            settings.passedThrough[key] = (text, origin)
            return
        }
        guard let form = forms[key] else {
            let near = Nearest.match(to: key, in: forms.keys.sorted() + [KafkaSide.bootstrapKey])
            let remedy = near.map { "did you mean \($0)?" } ?? "phasefold run --help-config lists all keys"
            problems.append(SettingProblem(origin, key: key, "is unknown", remedy: remedy))
            return
        }
        do throws(ValueFault) {
            settings.given[key] = Settings.Given(parsed: try form.parse(text), text: text, origin: origin)
        } catch {
            problems.append(SettingProblem(origin, key: key, error.what, remedy: error.remedy))
        }
    }
}

private struct FileFault: Error {
    var what: String
    var remedy: String
}

/// A small file of text, read whole.
private enum TextFile {
    /// A configuration is never larger.
    static let limit = 1 << 20

    static func read(_ path: String) throws(FileFault) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw FileFault(what: "cannot be opened: \(reason(errno))", remedy: "give the file with -c FILE")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let got = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if got == 0 { break }
            guard got > 0 || errno == EINTR else {
                throw FileFault(what: "cannot be read: \(reason(errno))", remedy: "give a file of properties")
            }
            bytes += chunk.prefix(max(got, 0))
        }
        guard bytes.count <= limit else {
            throw FileFault(what: "is larger than 1 MiB", remedy: "give a file of properties")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileFault(what: "is not UTF-8", remedy: "save it as UTF-8")
        }
        return text
    }

    private static func reason(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
