/// What stands where a secret would.
package enum Secrets {
    package static let redacted = "********"

    /// Parts of the names of librdkafka's properties whose values are secret or hold a secret.
    private static let markers = ["password", "secret", "jaas", "oauthbearer.config", "key.pem", "token"]

    /// Whether the value of a property of librdkafka, with or without its prefix, must not be shown.
    package static func isSecret(property name: String) -> Bool {
        let name = name.lowercased()
        return markers.contains { name.contains($0) }
    }
}

extension Settings {
    /// One value as it may be shown.
    package struct Entry: Sendable {
        package var key: String
        /// As it was written, or ``Secrets/redacted``.
        package var text: String
        package var origin: SettingOrigin
    }

    /// All that was given, in the order of the table, then the keys of librdkafka by name; secrets redacted.
    package var entries: [Entry] {
        let own = SettingTable.rows.compactMap { row in
            given[row.name].map { value in
                Entry(
                    key: row.name, text: row.form.isSecret ? Secrets.redacted : value.text, origin: value.origin)
            }
        }
        let passed = passedThrough.sorted { $0.key < $1.key }.map { key, value in
            Entry(
                key: key, text: Secrets.isSecret(property: key) ? Secrets.redacted : value.value,
                origin: value.origin)
        }
        return own + passed
    }
}
