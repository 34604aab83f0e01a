extension ModelCluster: CustomStringConvertible {
    /// The whole of it, for the eye: of each partition the newest entries.
    package var description: String { dump(entries: 12) }

    /// - Parameter count: so many entries of each partition, the newest ones.
    package func dump(entries count: Int) -> String {
        var lines = ["\(now) ms" + (isDown ? ", down" : "")]
        for (name, topic) in topicsByName.sorted(by: { $0.key < $1.key }) {
            for (index, log) in topic.logs.enumerated() {
                lines.append("\(name)[\(index)] #\(topic.id): \(log.start)..<\(log.lastStable)..<\(log.end)")
                lines += log.entries.suffix(count).map { "  \($0.line)" }
            }
        }
        for (id, transaction) in transactions.sorted(by: { $0.key < $1.key }) {
            let targets = transaction.targets.map(\.description).joined(separator: ", ")
            let deadline = deadline(of: id, transaction).map { ", until \($0)" } ?? ""
            lines.append(
                "transaction \(id): \(transaction.state.rawValue), producer \(transaction.producer)\(deadline)"
                    + (targets.isEmpty ? "" : ", \(targets)"))
        }
        for (_, group) in groupsByName.sorted(by: { $0.key < $1.key }) { lines += group.lines }
        return lines.joined(separator: "\n")
    }
}

extension PartitionLog.Entry {
    fileprivate var line: String {
        let writer = producer.map { " by \($0)" } ?? ""
        switch content {
        case .marker(let isCommit): return "\(offset) \(isCommit ? "COMMIT" : "ABORT")\(writer)"
        case .record(let record):
            let text = record.value.map { Self.text($0) } ?? "null"
            let key = record.key.map { Self.text($0) + "=" } ?? ""
            return "\(offset) \(key)\(text)\(writer)"
                + (sequence < 0 ? "" : " #\(sequence)") + (isTransactional ? " txn" : "")
                + (isAborted ? " aborted" : "")
        }
    }

    /// Printable bytes as they are, others as a dot; 32 at most.
    private static func text(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(32).map { (32...126).contains($0) ? $0 : UInt8(ascii: ".") }
        return String(decoding: shown, as: UTF8.self) + (bytes.count > 32 ? "… (\(bytes.count) B)" : "")
    }
}

extension Group {
    fileprivate var lines: [String] {
        var lines = ["group \(name): \(state.rawValue), generation \(generation)"]
        for member in members {
            let partitions = member.assignment.map(\.description).joined(separator: " ")
            let waits = member.join != nil ? ", joins" : member.sync != nil ? ", syncs" : ""
            let expiry = member.expiry.map { ", until \($0)" } ?? ""
            lines.append("  \(member.id)\(member.id == leader ? " leads" : "")\(waits)\(expiry): \(partitions)")
        }
        for partition in offsets.partitions {
            guard let committed = offsets[partition] else { continue }
            lines.append(
                "  \(partition) at \(committed.offset)\(offsets.isPending(partition) ? ", pending" : "")"
                    + (committed.metadata.isEmpty ? "" : " \(committed.metadata)"))
        }
        return lines
    }
}
