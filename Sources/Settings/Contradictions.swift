extension Settings {
    /// Keys whose values are each allowed but cannot hold together.
    func contradictions() -> [SettingProblem] {
        [
            unguardedListener(), deadThreshold(), lateRevoke(), loop(), sharedTopic(), uncommittedReads(),
            noBeginning(),
        ].compactMap(\.self)
    }

    private func problem<Value>(
        _ path: KeyPath<SettingTable, Setting<Value>>, _ what: String, remedy: String
    ) -> SettingProblem {
        SettingProblem(origin(of: path), key: SettingTable.shared[keyPath: path].name, what, remedy: remedy)
    }

    /// A default gives way in silence: only what somebody wrote can contradict.
    private func isGiven<Value>(_ path: KeyPath<SettingTable, Setting<Value>>) -> Bool {
        origin(of: path) != .fallback
    }

    private func unguardedListener() -> SettingProblem? {
        guard !self.httpListen.isLoopback, self.httpToken == nil else { return nil }
        return problem(
            \.httpListen, "listens beyond this machine without a token",
            remedy: "set http.token, or listen on 127.0.0.1")
    }

    private func deadThreshold() -> SettingProblem? {
        guard isGiven(\.slowResumeAfter), self.slowResumeAfter >= self.resumeDiscard else { return nil }
        return problem(
            \.slowResumeAfter, "is not below resume.discard, so that no resume could ever be slow",
            remedy: "lower it, or raise resume.discard")
    }

    private func lateRevoke() -> SettingProblem? {
        guard isGiven(\.revokeBudget), self.revokeBudget >= self.shutdownTimeout else { return nil }
        return problem(
            \.revokeBudget, "is not below shutdown.timeout, which holds a revoke",
            remedy: "lower it, or raise shutdown.timeout")
    }

    private func loop() -> SettingProblem? {
        guard !self.outputTopic.isEmpty, self.inputTopics.contains(self.outputTopic) else { return nil }
        return problem(
            \.outputTopic, "is an input topic too, so that the output would be read again",
            remedy: "give the output a topic of its own")
    }

    /// What a transaction that was aborted left must not be read.
    private func uncommittedReads() -> SettingProblem? {
        let keys = ["kafka.consumer.isolation.level", "kafka.isolation.level"]
        guard self.deliveryGuarantee == .exactlyOnce, let key = keys.first(where: { passedThrough[$0] != nil }),
            passedThrough[key]?.value != "read_committed"
        else { return nil }
        return SettingProblem(
            origin(ofKafka: key), key: key, "lets what was aborted be read, against delivery.guarantee=exactly_once",
            remedy: "remove it, or set delivery.guarantee=at_least_once")
    }

    /// A partition that the group has committed nothing of, a new one, has to begin somewhere.
    private func noBeginning() -> SettingProblem? {
        let keys = ["kafka.consumer.auto.offset.reset", "kafka.auto.offset.reset"]
        guard let key = keys.first(where: { passedThrough[$0] != nil }), passedThrough[key]?.value == "error" else {
            return nil
        }
        return SettingProblem(
            origin(ofKafka: key), key: key, "tells no place where a new partition begins",
            remedy: "set earliest or latest; what was deleted unread is told and counted under both")
    }

    /// An internal topic that is another topic of this application as well.
    private func sharedTopic() -> SettingProblem? {
        guard !self.applicationID.isEmpty else { return nil }
        let topics: [(KeyPath<SettingTable, Setting<String?>>, String)] = [
            (\.topicEvents, eventsTopic), (\.topicPartials, partialsTopic), (\.topicDevices, devicesTopic),
            (\.topicTotals, totalsTopic), (\.topicDeadLetter, deadLetterTopic),
        ]
        var taken = Set(self.inputTopics + [self.outputTopic])
        for (path, topic) in topics where !taken.insert(topic).inserted {
            return problem(path, "the topic \(topic) has another use already", remedy: "give each its own topic")
        }
        return nil
    }
}
