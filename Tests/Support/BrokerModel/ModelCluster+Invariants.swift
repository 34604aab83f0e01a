extension ModelCluster {
    /// What must hold of the model itself and does not; empty in a model that is right. Reads every entry once.
    package var violations: [String] {
        var found: [String] = []
        for (name, topic) in topicsByName.sorted(by: { $0.key < $1.key }) {
            for (index, log) in topic.logs.enumerated() {
                let partition = PartitionName(name, Int32(index))
                found += log.violations.map { "\(partition): \($0)" }
                if options.verifiesTransactions { found += strangers(among: log.open.keys, in: .partition(partition)) }
            }
        }
        for (name, group) in groupsByName.sorted(by: { $0.key < $1.key }) {
            found += group.violations.map { "group \(name): \($0)" }
            if options.verifiesTransactions { found += strangers(among: group.offsets.openProducers, in: .group(name)) }
        }
        for (id, transaction) in transactions.sorted(by: { $0.key < $1.key }) {
            let isUnderWay = transaction.state == .ongoing || transaction.isDecided
            if isUnderWay != (transaction.deadline != nil) { found.append("\(id) is \(transaction.state) for ever") }
            if !isUnderWay, !transaction.targets.isEmpty { found.append("\(id) is \(transaction.state) with targets") }
        }
        return found
    }

    /// Producers with a transaction in a place of which no coordinator knows: nobody would ever end it.
    private func strangers(among producers: some Collection<Int64>, in target: Transaction.Target) -> [String] {
        producers.sorted().filter { producer in
            !transactions.values.contains { $0.producer.id == producer && $0.targets.contains(target) }
        }.map { "\(target): nobody ends the transaction of producer \($0)" }
    }
}

extension PartitionLog {
    fileprivate var violations: [String] {
        var found: [String] = []
        var epochs: [Int64: Int16] = [:]
        var sequences: [ProducerIdentity: Int32] = [:]
        var undecided: [Int64: [Entry]] = [:]
        var next = start
        for entry in entries {
            if entry.offset < next || entry.offset >= end { found.append("offset \(entry.offset) is out of order") }
            next = entry.offset + 1
            guard let producer = entry.producer else { continue }
            if producer.epoch < epochs[producer.id] ?? -1 { found.append("\(entry.offset) was written by a zombie") }
            epochs[producer.id] = producer.epoch
            if case .marker(let isCommit) = entry.content {
                for record in undecided.removeValue(forKey: producer.id) ?? [] where record.isAborted == isCommit {
                    found.append("\(record.offset) is not as its marker at \(entry.offset) says")
                }
                continue
            }
            if let last = sequences[producer], entry.sequence <= last, entry.sequence != 0 {
                found.append("\(entry.offset) repeats sequence \(entry.sequence)")
            }
            sequences[producer] = entry.sequence
            if entry.isTransactional { undecided[producer.id, default: []].append(entry) }
        }
        for entry in undecided.values.joined().sorted(by: { $0.offset < $1.offset }) where entry.offset < lastStable {
            found.append("\(entry.offset) counts as stable without a marker")
        }
        if lastStable < start || lastStable > end { found.append("the last stable offset \(lastStable) is outside") }
        return found
    }
}

extension Group {
    fileprivate var violations: [String] {
        var found: [String] = []
        if state == .empty, !members.isEmpty { found.append("empty with members") }
        if state == .stable || state == .completing, !members.contains(where: { $0.id == leader }) {
            found.append("without a leader")
        }
        if Set(members.map(\.id)).count < members.count { found.append("two members of one id") }
        let instances = members.compactMap(\.instance)
        if Set(instances).count < instances.count { found.append("two members of one instance") }
        let waiting = members.flatMap { [$0.join, $0.sync] }.compactMap { $0?.number }
        if held != Set(waiting) { found.append("answers are held back for nobody") }
        if state == .stable, !held.isEmpty { found.append("stable, and answers are held back") }
        return found
    }
}
