internal import Kafka
package import Settings

/// What is wrong with the keys of `kafka.*`: the library alone knows, and would tell only once a client is made.
package enum KafkaKeys {
    package static func problems(_ settings: Settings) -> [SettingProblem] {
        let single = settings.kafkaKeys.compactMap { given in
            roles(of: given.side).lazy.compactMap { role in
                problem(given.key, given.name, given.value, of: role, settings)
            }.first
        }
        return single.isEmpty ? together(settings) : single
    }

    private static func roles(of side: KafkaSide?) -> [ClientRole] {
        switch side {
        case .consumer: [.consumer]
        case .producer: [.producer, .transactionalProducer]
        case .admin, nil: [.admin, .consumer, .producer, .transactionalProducer]
        }
    }

    private static func problem(
        _ key: String, _ name: String, _ value: String, of role: ClientRole, _ settings: Settings
    ) -> SettingProblem? {
        do throws(KafkaError) {
            try ClientPropertyCheck.check(name, value, of: role)
            return nil
        } catch {
            let origin = settings.origin(ofKafka: key)
            let names = ClientPropertyCheck.names
            if names.contains(name) {
                let remedy = error.remedy.replacing("kafka.\(name)", with: key)
                return SettingProblem(origin, key: key, error.text, remedy: remedy)
            }
            let prefix = key.dropLast(name.count)
            let near = Nearest.match(to: name, in: names).map { "did you mean \(prefix)\($0)?" }
            return SettingProblem(
                origin, key: key, "no such property of librdkafka",
                remedy: near ?? "librdkafka's CONFIGURATION.md lists all")
        }
    }

    /// What the properties of a client are to each other.
    private static func together(_ settings: Settings) -> [SettingProblem] {
        let options = WorkerOptions(settings)
        let clients: [(KafkaSide, ClientRole, [String: String])] = [
            (.admin, .admin, options.admin), (.consumer, .consumer, options.consumer),
            options.guarantee == .exactlyOnce
                ? (.producer, .transactionalProducer, options.transactional)
                : (.producer, .producer, options.producer),
        ]
        var problems: [SettingProblem] = []
        for (side, role, properties) in clients {
            do throws(KafkaError) {
                try ClientPropertyCheck.check(properties, of: role, timeout: options.transactionTimeout)
            } catch {
                // The library names what it compares.
                let given = settings.kafkaKeys.first {
                    ($0.side == side || $0.side == nil) && error.text.contains($0.name)
                }
                let key = given?.key ?? "kafka.*"
                let problem = SettingProblem(
                    settings.origin(ofKafka: key), key: key, error.text,
                    remedy: "correct it, or what it has to agree with")
                // What is wrong with all clients is said once.
                if !problems.contains(where: { $0.what == problem.what }) { problems.append(problem) }
            }
        }
        return problems
    }
}
