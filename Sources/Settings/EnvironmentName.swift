/// The names of environment variables: `PHASEFOLD_`, then the key in capitals with `_` for every dot.
enum EnvironmentName {
    static let prefix = "PHASEFOLD_"

    /// `stuck_inactive.after` → `STUCK_INACTIVE_AFTER`.
    static func suffix(of key: String) -> String {
        String(key.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    /// The key that a variable of ours sets; that of an unknown one with dots throughout, as `kafka.*` keys have them.
    static func key(of variable: String, known: [String: String]) -> String {
        let suffix = String(variable.dropFirst(prefix.count))
        return known[suffix] ?? String(suffix.lowercased().map { $0 == "_" ? "." : $0 })
    }
}
