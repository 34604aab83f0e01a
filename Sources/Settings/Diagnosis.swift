/// Where a value came from.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    case fallback
    case file(path: String, line: Int)
    case environment(variable: String)
    /// An option of the command, as it was written: `--set`, `--window`.
    case option(String)

    package var description: String {
        switch self {
        case .fallback: "default"
        case .file(let path, let line): line > 0 ? "\(path):\(line)" : path
        case .environment(let variable): variable
        case .option(let option): option
        }
    }
}

/// One thing that is wrong with the configuration, and what to do about it.
package struct SettingProblem: Sendable, Equatable, CustomStringConvertible {
    package var origin: SettingOrigin
    /// Empty where it is about a line or the whole file.
    package var key: String
    package var what: String
    package var remedy: String

    package init(_ origin: SettingOrigin, key: String = "", _ what: String, remedy: String) {
        self.origin = origin
        self.key = key
        self.what = what
        self.remedy = remedy
    }

    /// One line: `file:line: key: what is wrong; remedy`.
    package var description: String {
        let subject = key.isEmpty ? "\(origin)" : "\(origin): \(key)"
        return "\(subject): \(what); \(remedy)"
    }
}

/// A configuration that cannot be taken: all that is wrong with it, at least one problem.
package struct SettingsError: Error, Sendable, CustomStringConvertible {
    package var problems: [SettingProblem]

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
