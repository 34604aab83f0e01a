/// The configuration of one run: every key of ``SettingTable`` with its value and where it came from.
///
/// Values are read by name, with their own type: `settings.stuckInactiveAfter` is an `Int64` in ms.
@dynamicMemberLookup
package struct Settings: Sendable {
    /// A value that was given, by an option, the environment or a file.
    struct Given: Sendable {
        var parsed: ParsedValue
        var text: String
        var origin: SettingOrigin
    }

    var given: [String: Given] = [:]
    var passedThrough: [String: (value: String, origin: SettingOrigin)] = [:]

    /// All defaults.
    package init() {}

    package subscript<Value>(dynamicMember path: KeyPath<SettingTable, Setting<Value>>) -> Value {
        let setting = SettingTable.shared[keyPath: path]
        return setting.value(of: given[setting.name]?.parsed)
    }

    /// Where the value of `path` came from.
    package func origin<Value>(of path: KeyPath<SettingTable, Setting<Value>>) -> SettingOrigin {
        given[SettingTable.shared[keyPath: path].name]?.origin ?? .fallback
    }

    /// The properties for librdkafka, sorted by name and without their prefix: those of `kafka.*`, and over them
    /// those of `kafka.consumer.*` or `kafka.producer.*`.
    package func kafkaProperties(of side: KafkaSide) -> [(name: String, value: String)] {
        var merged: [String: String] = [:]
        for (key, entry) in passedThrough where KafkaSide.of(key) == nil {
            merged[String(key.dropFirst(KafkaSide.prefix.count))] = entry.value
        }
        for (key, entry) in passedThrough where KafkaSide.of(key) == side {
            merged[String(key.dropFirst(side.prefix.count))] = entry.value
        }
        return merged.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// `kafka.bootstrap.servers`, "" where it is not given.
    package var bootstrapServers: String {
        passedThrough[KafkaSide.bootstrapKey]?.value ?? ""
    }

    /// Every key of `kafka.*` that was given, by whom it is for and its name there; sorted by key.
    package var kafkaKeys: [(key: String, side: KafkaSide?, name: String, value: String)] {
        passedThrough.sorted { $0.key < $1.key }.map { key, entry in
            let side = KafkaSide.of(key)
            return (key, side, String(key.dropFirst((side?.prefix ?? KafkaSide.prefix).count)), entry.value)
        }
    }

    /// Where a key of `kafka.*` was given, for diagnosis by the one that knows librdkafka's properties.
    package func origin(ofKafka key: String) -> SettingOrigin {
        passedThrough[key]?.origin ?? .fallback
    }
}

/// Whom a property of librdkafka is for.
package enum KafkaSide: String, CaseIterable, Sendable {
    case consumer
    case producer
    /// Neither: the administrative client takes what stands under `kafka.` alone.
    case admin

    static let prefix = "kafka."
    static let bootstrapKey = "kafka.bootstrap.servers"

    var prefix: String { KafkaSide.prefix + rawValue + "." }

    /// The one side that `key` is for; nil where it is for all.
    static func of(_ key: String) -> KafkaSide? {
        [KafkaSide.consumer, .producer].first { key.hasPrefix($0.prefix) }
    }
}

extension Settings {
    /// The internal topics, by their own key or `application.id`.
    package var eventsTopic: String { self.topicEvents ?? "\(self.applicationID)-events" }
    package var partialsTopic: String { self.topicPartials ?? "\(self.applicationID)-partials" }
    package var devicesTopic: String { self.topicDevices ?? "\(self.applicationID)-devices" }
    package var totalsTopic: String { self.topicTotals ?? "\(self.applicationID)-totals" }
    package var deadLetterTopic: String { self.topicDeadLetter ?? "\(self.applicationID)-dead-letter" }
}
